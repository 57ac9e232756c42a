package app

import (
	"testing"
	"time"
)

// Bytes on their way in must not look old because somebody set the clock.
func TestSteadyClock(t *testing.T) {
	day, read := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), time.Now()
	s := steadyClock{day, read}
	for i, step := range []struct {
		day, read time.Duration
		jumped    bool
	}{
		{10 * time.Second, 10 * time.Second, false},
		{3 * time.Hour, 10 * time.Second, true},
		{10 * time.Second, 10 * time.Second, false},
		{-5 * time.Hour, 10 * time.Second, false},
		{5 * time.Hour, 10 * time.Second, true},
		{9 * time.Hour, 9 * time.Hour, false}, // a machine that slept
	} {
		day, read = day.Add(step.day), read.Add(step.read)
		if got := s.jumped(day, read); got != step.jumped {
			t.Errorf("step %d: %v", i, got)
		}
	}
}
