package detect

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"
)

// The automaton finds what a search for each literal alone finds, in the order of their ends, the longest first.
func TestLiteralsAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringOfN(rapid.SampledFrom([]rune("abz@é")), 1, 4, -1)
		literals := rapid.SliceOfNDistinct(literal, 1, 8, func(l string) string { return l }).Draw(t, "literals")
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abzABZ@[`{é")), 0, 40, -1).Draw(t, "text")
		var want, got []string
		lower := strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			return r
		}, text)
		for end := range len(lower) + 1 {
			for start := range end {
				for _, l := range literals {
					if lower[start:end] == l {
						want = append(want, fmt.Sprint(l, start))
					}
				}
			}
		}
		newAutomaton(literals).each(text, func(n, start int) bool {
			got = append(got, fmt.Sprint(literals[n], start))
			return true
		})
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("%q in %q: %q, not %q", literals, text, got, want)
		}
	})
	calls := 0
	newAutomaton([]string{"a"}).each("aaa", func(int, int) bool { calls++; return calls < 2 })
	if calls != 2 {
		t.Errorf("%d calls after the second said no", calls)
	}
}

func TestBudget(t *testing.T) {
	b := &Budget{Left: 10}
	if !b.Spend(10) || b.Over() || b.Spend(1) || !b.Over() || b.Left != -1 {
		t.Errorf("%+v", b)
	}
	b.Grant(100)
	if b.Spend(1) || !b.Over() {
		t.Error("what was given up is taken up again")
	}
	var none *Budget
	none.Grant(5)
	if !none.Spend(1<<40) || none.Over() {
		t.Error("no budget bounds")
	}
	b = NewBudget()
	if b.Left != 100e6 {
		t.Errorf("%+v", b)
	}
	if b.Grant(1000); b.Left != 100e6+1000*200 {
		t.Errorf("%+v", b)
	}
	if b.Grant(1 << 30); b.Left != 2e9 {
		t.Errorf("%+v", b)
	}
	f := TooCostly("a", "b")
	if f.File != "a" || f.Path != "b" || f.Rule != RuleTooCostly || f.Why == "" {
		t.Errorf("%+v", f)
	}
	if err := ErrTooCostly("field"); !strings.Contains(fmt.Sprint(err), "field") {
		t.Error(err)
	}
}

// The costs of a scan are counted: each text may be searched with what it costs and not with less.
func TestScansAreCounted(t *testing.T) {
	for _, text := range []string{
		"plain words of no importance", filled("password: {a24}"), filled("use rpa_{a40} now"), filled("https://bot:{a24}@example.com/x?token={a24}"), "%41%42%43%44 \\u0041\\u0042\\u0043\\u0044 &#65;&#66;",
		base64.StdEncoding.EncodeToString([]byte(filled("token: {a24} and more words"))), filled("| token |\n|---|\n| {a24} |"), filled("mysql -u bot -p{a24}"), filled("ghp_{a36} gitlab_token = {a24}"),
		filled("login: bot / {p14}"), filled("kind: Secret\ndata:\n  x: {a24}\n"), filled("password: |\n  {a24}\n"),
	} {
		b := &Budget{Left: 1 << 40}
		spans := shared.Scan(text, "", 0, b)
		cost := 1<<40 - b.Left
		if cost < int64(len(text)*literalWork) {
			t.Errorf("%q costs %d", text, cost)
		}
		enough, scarce := &Budget{Left: cost}, &Budget{Left: cost - 1}
		if got := shared.Scan(text, "", 0, enough); len(got) != len(spans) || enough.Over() || enough.Left != 0 {
			t.Errorf("%q: %d of %d with %d units", text, len(got), len(spans), cost)
		}
		if shared.Scan(text, "", 0, scarce); !scarce.Over() {
			t.Errorf("%q is searched with less than it costs", text)
		}
		if got := shared.Scan(text, "", 0, nil); len(got) != len(spans) {
			t.Errorf("%q: %d of %d without a budget", text, len(got), len(spans))
		}
	}
	if got := shared.Scan("sk-ab", "", 0, &Budget{}); got != nil {
		t.Error(got)
	}
}

func TestPlaces(t *testing.T) {
	for want, f := range map[string]Finding{
		"a.txt": {File: "a.txt"}, "a.json s.x[0]": {File: "a.json", Path: "s.x[0]"}, "a:1:2": {File: "a", Line: 1, Column: 2}, "a b:3:1": {File: "a", Path: "b", Line: 3, Column: 1}, "ab é": {File: "a\n\x7f\x1fb é"},
	} {
		if got := f.Place(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestSpansAreJoined(t *testing.T) {
	text := "0é2345678é"
	span := func(start, end int) Span {
		return Span{Start: start, End: end, Rule: fmt.Sprint(start, "-", end), Values: []string{fmt.Sprint(start)}}
	}
	for _, c := range []struct {
		in   []Span
		want string
	}{
		{nil, ""},
		{[]Span{span(2, 3)}, "[1-3 2-3 [2]]"},
		{[]Span{span(8, 11)}, "[8-12 8-11 [8]]"},
		{[]Span{span(5, 7), span(0, 1)}, "[0-1 0-1 [0]] [5-7 5-7 [5]]"},
		{[]Span{span(3, 5), span(5, 7)}, "[3-5 3-5 [3]] [5-7 5-7 [5]]"},
		{[]Span{span(3, 6), span(5, 7)}, "[3-7 3-6 [3 5]]"},
		{[]Span{span(3, 7), span(4, 6)}, "[3-7 3-7 [3 4]]"},
		{[]Span{span(3, 4), span(3, 7)}, "[3-7 3-7 [3 3]]"},
	} {
		var got []string
		for _, s := range Join(text, c.in) {
			got = append(got, fmt.Sprintf("[%d-%d %s %v]", s.Start, s.End, s.Rule, s.Values))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, not %s", got, c.want)
		}
	}
}

func packed(text string, gz bool) []byte {
	var b bytes.Buffer
	if gz {
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
	} else {
		w := zlib.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
	}
	return b.Bytes()
}

func wide(text string, big, mark bool) (out []byte) {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xFEFF}, units...)
	}
	for _, u := range units {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func TestUnpacked(t *testing.T) {
	text := "a text of several words, é"
	for name, b := range map[string][]byte{"gzip": packed(text, true), "zlib": packed(text, false), "little": wide(text, false, false), "big": wide(text, true, false), "little with a mark": wide("花"+text, false, true), "big with a mark": wide("花"+text, true, true)} {
		if got, ok := Unpacked(b); !ok || strings.TrimPrefix(got, "花") != text {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
	for name, b := range map[string][]byte{
		"short": []byte("a\x00b\x00c\x00d"), "plain": []byte("plain text"), "noise": packed(strings.Repeat("\x01\x02", 50), true), "no zlib": []byte("\x78\x02abcdefgh"), "no gzip": []byte("\x1f\x8babcdefgh"), "wide noise": wide(strings.Repeat("\x01", 20), false, true),
	} {
		if got, ok := Unpacked(b); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got, ok := Unpacked([]byte("a\x00b\x00c\x00d\x00e\x00f\x00g\x00h\x00")); !ok || got != "abcdefgh" {
		t.Errorf("%q %v", got, ok)
	}
	if got, ok := Unpacked(wide("花花花", false, true)); !ok || got != "花花花" {
		t.Errorf("of eight bytes %q %v", got, ok)
	}
	cut := packed(strings.Repeat("many words again and again, ", 200), false)
	if got, ok := Unpacked(cut[:len(cut)-6]); !ok || !strings.HasPrefix(got, "many words") {
		t.Errorf("of a damaged stream %q %v", got, ok)
	}
	if got, ok := Unpacked(packed(strings.Repeat("x", maxInflated+5), true)); !ok || len(got) != maxInflated {
		t.Errorf("%d bytes are unpacked", len(got))
	}
}

func TestReadable(t *testing.T) {
	checkEach(t, "Readable", func(v string) bool { return Readable([]byte(v)) },
		[]string{"eight by", "a text\nwith\ttabs\r\n", "花园花园花园\xe8\x8a", "{a*49}\x01", "日本語のテキスト\xf0\x9f\x98"},
		[]string{"", "seven b", "seven b\xff", "a text\xff with noise behind it", "{a*48}\x01", "{a*48}\x7f", "\x00\x01\x02\x03\x04\x05\x06\x07\x08"})
}

// What is encoded is found in each encoding, as far as MaxDepth of them lie over one another, and no more than the run is taken.
func TestEncodingsAreLookedUnder(t *testing.T) {
	secret := filled("the token: {a24} of the bot")
	std, url := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	encodings := map[string]string{
		"base64": std([]byte(secret)), "raw": strings.TrimRight(std([]byte(secret)), "="), "url": url([]byte(secret + "???>>>~~~")), "hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base32": base32.StdEncoding.EncodeToString([]byte(secret)), "zlib": std(packed(secret, false)), "gzip": std(packed(secret, true)), "wide": std(wide(secret, false, true)),
		"twice": std([]byte(std([]byte(secret)))), "hex of base64": hex.EncodeToString([]byte(std([]byte(secret)))),
	}
	for name, run := range encodings {
		for _, around := range [][2]string{{"", ""}, {"see ", " there"}, {"\"", "\","}, {"日", "本"}} {
			spans := shared.Scan(around[0]+run+around[1], "", 0, nil)
			if len(spans) != 1 || spans[0].Start != len(around[0]) || spans[0].End != len(around[0]+run) {
				t.Errorf("%s between %q: %+v", name, around, spans)
			} else if spans[0].Rule != "encoded" || spans[0].Values[0] != strings.TrimRight(run, "=") || !strings.Contains(secret, spans[0].Values[len(spans[0].Values)-1]) || !strings.HasPrefix(spans[0].Why, "holds, base64 or hex encoded, something that ") {
				t.Errorf("%s: %+v", name, spans[0])
			}
		}
	}
	for cut := range 4 { // letters of the surroundings in front
		if spans := shared.Scan("abc"[:cut]+std([]byte(secret)), "", 0, nil); len(spans) != 1 {
			t.Errorf("%d letters in front: %+v", cut, spans)
		}
	}
	for n := range 4 { // and behind
		whole := secret + "  "[:(3-len(secret)%3)%3]
		if spans := shared.Scan(std([]byte(whole))+"abc"[:n], "", 0, nil); len(spans) != 1 {
			t.Errorf("%d letters behind: %+v", n, spans)
		}
	}
	file := shared.NewText("f")
	_, _ = file.Write([]byte(encodings["twice"]))
	if found := file.Findings(); len(found) != 1 {
		t.Errorf("in a file: %v", found)
	}
	for _, text := range []string{std([]byte(std([]byte(std([]byte(secret)))))), std([]byte("only words in here, nothing else at all")), std([]byte("\x01\x02\x03\x04" + secret))} {
		if spans := shared.Scan(text, "", 0, nil); len(spans) != 0 {
			t.Errorf("%s: %+v", text, spans)
		}
	}
	if spans := shared.Scan(std([]byte(secret)), "", MaxDepth, nil); len(spans) != 0 {
		t.Errorf("below the last layer: %+v", spans)
	}
	if spans := shared.Scan(std([]byte(secret)), "", MaxDepth-1, nil); len(spans) != 1 {
		t.Errorf("in the last layer: %+v", spans)
	}
}

// escaped writes every character of a text as an escape.
func escaped(text, format string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func TestEscapesAreLookedUnder(t *testing.T) {
	key := filled("rpa_{a40}")
	for _, format := range []string{"%%%02x", "%%%02X", "&#%d;", "&#x%x;", `\u%04x`, `\x%02x`} {
		form := escaped(key, format)
		for _, around := range [][2]string{{"", ""}, {"Send ", " along."}, {"花 ", " é"}} {
			spans := shared.Scan(around[0]+form+around[1], "", 0, nil)
			if len(spans) != 1 || spans[0].Start != len(around[0]) || spans[0].End != len(around[0]+form) || spans[0].Rule != "vendor-key" || strings.Join(spans[0].Values, " ") != form+" "+key {
				t.Errorf("%s between %q: %+v", format, around, spans)
			}
		}
	}
	for plain, c := range map[string]struct {
		one  func(string) (string, int)
		text string
		n    int
	}{
		"A": {percentEscape, "%41b", 3}, "-": {percentEscape, "%2d", 3}, "\n": {percentEscape, "%0a", 3}, " ": {percentEscape, "%20", 3}, "\t": {unicodeEscape, `\x09`, 4}, "0": {unicodeEscape, `\x30`, 4}, "&": {entity, "&amp;x", 5}, "B": {entity, "&#66;", 5}, "<": {entity, "&lt;", 4}, "C": {unicodeEscape, `\u0043`, 6}, "é": {unicodeEscape, `\xe9`, 4}, "花": {unicodeEscape, `\u82b1x`, 6},
	} {
		if got, n := c.one(c.text); got != plain || n != c.n {
			t.Errorf("%s: %q %d", c.text, got, n)
		}
	}
	for text, one := range map[string]func(string) (string, int){
		"%4": percentEscape, "%4g": percentEscape, "%g4": percentEscape, "&;": entity, "&x;": entity, "&amp": entity, "&a;mp;": entity, `\u004`: unicodeEscape, `\u004g`: unicodeEscape, `\x4`: unicodeEscape, `\x4g`: unicodeEscape, `\xg4`: unicodeEscape,
		`\ud83d`: unicodeEscape, `\ufffd`: unicodeEscape, `\n0041`: unicodeEscape, `\`: unicodeEscape,
	} {
		if got, n := one(text); n != 0 || got != "" {
			t.Errorf("%s: %q %d", text, got, n)
		}
	}
}

func TestNamesOfFiles(t *testing.T) {
	key := filled("rpa_{a40}")
	names := []string{"README.md", "notes/" + key + ".md", "a-" + key, "x_" + key, key + "/a", "v1." + key, key + ".backup", "docs/guide.md", "a b " + key}
	var lines []string
	for _, f := range shared.VerifyNames(names, "names") {
		lines = append(lines, fmt.Sprint(f.File, f.Line, f.Column, f.Rule, f.Length))
	}
	if got, want := strings.Join(lines, " "), "names2 1vendor-key44 names3 1vendor-key44 names4 1vendor-key44 names5 1vendor-key44 names6 1vendor-key44 names7 1vendor-key44 names9 1vendor-key44"; got != want {
		t.Errorf("%s", got)
	}
	many := make([]string, MaxFindings+5)
	for i := range many {
		many[i] = key
	}
	if got := shared.VerifyNames(many, "names"); len(got) != MaxFindings {
		t.Errorf("%d findings", len(got))
	}
	long := strings.Repeat("x", 511-len(key)) + "_" + key
	for name, want := range map[string]int{long: 1, "x" + long: 0, strings.Repeat("a-", 15) + key: 1, strings.Repeat("a-", 16) + key: 0, "a." + key + ".12345": 1} {
		if got := shared.VerifyNames([]string{name}, ""); len(got) != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := shared.VerifyNames([]string{"a"}, ""); len(got) != 0 {
		t.Error(got)
	}
}
