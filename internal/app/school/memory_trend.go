package school

import (
	"context"
	"encoding/json"

	"stoa/internal/app/school/learner"
	"stoa/internal/governance/quality"
)

const (
	// MemoryFew is how many entries of memory there must be before their health says something.
	MemoryFew   = 5
	memoryMoved = .1 // of their health, between two windows
	// memoryStep turns what a memory trend counts for into a mean change of mastery: with every weight at 1 a full trend is
	// a fifth of the scale.
	memoryStep = .1
)

// memoryTrend says where the health of a learner's memory goes, from the snapshots of quality: the newest window against
// the one before.
type memoryTrend struct {
	Status            quality.Status
	Score, Confidence float64 // 0..1
}

// MemoryTrend reads the trend as a learner's settings say.
func (a *School) MemoryTrend(ctx context.Context, userID string, config learner.TrendRuntimeConfig) (memoryTrend, error) {
	rows, err := a.Store.Qualities(ctx, userID, "", config.MemoryLimit)
	if err != nil {
		return memoryTrend{}, err
	}
	var scores []float64
	for _, row := range rows {
		var r QualityRecord
		if err := json.Unmarshal(row.Record, &r); err != nil {
			return memoryTrend{}, err
		}
		if r.Diagnostics.MemoryEntries >= MemoryFew {
			scores = append(scores, r.Diagnostics.MemoryHealth)
		}
	}
	var t memoryTrend
	t.Status, t.Score, t.Confidence = quality.Direction(scores, config.MemoryWindow, config.MemoryMinSamples, memoryMoved)
	return t, nil
}

// shift is by how much a memory trend moves the mean change of mastery by which the context of a plan is judged. A trend
// that is less sure than its floor counts for nothing.
func shift(c *learner.MemorySignalConfig, t memoryTrend) float64 {
	switch {
	case t.Status == quality.Regressing && t.Confidence >= c.RegressionFloor:
		return -memoryStep * (c.ScoreWeight*(1-t.Score) + c.ConfidenceWeight*t.Confidence)
	case t.Status == quality.Improving && t.Confidence >= c.ImprovementFloor:
		return memoryStep * (c.ScoreWeight*t.Score + c.ConfidenceWeight*t.Confidence)
	}
	return 0
}
