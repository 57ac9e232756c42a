package submission

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

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

func TestWithdrawIsIdempotent(t *testing.T) {
	for from, want := range map[string][2]bool{
		Pending: {true, true}, Withdrawn: {false, true}, Approved: {true, false}, Rejected: {true, false}, Replaced: {true, false},
	} {
		if changes, ok := Withdraw(from); changes != want[0] || ok != want[1] {
			t.Errorf("%s: %v %v", from, changes, ok)
		}
	}
}

func TestNormalKey(t *testing.T) {
	for in, want := range map[string]string{"a b/c": "abc", "Job-1_2.3:4": "Job-1_2.3:4", "鍵": "", strings.Repeat("x", 200): strings.Repeat("x", 128)} {
		if got := NormalKey(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		once := NormalKey(rapid.String().Draw(t, "key"))
		if NormalKey(once) != once || len(once) > maxKey {
			t.Fatalf("%q", once)
		}
	})
}

func TestNormalizedReadsTheSame(t *testing.T) {
	a := SubmitOptions{SelectedSections: []string{"b", "a", "b"}}.Normalized()
	b := SubmitOptions{SelectedSections: []string{"a", "b"}, RedactionMode: "exclude_secrets", ScanMode: Balanced, Visibility: "community"}.Normalized()
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(a, a.Normalized()); diff != "" {
		t.Error(diff)
	}
	if u := (UploadOptions{}).Normalized(); u.ScanMode != Balanced || u.Visibility != "community" || u != u.Normalized() {
		t.Errorf("%+v", u)
	}
}
