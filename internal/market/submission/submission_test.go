package submission

import "testing"

func TestOnlyPendingMovesOn(t *testing.T) {
	states := []string{Pending, Approved, Rejected, Replaced, Withdrawn}
	for _, from := range states {
		for _, to := range states {
			want := from == Pending && to != Pending
			if got := CanBecome(from, to); got != want {
				t.Errorf("%s → %s: %v", from, to, got)
			}
		}
	}
	if CanBecome(Pending, "published") {
		t.Error("an unknown state")
	}
}
