package school

import (
	"math"
	"testing"

	"stoa/internal/app/school/learner"
	"stoa/internal/governance/quality"
)

// Each of the four settings changes what a memory trend counts for.
func TestEveryMemorySignalSettingCounts(t *testing.T) {
	falling, rising := memoryTrend{quality.Regressing, .2, .5}, memoryTrend{quality.Improving, .8, .7}
	for _, c := range []struct {
		name   string
		config learner.MemorySignalConfig
		trend  memoryTrend
		want   float64
	}{
		{"usual, falling", learner.UsualOrchestration.Memory, falling, -.03},
		{"usual, rising", learner.UsualOrchestration.Memory, rising, .034},
		{"floor of falling", learner.MemorySignalConfig{RegressionFloor: .51, ImprovementFloor: .6, ScoreWeight: .25, ConfidenceWeight: .2}, falling, 0},
		{"floor of rising", learner.MemorySignalConfig{RegressionFloor: .35, ImprovementFloor: .71, ScoreWeight: .25, ConfidenceWeight: .2}, rising, 0},
		{"weight of the score", learner.MemorySignalConfig{RegressionFloor: .35, ImprovementFloor: .6, ScoreWeight: .5, ConfidenceWeight: .2}, falling, -.05},
		{"weight of the confidence", learner.MemorySignalConfig{RegressionFloor: .35, ImprovementFloor: .6, ScoreWeight: .25, ConfidenceWeight: 0}, falling, -.02},
		{"stable", learner.UsualOrchestration.Memory, memoryTrend{quality.Stable, .2, 1}, 0},
		{"too little", learner.UsualOrchestration.Memory, memoryTrend{quality.Insufficient, .2, 1}, 0},
	} {
		if got := shift(&c.config, c.trend); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
