package app

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/learning/path"
	"stoa/internal/platform/store"
)

// Where the strategy of a session came from.
const (
	sourceExplicit = "explicit_request"
	sourceTrend    = "strategy_trend"
	sourceFallback = "mode_fallback"
	sourceUnknown  = "unknown"
)

// Selection says which strategy was chosen and why.
type Selection struct {
	Source     string   `json:"pathStrategySelectionSource"`
	Reason     string   `json:"pathStrategySelectionReason"`
	Status     string   `json:"pathStrategyTrendStatus,omitempty"`
	Score      *float64 `json:"pathStrategyTrendScore,omitempty"`
	Confidence *float64 `json:"pathStrategyTrendConfidence,omitempty"`
}

// Orchestration is the part of a session's signals that says which strategy was chosen.
type Orchestration struct {
	Recommended string `json:"recommendedPathStrategy"`
	Selection
	Propensity *float64 `json:"propensity,omitempty"` // the probability with which it was drawn, when it was
	Block      string   `json:"block,omitempty"`      // of the draw
}

// choice is a strategy chosen for a plan.
type choice struct {
	Orchestration
	Strategy path.Strategy
	context  path.Context
}

// recentSessions is how many past sessions say how a learner has been doing.
const recentSessions = 4

// choose picks the strategy of a plan: the one asked for, else the one that evidence speaks for, else that of the
// learner's context.
func (a *App) choose(ctx context.Context, userID, asked string, config TrendRuntimeConfig, now time.Time) (choice, error) {
	var c choice
	recent, err := a.store.Studies(ctx, store.StudyFilter{UserID: userID}, 0, "", 0, recentSessions)
	if err != nil {
		return c, err
	}
	deltas := make([]float64, len(recent))
	for i, s := range recent {
		deltas[i] = float64(s.Delta) / 1e6
	}
	c.context = path.ContextOf(deltas)
	switch {
	case asked != "":
		c.Strategy, c.Source, c.Reason = path.Strategy(asked), sourceExplicit, sourceExplicit+":"+asked
	default:
		c.Strategy, c.Source = path.Balanced, sourceFallback
		switch c.context {
		case path.Regressing:
			c.Strategy = path.Recovery
		case path.Improving:
			c.Strategy = path.Exploration
		}
		c.Reason = fmt.Sprintf("%s:%s", sourceFallback, c.context)
	}
	c.Recommended = string(c.Strategy)
	return c, nil
}
