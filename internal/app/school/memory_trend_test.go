package school

import (
	"math"
	"testing"

	"stoa/internal/governance/quality"
)

// Each of the four settings changes what a memory trend counts for.
func TestEveryMemorySignalSettingCounts(t *testing.T) {
	falling, rising := memoryTrend{quality.Regressing, .2, .5}, memoryTrend{quality.Improving, .8, .7}
	for _, c := range []struct {
		name   string
		config MemorySignalConfig
		trend  memoryTrend
		want   float64
	}{
		{"usual, falling", usualOrchestration.Memory, falling, -.03},
		{"usual, rising", usualOrchestration.Memory, rising, .034},
		{"floor of falling", MemorySignalConfig{.51, .6, .25, .2}, falling, 0},
		{"floor of rising", MemorySignalConfig{.35, .71, .25, .2}, rising, 0},
		{"weight of the score", MemorySignalConfig{.35, .6, .5, .2}, falling, -.05},
		{"weight of the confidence", MemorySignalConfig{.35, .6, .25, 0}, falling, -.02},
		{"stable", usualOrchestration.Memory, memoryTrend{quality.Stable, .2, 1}, 0},
		{"too little", usualOrchestration.Memory, memoryTrend{quality.Insufficient, .2, 1}, 0},
	} {
		if got := c.config.shift(c.trend); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
