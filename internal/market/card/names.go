package card

import (
	"strings"

	"stoa/internal/market/ids"
)

// Slug writes an item's id without a slash: ada/garden is ada--garden. No part of an id holds two hyphens in a row, so two
// ids never have one slug. It is "" for ids from before that rule, which no feed lists.
func Slug(id string) string {
	if !ids.Item(id) {
		return ""
	}
	return strings.Replace(id, "/", "--", 1)
}

// ID reads a slug.
func ID(slug string) (string, bool) {
	id := strings.Replace(slug, "--", "/", 1)
	return id, Slug(id) == slug && slug != ""
}

// namePart is an id without its namespace.
func namePart(id string) string {
	if _, name, ok := strings.Cut(id, "/"); ok {
		return name
	}
	return id
}

// Identifier is the id as an identifier of Python: letters, digits and underscores, none of them a letter of upper case. Two
// ids never have one identifier.
func Identifier(id string) string {
	return "stoa_" + strings.ReplaceAll(strings.Replace(id, "/", "__", 1), "-", "_")
}

// maxSkillName is the longest name of a skill, in bytes.
const maxSkillName = 64

// SkillName makes a name that the Agent Skills specification takes: a to z, digits and single hyphens, none at an end. Names of
// Windows' devices are none. It is "" for a text without any such letter.
func SkillName(text string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			out.WriteRune(r)
		case out.Len() > 0 && !strings.HasSuffix(out.String(), "-"):
			out.WriteByte('-')
		}
		if out.Len() == maxSkillName {
			break
		}
	}
	name := strings.TrimRight(out.String(), "-")
	if ids.Device(name) { // the name is that of the skill's folder too
		return name + "-skill"
	}
	return name
}
