package ids

import (
	"cmp"
	"regexp"
	"strings"
)

var version = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// Version tells whether a text is a semantic version (semver.org, 2.0.0), such as 1.2.0 or 1.2.0-beta.1.
func Version(s string) bool { return version.MatchString(s) }

// MaxVersion is the longest version, in bytes.
const MaxVersion = 64

var versionText = regexp.MustCompile(`^[0-9A-Za-z](\.?[0-9A-Za-z_+-])*$`)

// VersionText tells whether a text may be the version of something new: ASCII letters, digits and . _ + - with a letter or
// digit first, never two dots beside each other nor one at the end. Semantic versions are some of them; the contract takes
// "1.0" and "v2" as well. It is safe in addresses and names of files, and no two look the same.
func VersionText(s string) bool { return len(s) <= MaxVersion && versionText.MatchString(s) }

// VersionRule says in words what VersionText checks.
const VersionRule = "must be made of letters a to z, digits, dots, hyphens, plus signs and underscores, such as 1.2.0, of at most 64 characters"

// CompareVersions orders two semantic versions by their precedence (semver.org, 2.0.0, clause 11): negative when a comes first.
func CompareVersions(a, b string) int {
	coreA, preA := splitVersion(a)
	coreB, preB := splitVersion(b)
	for i := range coreA {
		if c := number(coreA[i], coreB[i]); c != 0 {
			return c
		}
	}
	switch {
	case len(preA) == 0 || len(preB) == 0:
		return cmp.Compare(len(preB), len(preA)) // a release comes after its candidates
	default:
		for i := range min(len(preA), len(preB)) {
			if c := identifier(preA[i], preB[i]); c != 0 {
				return c
			}
		}
		return cmp.Compare(len(preA), len(preB))
	}
}

func splitVersion(s string) (core [3]string, pre []string) {
	s, _, _ = strings.Cut(s, "+")
	s, candidate, is := strings.Cut(s, "-")
	copy(core[:], strings.Split(s, "."))
	if is {
		pre = strings.Split(candidate, ".")
	}
	return core, pre
}

// number compares digits of any length.
func number(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func identifier(a, b string) int {
	digits := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	switch {
	case digits(a) && digits(b):
		return number(a, b)
	case digits(a):
		return -1
	case digits(b):
		return 1
	}
	return strings.Compare(a, b)
}
