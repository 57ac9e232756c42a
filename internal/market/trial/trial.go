// Package trial knows how long a trial lasts and what state it is in.
//
// app calls it with what is stored and the time.
package trial

import "time"

// TTL is how long a trial lasts; it is not renewed while it is active.
const TTL = 2 * time.Hour

// The states of the contract.
const (
	NotStarted = "not_started"
	Active     = "active"
	Expired    = "expired"
)

// State gives the state at now of a trial that ends at expires (zero: never started) and how long it
// still lasts, at most TTL whatever was done to the clock meanwhile. It is active up to, not at, its end.
func State(expires, now time.Time) (state string, remaining time.Duration) {
	switch {
	case expires.IsZero():
		return NotStarted, 0
	case now.Before(expires):
		return Active, min(expires.Sub(now), TTL)
	default:
		return Expired, 0
	}
}

// RemainingSeconds rounds up, so that an active trial never shows 0.
func RemainingSeconds(remaining time.Duration) int64 {
	return int64((remaining + time.Second - 1) / time.Second)
}
