// Package clock is the only place that asks what time it is.
//
// Everything that needs the time is given a Clock, so tests move it by hand.
package clock

import "time"

// Clock answers the current time.
type Clock func() time.Time

// System is the machine's clock, in UTC and cut to microseconds, the unit that is stored.
func System() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Micros is t in microseconds since 1970, 0 for the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// FromMicros is the inverse of Micros.
func FromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}

// Text writes t as the contract does: RFC 3339 UTC with milliseconds, "" for the zero time.
func Text(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}
