package detect

import (
	"fmt"
	"strings"
	"testing"
)

// The words of a command, and where the reading of the next of its name goes on.
func TestWordsOfCommands(t *testing.T) {
	for text, want := range map[string]string{
		"a b  c": "a|b|c 2", "a\tb": "a|b 0", "": " 0", "a; b": "a 1", "a | b": "a 2", "a & b": "a 2", "a > b": "a 2", "a < b": "a 2", "a `b`": "a 2", "a )b": "a 2", "a\nb": "a 1", "a \\\nb": "a|b 0", "a \\\r\nb": "a 4", "a 'b c' d": "a|b c|d 2", `a "b c"`: "a|b c 0",
		"a 'b c": "a 0", `a --x="b c" d`: "a|--x|b c|d 2", `a x"b c"`: `a|x"b c 0`, `a x"b c`: "a|x 2", "''": " 0", "a '' b": "a||b 2", "a\\b c": `a\b|c 0`, "a b;c": "a|b 3", "a  ": "a 0", "a b c d e": "a|b|c|d|e 6", `a --x=""`: "a|--x 0",
	} {
		words, to := commandWords(text, 0, len(text))
		var said []string
		for _, w := range words {
			said = append(said, text[w.start:w.end])
		}
		if got := fmt.Sprint(strings.Join(said, "|"), " ", to); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// What the readers of forms say of a place.
func TestPartsAreWhereTheyStand(t *testing.T) {
	at := func(text string) (*scanning, int, int) {
		i := strings.Index(text, "NAME")
		return &scanning{e: shared, text: text}, i, i + 4
	}
	for text, want := range map[string]string{
		"<NAME>x</NAME>": "x", "<a:NAME b='c'>\n x \n</a>": "x", "<NAME><![CDATA[x]]></NAME>": "x", "<NAME/>x</a>": "-", "NAME>x</a>": "-", "<NAME\n>x</a>": "-", "<NAME>x": "-", "<NAME>x<b>": "-", "<NAME></NAME>": "", "<NAME": "-", "<NAME>": "-", "a NAME>x</a>": "-", "<NAME>{ *16}x</NAME>": "x", "<{a*40}NAME>x</a>": "x", "<{b*41}NAME>x</a>": "-", "<NAME{ *120}>x</a>": "x", "<NAME{ *121}>x</a>": "-",
	} {
		s, start, end := at(filled(text))
		from, to, ok := s.element(start, end)
		if ok != (want != "-") || ok && s.text[from:to] != want {
			t.Errorf("element of %q: %q %v", text, s.text[from:to], ok)
		}
	}
	for text, want := range map[string]bool{
		"ENV NAME": true, "x\n  export NAME": true, "x; set -gx NAME": true, "a ENV NAME": false, "NAME": false, "envs NAME": false, "\n NAME": false, "Header NAME": true,
	} {
		s, start, _ := at(text)
		if got := s.declared(start); got != want {
			t.Errorf("declared %q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{"machine a login b NAME": true, "MACHINE a\nLogin b\nNAME": true, "default login b NAME": true, "machine a NAME": false, "login b NAME": false, "login b machine a NAME": false, "NAME": false, "machine a login b machine c NAME": false} {
		s, start, _ := at(text)
		if got := s.netrc(start); got != want {
			t.Errorf("netrc %q: %v", text, got)
		}
	}
	for text, want := range map[string]string{
		"# NAME\nx9": "x9", "# NAME\n\n x9 \ny": "x9 ", "**NAME**\nx9": "x9", "**NAME:**\nx9": "x9", "# NAME: \nx9": "x9", "# NAME\n`x`": "`x`", "# NAME\nx!": "x!", "# NAME\nx": "-", "# NAME\nx9 y": "-", "# NAME x\nx9": "-", "NAME\nx9": "-", "# NAME": "-", "# NAME\n": "-", "x # NAME\nx9": "-", "**NAME\nx9": "-", "# NAME\n```sh\nx9\n```": "x9", "# NAME\n```": "-", "# NAME\n```\n": "-",
		"# NAME\n\r\n\t x9": "x9", "# NAME\n\n\n\n\n\n\n\nx9": "x9", "# NAME\n\n\n\n\n\n\n\n\nx9": "-", "#\nNAME\nx9": "-", "#{a*58} NAME\nx9": "x9", "#{b*59} NAME\nx9": "-", "# NAME\nx9\r\ny": "x9",
	} {
		s, start, end := at(filled(text))
		from, to, ok := s.heading(start, end)
		if ok != (want != "-") || ok && s.text[from:to] != want {
			t.Errorf("heading of %q: %q %v", text, s.text[from:to], ok)
		}
	}
	for text, want := range map[string]string{
		`NAME", "value": "x"`: ` "x"`, "NAME\n  value: x": " x", `NAME" value="x"`: `"x"`, `NAME": {"value": "x"}`: ` "x"}`, `NAME\", \"value\": x`: " x", `NAME" {default = "x"`: ` "x"`, `NAMEvalue: x`: "-", `NAME", "valued": x`: "-", `NAME", "value", x`: "-", "NAME": "-", `NAME", "value`: "-", `NAME", "other": x`: "-", `NAME": "value": x`: "-", `NAME": [{"value": x`: "-", `NAME", "value" x`: "-",
	} {
		s, _, end := at(text)
		from, ok := s.valueField(end)
		if ok != (want != "-") || ok && s.text[from:] != want {
			t.Errorf("valueField of %q: %q %v", text, s.text[from:], ok)
		}
	}
	for text, want := range map[string]string{"NAME x": "x", `NAME", "x`: "x", "NAME\n- x": "x", "NAME\r\n  - 'x": "x", "NAME": "-", "NAMEx": "-", "NAME -x": "-", "NAME\nx": "-", "NAME\n": "-", "NAME ": "-", "NAME\n-": "-"} {
		s, _, end := at(text)
		from, how := s.flagValue(end)
		if how == tieNone && want != "-" || how != tieNone && s.text[from:] != want {
			t.Errorf("flagValue of %q: %q %d", text, s.text[from:], how)
		}
	}
	for text, want := range map[string]string{" {p9}": "-", " of a b c {p9}": "{p9}", " a b c d {p9}": "{p9}", " a b c d e {p9}": "-", " a {p9} b": "-", " a {p9}, b": "{p9}", " a Willow77": "-", " a, {p9}": "-", "{p9}": "-", "": "-", " a `{p9}`": "`{p9}`", " a willow!!": "-"} {
		s := &scanning{text: filled(text)}
		from, ok := s.atTheEnd(0)
		if ok != (want != "-") || ok && !strings.HasPrefix(s.text[from:], filled(want)) {
			t.Errorf("atTheEnd of %q: %d %v", text, from, ok)
		}
	}
	for text, want := range map[string]string{"echo x | NAME": "x", "echo -n 'x y' | NAME": "x y", "printf x | NAME": "x", "a; echo x | NAME": "x", "echo x; a | NAME": "-", "echo x\na | NAME": "-", "echo x NAME": "-", "x | NAME": "-", "echo x | y | NAME": "x", "echo | NAME": "-", "echo a; echo x |NAME": "x"} {
		s, start, _ := at(text)
		w, ok := s.written(start)
		if ok != (want != "-") || ok && s.text[w.start:w.end] != want {
			t.Errorf("written of %q: %q %v", text, s.text[w.start:w.end], ok)
		}
	}
	for text, want := range map[string]string{
		"a,NAME\n1,2\n": ",|7 2", "| a | NAME |\n|---|---|\n|1|2|": "||23 4", "NAME\tb\n1\t2": "\t|7 2", "a;NAME;c\n1;2;3": ";|9 3", "a,NAME\n1;2\n": "-", "NAME\n1\n": "-", "a,NAME": "-", "a,NAME\n": "-", "a,NA.ME,NAME\n1,2,3": "-", "a|NAME\n1|2\n": "-", "x\na,NAME\n1,2\n": ",|9 2", "a,NAME;b\n1,2;3\n": ",|9 2",
	} {
		s, start, _ := at(text)
		got := "-"
		if r := s.head(start); r.separator != 0 {
			got = fmt.Sprintf("%c|%d %d", r.separator, r.below, len(r.cells))
		}
		if got != want {
			t.Errorf("head of %q: %q", text, got)
		}
	}
	s := &scanning{text: "x| a |'b'|`c` |\t|**d**\r"}
	var cells []string
	for _, c := range s.cells(1, len(s.text), '|') {
		cells = append(cells, s.text[c.start:c.end])
	}
	if got := strings.Join(cells, ","); got != ",a,b,c,,d" {
		t.Errorf("cells are %q", got)
	}
	for text, want := range map[string]int{"1,'a', 2) x": 9, "'a,b)','c')": 11, "a": 2, "'a": 2, "'a'  ": 6, "a,b": 4} {
		if got := (&scanning{e: shared, text: text}).tuple("password", Certain, 0, 99); got != want {
			t.Errorf("tuple of %q ends at %d", text, got)
		}
	}
	for text, want := range map[string]int{"bot / x": 7, "bot, x y": 6, "bot|x": 5, "bot and x": 9, "bot andx": 0, "botand x": 0, "bot x": 0, "/ x": 0, "": 0, "bot": 0, "bot、x": 7, "bot / ": 6} {
		if got := (&scanning{e: shared, text: text}).userAndPassword(0, false); got != want {
			t.Errorf("userAndPassword of %q ends at %d", text, got)
		}
	}
	for text, want := range map[string]int{"bot x": 5, "bot": 0, "bot  ": 5} {
		if got := (&scanning{e: shared, text: text}).userAndPassword(0, true); got != want {
			t.Errorf("userAndPassword, loosely, of %q ends at %d", text, got)
		}
	}
}
