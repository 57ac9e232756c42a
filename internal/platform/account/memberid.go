package account

import (
	"errors"
	"strings"

	"stoa/internal/market/ids"
)

// Lengths of a new member's id, in bytes.
const (
	MinIDLength = 2
	MaxIDLength = 64
)

// ErrID says in words what ValidID checks.
var ErrID = errors.New("must have 2 to 64 characters: lower-case letters a to z, digits and single hyphens inside")

// ValidID reports whether a new member may have the id. Members from before this rule keep theirs.
func ValidID(id string) bool {
	return len(id) >= MinIDLength && len(id) <= MaxIDLength && ids.Segment(id)
}

// AnonymousID is the reserved id that anonymous visitors act under unless the operator names another one.
const AnonymousID = "anonymous"

// reserved are ids that programs or readers take for something else than a person, beside those of ids.Reserved.
var reserved = map[string]bool{}

// impostors are words that let an id pass for the server or its operator wherever they stand in it.
var impostors = []string{"admin", "administrator", "moderator", "official", "operator", "stoa"}

func init() {
	for _, word := range strings.Fields(`
		abuse account accounts all api auth bot community config daemon default deleted docs everybody everyone false guest health help hostmaster info
		learn login logout mail maintainer maintainers market me members metrics moderators nan nil nobody none null oidc postmaster private profile
		public runtime self service session sessions settings signin signup somebody static superuser sysadmin templates test true undefined unknown user
		username users visitor visitors you`) {
		reserved[Likeness(word)] = true
	}
}

// ReservedID reports whether nobody may sign up under the id: it names the server, its operator, a part of its
// addresses or no person at all, or is written so that it looks like one of these.
func ReservedID(id string) bool {
	like := Likeness(id)
	if reserved[like] || ids.Reserved(id) || ids.Reserved(like) {
		return true
	}
	for _, word := range strings.Split(like, "-") {
		for _, impostor := range impostors {
			if word == Likeness(impostor) {
				return true
			}
		}
	}
	return false
}

// likeness folds characters and pairs that many fonts show alike. The migration that fills account.likeness says the
// same in SQL.
var likeness = strings.NewReplacer("0", "o", "1", "l", "i", "l", "_", "-", ".", "-", "rn", "m", "vv", "w")

// Likeness returns what an id looks like: two ids with the same likeness could be taken for each other.
func Likeness(id string) string { return likeness.Replace(strings.ToLower(id)) }
