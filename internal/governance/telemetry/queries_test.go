package telemetry

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func at(minutesAgo int, s Sample) Sample {
	s.At = noon.Add(-time.Duration(minutesAgo) * time.Minute)
	return s
}

func TestFiguresOfAWindow(t *testing.T) {
	samples := []Sample{
		at(1, Sample{Fallback: true, Reason: "refused", Hits: 2, Evidence: .5, Paths: 1, Valid: 1, Took: 30 * time.Millisecond}),
		at(2, Sample{Hits: 0, Took: 10 * time.Millisecond}),
		at(3, Sample{Hits: 4, Evidence: 1, Paths: .5, Valid: .25, Took: 20 * time.Millisecond}),
		at(90, Sample{Fallback: true, Hits: 1, Took: 900 * time.Millisecond}),
	}
	want := Queries{Count: 3, Fallbacks: 1, Fallback: 100.0 / 3, Samples: 2, Evidence: 75, Paths: 75, Valid: 62.5, Average: 20, P95: 30, Reason: "refused"}
	if got := Of(samples, noon.Add(-time.Hour), 50); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Of(samples, noon.Add(-time.Hour), 1); got.Count != 1 || got.Fallback != 100 || got.P95 != 30 {
		t.Errorf("the newest alone: %+v", got)
	}
	if got := Of(samples, noon, 50); got != (Queries{}) {
		t.Errorf("nothing was asked since: %+v", got)
	}
	if got := Of(samples[1:], noon.Add(-2*time.Hour), 50); got.Reason != "" {
		t.Errorf("the newest question was answered in full: %+v", got)
	}
}
