package ids

import (
	"cmp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The versions of semver.org's own examples stand in their order, and each comes after all before it.
func TestVersionsInTheirOrder(t *testing.T) {
	inOrder := strings.Fields(`0.0.1 0.1.0 0.9.9 0.10.0 1.0.0-1 1.0.0-2 1.0.0-10 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11
		1.0.0-rc.1 1.0.0 1.0.1 1.2.0 1.10.0 2.0.0 10.0.0 99999999999999999999.0.0`)
	for i, a := range inOrder {
		if !Version(a) || !Version(a+"+build.7") {
			t.Errorf("%s is refused", a)
		}
		for j, b := range inOrder {
			if got := cmp.Compare(CompareVersions(a, b+"+x"), 0); got != cmp.Compare(i, j) {
				t.Errorf("%s and %s: %d", a, b, got)
			}
		}
	}
	for _, s := range []string{"", "1", "1.0", "one", "v1.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "1.0.0+", "1.0.0 ", "1.0.0-é", "1.0.0.0"} {
		if Version(s) {
			t.Errorf("%q is taken for a version", s)
		}
	}
}

// What may be the version of something new is safe in addresses and names of files, and every short semantic version is.
func TestTextsOfVersions(t *testing.T) {
	for _, s := range []string{"1", "1.0", "v2", "2024-05-01", "latest", "1.0.0+build.7", "0.1.0-converted-abcdef12", "1.0.0_a", strings.Repeat("1", MaxVersion)} {
		if !VersionText(s) {
			t.Errorf("%s is refused", s)
		}
	}
	for _, s := range []string{
		"", ".", "..", "../1", "1..2", "1.", ".1", "-1", "1/2", `1\2`, "1.0.0 ", "1.0.0\n", "1\x00", "1\u200b.0", "\u202e1", "１.０", "1.ο", "1.0а", "1?x", "1#x", "1%2e", "<b>", "1:2", "1.0\xff",
		strings.Repeat("1", MaxVersion+1),
	} {
		if VersionText(s) {
			t.Errorf("%q may be a version", s)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}(-[a-z0-9.-]{1,9})?(\+[a-z0-9.-]{1,9})?`), rapid.StringN(1, 9, -1)).Draw(t, "version")
		if Version(s) && !VersionText(s) {
			t.Errorf("%q is a semantic version and refused", s)
		}
		if VersionText(s) && (strings.Contains(s, "..") || strings.ContainsAny(s, "/\\:%") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })) {
			t.Errorf("%q may be a version", s)
		}
	})
}

func TestVersionsAreOrderedWholly(t *testing.T) {
	version := rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching(`[0-2]\.(0|1|10)\.[0-2](-(a|b|1|2|10|a1)(\.(a|1|10))?)?`).Draw(t, "version")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := version.Draw(t, "a"), version.Draw(t, "b"), version.Draw(t, "c")
		if CompareVersions(a, b) != -CompareVersions(b, a) || (CompareVersions(a, b) == 0) != (a == b) {
			t.Errorf("%s and %s", a, b)
		}
		if CompareVersions(a, b) <= 0 && CompareVersions(b, c) <= 0 && CompareVersions(a, c) > 0 {
			t.Errorf("%s, %s and %s", a, b, c)
		}
	})
}
