package visible

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Whatever a text holds, nothing is left in a line that a terminal acts on or that moves what is around it.
func TestLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom(nil, unicode.C, unicode.Zl, unicode.Variation_Selector))).Draw(t, "text")
		for _, r := range Line(text) {
			if r < ' ' || r >= 0x7f && r < 0xa0 || r != 0x200c && r != 0x200d && unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) {
				t.Fatalf("%U is left of %q", r, text)
			}
		}
		for _, r := range Marked(text) {
			if !Plain(r) {
				t.Fatalf("%U is left of %q", r, text)
			}
		}
	})
}

// An escape is that of JSON.
func TestEscape(t *testing.T) {
	for _, r := range []rune{0x1b, 0x9b, 0x7f, 0x200b, 0x202e, 0x2066, 0xfeff, 0xe0041, 0x1f600} {
		var got string
		if err := json.Unmarshal([]byte(`"`+Escape(r)+`"`), &got); err != nil || got != string(r) {
			t.Errorf("%U: %s %v", r, Escape(r), err)
		}
	}
}

// What people write stays as it is.
func TestHonestTexts(t *testing.T) {
	for _, text := range []string{"a – b", "小红书文案", "コード（レビュー）", "👨\u200d👩\u200d👧 ⚠\ufe0f", "می\u200cخواهم", "naïve", "한국어", "a b"} {
		if got := Line(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		h := Hidden{}
		if h.Add(text); len(h) > 0 {
			t.Errorf("%q hides %v", text, h.Lines())
		}
	}
	h := Hidden{}
	h.Add("\ufeffx\r\n\ta\u200bb\u202ec\u200b\u00ad\x1b" + strings.Repeat("\ufe01", 3) + "\U000e0041")
	want := []string{"1 × U+001B", "1 × U+00AD", "2 × U+200B", "1 × U+202E", "3 × U+FE01", "1 × U+E0041"}
	if !slices.Equal(h.Lines(), want) {
		t.Error(h.Lines())
	}
	if got := Marked("a\xff\u200b" + string(utf8.RuneError)); got != `a\xff\u200b`+string(utf8.RuneError) {
		t.Error(got)
	}
}
