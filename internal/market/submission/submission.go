// Package submission knows the states of a submission and which of them follow each other.
//
// app calls it before it changes one.
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
