package leakcheck

import (
	"strings"
	"testing"
)

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		`plain`: `plain`, `aA b`: `aA b`, `\u00g1`: `\u00g1`, `\u00`: `\u00`, `a%20b`: `a b`, `a%2Fb`: `a/b`, `100%`: `100%`, `%zz`: `%zz`, `%4`: `%4`,
		`a&amp;b`: `a&b`, `a&#65;b`: `aAb`, `a&#x41;b`: `aAb`, `a&b;c`: `a&b;c`, `a&;b`: `a&;b`, `&lt;&gt;`: `<>`, `&quot;x&quot;`: `"x"`, `a & b`: `a & b`,
		`\"x\"`: `"x"`, `a\\b`: `a\b`, `a\/b`: `a/b`, `a\nb\tc\rd`: `a b c d`, `a\x`: `a\x`, `\`: `\`, `a\`: `a\`, `\"`: `"`, `\n`: ` `, `é`: `é`,
	} {
		if got := string(unescape([]byte(in))); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
}

// A run that nobody writes by hand: sixteen letters and digits, three digits and four turns at least.
func TestDrawn(t *testing.T) {
	for text, want := range map[string]bool{
		"a1b2c3defghijklm": true, "a1b2c3defghijkl": false, // sixteen, fifteen
		"a12bcd3efghijklmno": true, "a12bcdefghijklmno": false, // three digits, two
		"abcd1efgh23ijklmn": true, "abcdefgh123ijklmn": false, // four turns, two
		"abcd1efgh23ijk-lmnopq": false, "x-abcd1efgh23ijklmn": true, "ein-ganz-langes-wort-mit-1-2-3": false, "": false,
	} {
		if got := drawn(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What only stands for a value is told from a value.
func TestStands(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "  ": true, "***": true, "ab***cd": true, "x-x-x": true, "$KEY": true, "${KEY}": true, "$(pass show key)": true, "$env:KEY": true, "%KEY%": true, "%KEY": false, "{{key}}": true, "{key}": true, "[key]": true, "<key>": true,
		"Bearer $TOKEN": true, "bearer none": true, "env.KEY": true, "os.environ['KEY']": true, "!secret key": true, "op://vault/key": false, "vault:secret/key": true, "file:/run/key": true,
		"your key here": true, "changeme": true, "todo": true, "填写密钥": true, "null": true, "true": true, "default": true,
		"hunter2": false, "k": false, "sunshine": false, "https://ada:pw@example.org": false, "$2b$10$abcdefghijklmnopqrstuv": false, "a1b2c3defghijklm-your": false,
		"your " + strings.Repeat("a", 55): true, "your " + strings.Repeat("a", 56): false,
	} {
		if got := stands(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// What may be searched for anywhere is what nobody writes by chance.
func TestTelling(t *testing.T) {
	for text, want := range map[string]bool{
		"hunter2": true, "abcd12": false, // seven, six, with a digit
		"sunshine": false, "123456789": true, "12345678": false,
		"four words and 1 more text": true, "four words, 1 more text": false, "four words without a digit in it": false, // blanks: 24 and a digit
		"https://example.org/a1b2c3": false, strings.Repeat("a1", 4096): true, strings.Repeat("a1", 4096) + "a": false,
	} {
		if got := telling(text, named); got != want {
			t.Errorf("%q: %v", text[:min(len(text), 40)], got)
		}
	}
	for text, want := range map[string]bool{"a1b2c3d4efghijkl": true, "a1b2c3d4efghijk": false, "a1b2c3defghijklm": true, "a1b2cdefghijklmn": false, "a1b2c3d4 efghijkl": false, "a1b2c3d4/efghijkl": false} {
		if got := telling(text, unlisted); got != want {
			t.Errorf("under a name that says nothing, %q: %v", text, got)
		}
	}
}

// In the settings of a connection a name that says nothing makes its value one that is searched for; no name, or a harmless one, does not.
func TestEvidence(t *testing.T) {
	for _, c := range []struct {
		p    place
		want evidence
	}{
		{place{name: "apikey", settings: true}, named},
		{place{name: "apikey"}, named},
		{place{name: "password"}, named},
		{place{name: "blob", settings: true}, unlisted},
		{place{name: "blob"}, nothing},
		{place{name: "", settings: true}, nothing},
		{place{name: "model", settings: true}, nothing},
		{place{}, nothing},
	} {
		if got := c.p.evidence(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.p, got, c.want)
		}
	}
}
