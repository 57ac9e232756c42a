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

// reserved are ids that programs or readers take for something else than a person, beside those of ids.Reserved: as they
// look, without hyphens.
var reserved = map[string]bool{}

// speaking are the words of ids.Reserved as they look.
var speaking = map[string]bool{}

// impostors are words that let an id pass for the server or its operator wherever they stand in it.
var impostors = strings.Fields("admin administrator administrators admins moderator moderators official officials operator operators stoa")

func init() {
	for _, word := range strings.Fields(`
		abuse account accounts all api assets astrbot auth authorize autoconfig autodiscover aux bot bots catalog claw clawhub community con config console cookie cookies
		daemon default delete deleted dev dist docs download downloads everybody everyone export false favicon featured feed feeds files ftp git guest guides
		health healthz help host hostmaster imap import index info install js json legal license localhost learn login logout mail maintainer maintainers
		market mcp me member members metrics mirror mirrors moderation nan nil nobody none npm nul null oauth oci oidc openapi package packages page pages
		passkey passkeys password pop postmaster privacy private prn profile public publicmarket publish published publisher publishers register registry
		review reviewers reviews robots runtime search self server service session sessions settings signin signup sitemap skills smtp somebody ssh ssl
		static status submissions superuser swagger sysadmin template templates terms test tls token tokens trial trials true undefined unknown upload
		uploads user username users v1 v2 verification visitor visitors webhook webhooks webmail wellknown whoami ws www xml yaml you`) {
		reserved[outline(word)] = true
	}
	for _, word := range ids.ReservedWords() {
		speaking[Likeness(word)], reserved[outline(word)] = true, true
	}
}

// ReservedID reports whether nobody may sign up under the id: it names the server, its operator, a part of its
// addresses or no person at all, or is written so that it looks like one of these.
func ReservedID(id string) bool {
	like := Likeness(id)
	if reserved[outline(id)] || ids.Reserved(id) {
		return true
	}
	alone := true // made of reserved words alone
	for _, word := range strings.Split(like, "-") {
		alone = alone && speaking[word]
		for _, impostor := range impostors {
			if word == Likeness(impostor) {
				return true
			}
		}
	}
	return alone
}

// likeness folds characters and pairs that many fonts show alike. The migration that fills account.likeness says the
// same in SQL.
var likeness = strings.NewReplacer("0", "o", "1", "l", "i", "l", "_", "-", ".", "-", "rn", "m", "vv", "w")

// Likeness returns what an id looks like: two ids with the same likeness could be taken for each other.
func Likeness(id string) string { return likeness.Replace(strings.ToLower(id)) }

// outline is what is left of a likeness without hyphens.
func outline(id string) string { return strings.ReplaceAll(Likeness(id), "-", "") }

// Alike tells whether one id could be taken for the other, also by somebody who leaves out or adds a hyphen.
func Alike(a, b string) bool { return outline(a) == outline(b) }
