// Package submission knows the states of a submission, which of them follow each other, the options a
// member submits with, and what a submission says of itself in lists.
//
// app calls it before it makes or changes one. The table of states is in docs/publishing-states.md.
package submission

// The states. All but Pending are final.
const (
	Pending   = "pending"
	Approved  = "approved"
	Rejected  = "rejected"
	Replaced  = "replaced"
	Withdrawn = "withdrawn"
)

// CanBecome tells whether a submission may go from one state to another.
func CanBecome(from, to string) bool {
	if from != Pending {
		return false
	}
	switch to {
	case Approved, Rejected, Replaced, Withdrawn:
		return true
	}
	return false
}

// Withdraw says what a member's wish to withdraw does: a pending submission becomes withdrawn, one that
// is withdrawn already stays so, any other is beyond it.
func Withdraw(from string) (changes, ok bool) {
	if from == Withdrawn {
		return false, true
	}
	return true, CanBecome(from, Withdrawn)
}
