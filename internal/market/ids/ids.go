// Package ids holds the rule for the ids of items and members, and the names that nobody but the operator may use.
//
// An id is made of segments: lower-case ASCII letters, digits and single hyphens, none at an end. A member's id is one
// segment; an item's is one, or an owner's namespace, one slash and a name. Two different ids therefore never look the
// same. Ids from before this rule keep working; app marks them.
package ids

import (
	"maps"
	"slices"
	"strings"
)

// Longest ids, in bytes.
const (
	MaxSegment = 128
	MaxItem    = 200
)

// Segment reports whether s matches [a-z0-9](-?[a-z0-9])* and has at most MaxSegment bytes.
func Segment(s string) bool {
	if s == "" || len(s) > MaxSegment {
		return false
	}
	hyphen := true // none at the beginning
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			hyphen = false
		case c == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}

// Item reports whether s is one segment, or two with a slash between them, of at most MaxItem bytes in all.
func Item(s string) bool {
	namespace, name, two := strings.Cut(s, "/")
	return len(s) <= MaxItem && Segment(namespace) && (!two || Segment(name))
}

// Device reports whether Windows keeps a name for a device, which is opened in place of a file or folder of that name.
func Device(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && '0' <= name[3] && name[3] <= '9'
}

// New reports whether an item may be given the id s today: Item, and no segment of it is the name of a device.
func New(s string) bool {
	namespace, name, _ := strings.Cut(s, "/")
	return Item(s) && !Device(namespace) && !Device(name)
}

// ItemRule says in words what New checks.
const ItemRule = "must be made of lower-case letters a to z, digits and single hyphens, with at most one slash, such as ada/garden or study-coach, of at most 200 characters in all; no part may be a name that Windows keeps for a device, such as con or nul"

// Namespace returns the part of an item's id before the slash, "" when there is none.
func Namespace(id string) string {
	namespace, _, two := strings.Cut(id, "/")
	if !two {
		return ""
	}
	return namespace
}

// reserved are words that speak for the server or its operator.
var reserved = map[string]bool{
	"admin": true, "administrator": true, "anonymous": true, "council": true, "mod": true, "moderator": true, "official": true, "operator": true, "owner": true,
	"reviewer": true, "root": true, "security": true, "staff": true, "stoa": true, "support": true, "system": true, "team": true, "the": true, "verified": true,
	"webmaster": true,
}

// ReservedWords are the words that Reserved knows, in their order.
func ReservedWords() []string { return slices.Sorted(maps.Keys(reserved)) }

// Official reports whether one of the words of a name claims to be the server's or its operator's own.
func Official(name string) bool {
	for _, word := range words(name) {
		if word == "official" || word == "stoa" || word == "operator" || word == "administrator" {
			return true
		}
	}
	return false
}

func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && r < 0x80 })
}

// Reserved reports whether a name is made of reserved words alone, such as "stoa", "Stoa Official" or "support-team".
// Case and whatever stands between the words do not matter. Fold letters that only look Latin before.
func Reserved(name string) bool {
	words := words(name)
	for _, word := range words {
		if !reserved[word] {
			return false
		}
	}
	return len(words) > 0
}
