package transfer

import (
	"slices"
	"testing"
)

func TestTransitions(t *testing.T) {
	states := []string{Queued, Running, Done, Failed, Cancelled}
	allowed := []string{"queued→running", "queued→failed", "queued→cancelled", "running→done", "running→failed", "running→cancelled", "failed→queued"}
	for _, from := range states {
		for _, to := range states {
			if got, want := CanBecome(from, to), slices.Contains(allowed, from+"→"+to); got != want {
				t.Errorf("%s → %s: %v", from, to, got)
			}
		}
	}
	if CanBecome("unknown", Queued) || CanBecome(Queued, "unknown") {
		t.Error("an unknown state")
	}
}

func TestMaxAttempts(t *testing.T) {
	if MaxAttempts(Upload) != 3 || MaxAttempts(Download) != 2 {
		t.Error("attempts")
	}
}
