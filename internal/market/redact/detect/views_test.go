package detect

import (
	"fmt"
	"strings"
	"testing"
)

// What escapes stand for, and where in the text each byte of it came from.
func TestUnescapedViews(t *testing.T) {
	s := &scanning{text: "a%41%c3%a9%zz%4"}
	v, n := s.unescape('%', percentEscape)
	if string(v.text) != "aAé%zz%4" || n != 3 || fmt.Sprint(v.from) != "[0 1 4 7 10 11 12 13 14]" {
		t.Errorf("%q %d %v", v.text, n, v.from)
	}
	s = &scanning{text: "x&eacute;y&z"}
	v, n = s.unescape('&', entity)
	if string(v.text) != "xéy&z" || n != 1 || fmt.Sprint(v.from) != "[0 1 1 9 10 11]" {
		t.Errorf("%q %d %v", v.text, n, v.from)
	}
	// So many escapes make a text one of escapes.
	for sign, c := range map[string]struct {
		unit string
		need int
	}{"%": {"%41", 3}, "&": {"&#65;", 2}, `\`: {`\u0041`, 4}} {
		key := filled("rpa_{a40}")
		for n := range c.need + 2 {
			text := strings.Repeat(c.unit, n) + " " + strings.Replace(key, "_", map[string]string{"%": "%5f", "&": "&#95;", `\`: `\u005f`}[sign], 1)
			if spans := shared.Scan(text, "", 0, nil); (len(spans) == 1) != (n+1 >= c.need) {
				t.Errorf("%q and %d more escapes: %+v", sign, n, spans)
			}
		}
	}
	key := escaped(filled("rpa_{a40}"), "%%%02x")
	for depth, want := range map[int]int{0: 1, MaxDepth - 1: 1, MaxDepth: 0} {
		if spans := shared.Scan(key, "", depth, nil); len(spans) != want {
			t.Errorf("below %d layers: %+v", depth, spans)
		}
	}
	for run, want := range map[string]bool{"MFRGGZDFMZTWQ2LKNNWG23TPOA": true, "MFRGGZDFMZTWQ2LKNNWG23TPOA======": true, "MFRGGZDFMZTWQ2LKNNWG23T": false, "MFRGGZDFMZTWQ2LKNNWG23TP1A": false, "AAAAAAAAAAAAAAAAAAAAAAAA": false} {
		if text, ok := base32Of(run); ok != want || ok && text != "abcdefghijklmnop" {
			t.Errorf("%s: %q %v", run, text, ok)
		}
	}
}

func TestDecodings(t *testing.T) {
	for run, want := range map[string]string{
		"dGhlIHF1aWNrIGJyb3duIGZveA":       "the quick brown fox",
		"dGhlIHF1aWNrIGJyb3duIGZvL3g_Pz8":  "the quick brown fo/x???",
		"eHl6dGhlIHF1aWNrIGJyb3duIGZveA":   "xyzthe quick brown fox",
		"ABdGhlIHF1aWNrIGJyb3duIGZveGVz":   "the quick brown foxes",
		"dGhlIHF1aWNrIGJyb3duIGZveGVzQ":    "the quick brown foxes",
		"74686520717569636b2062726f776e":   "the quick brown",
		"74686520717569636B2062726F776E":   "the quick brown",
		"0123456789abcdef0123456789abcdef": "",
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX": "",
	} {
		got := decodings(run)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%s: %q, not %q", run, got, want)
		}
	}
	for rest, want := range []int{0, 0, 2, 3} {
		if got := tailOf(rest); got != want {
			t.Errorf("tailOf(%d) is %d", rest, got)
		}
	}
}

// The check sums of recovery phrases (the vectors of BIP-39).
func TestCheckSumsOfPhrases(t *testing.T) {
	numbers := func(text string) (list []int) {
		for _, w := range strings.Fields(text) {
			list = append(list, phraseWords()[w])
		}
		return list
	}
	for text, want := range map[string]bool{
		strings.Repeat("abandon ", 11) + "about": true, strings.Repeat("abandon ", 11) + "able": false, strings.Repeat("zoo ", 11) + "wrong": true, strings.Repeat("zoo ", 23) + "vote": true, strings.Repeat("abandon ", 23) + "art": true, strings.Repeat("abandon ", 17) + "agent": true,
		strings.Repeat("letter advice cage absurd amount doctor acoustic avoid ", 2) + "letter always": true,
	} {
		if got := phraseChecked(numbers(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if len(phraseWords()) != 2048 {
		t.Errorf("%d words", len(phraseWords()))
	}
}
