package strategy

import (
	"time"

	"stoa/internal/learning/path"
)

// Source says how a session's strategy was chosen; the values are the contract's.
type Source string

// The sources.
const (
	Explicit Source = "explicit_request"
	Trend    Source = "strategy_trend"
	Fallback Source = "mode_fallback"
	Unknown  Source = "unknown"
)

// Sources lists them in the contract's order.
var Sources = [4]Source{Explicit, Trend, Fallback, Unknown}

// Record is what one session tells.
type Record struct {
	Strategy path.Strategy
	Source   Source
	At       time.Time
	// Outcome is the change of expected recall in thirty days, net of forgetting, per 25 actions, in percentage points,
	// minus what the state let expect (ValueAdded), corrected by probes.
	Outcome float64
	// Propensity is the probability with which the block's draw gave this strategy; zero is a session not randomised.
	Propensity float64
	// InBlock is the place of the session in its block, from 0. The first is burn-in: what the strategy before it did is
	// still at work.
	InBlock   int
	Actions   int
	Abandoned float64 // share of the actions that were left, 0..1
}

const (
	// BlockLength is the number of sessions that a drawn strategy is kept for.
	BlockLength = 5
	fewest      = 5   // actions that make a session count
	mostLeft    = 0.2 // share of abandoned actions up to which a session counts
)

// compares says whether the record may be compared with others.
func (r Record) compares() bool { return r.Propensity > 0 && r.InBlock > 0 && r.counts() }

// counts says whether enough of the session took place.
func (r Record) counts() bool {
	return r.Strategy.Valid() && r.Actions >= fewest && r.Abandoned <= mostLeft
}

// index of a strategy in path.Strategies; balanced is 0.
func index(s path.Strategy) int {
	for i, t := range path.Strategies {
		if s == t {
			return i
		}
	}
	return -1
}
