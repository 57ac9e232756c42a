package questions

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

func TestGapsOfALine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "", "==a==": "0-5 a", "b ==a==": "2-7 a", "==a====b==": "0-5 a,5-10 b", "==a== and ==b==": "0-5 a,10-15 b", "== a==": "", "====": "", "====a==": "2-7 a", "==a": "", "==a\nb==": "", "==a\nb== c==": "", "x == y and z == w": "", "==a==b": "0-5 a", "==ab cd==": "0-9 ab cd",
		"{{c1::a}}": "0-9 a", "{{c1::a::h}}": "0-12 a h", "{{c1::a::h::i}}": "0-15 a h::i", "{{c1}}": "0-6 ", "{{cloze a}}": "0-11 a", "{{cloze a::h}}": "0-14 a", "{{c1::a}}{{c2::b}}": "0-9 a,9-18 b", "{{c1::a": "", "{{x::a}}": "", "==b=={{c1::a": "0-5 b", "{{c1::a}} ==b==": "0-9 a,10-15 b", "==b== {{c1::a}}": "0-5 b,6-15 a", "{{c1::==a==}}": "0-13 ==a==", "z {{c1::a}} b {{c2::c}} ==d==": "2-11 a,14-23 c,24-29 d",
	} {
		var got []string
		for _, g := range gapsOf(text) {
			got = append(got, strings.TrimRight(fmt.Sprintf("%d-%d %s %s", g.from, g.to, g.text, g.hint), " "))
		}
		if s := strings.Join(got, ","); s != strings.TrimRight(want, " ") {
			t.Errorf("%q has %q, want %q", text, s, want)
		}
	}
	for text, want := range map[string]string{"": "", "a": "a", "a ==b== c {{c1::d::h}} e": "a b c d e", "==a==": "a"} {
		if got := filled(text); got != want {
			t.Errorf("%q is filled to %q", text, got)
		}
	}
}

func TestMarkedGapsAreAsked(t *testing.T) {
	far := strings.Repeat("abcdefg ", 1022) // 8176 bytes
	for _, c := range []struct{ text, want, evidence string }{
		{"The ==cell== is small.", "The ____ is small.|cell", "The ==cell== is small."},
		{"It is here. The ==cell== is small. So it is.", "The ____ is small.|cell", "The ==cell== is small."},
		{"The {{c1::cell::what?}} is small.", "The ____ (what?) is small.|cell", "The {{c1::cell::what?}} is small."},
		{"The ==cell== has {{c1::walls}}.", "The ____ has walls.|cell // The cell has ____.|walls", "The ==cell== has {{c1::walls}}."},
		{"- It is so.\n- The ==cell== is small.", "The ____ is small.|cell", "The ==cell== is small."},
		{"- The ==cell==\n  is small.", "The ____\nis small.|cell", ""},
		{"==abc== defghijk", "____ defghijk|abc", "==abc== defghijk"},
		{"==abc== defghij", "", ""},
		{"The {{c1::}} is small.", "", ""},
		{"The cell is small.", "", ""},
		{"The {cell} = small.", "", ""},
		{"==a== " + far + "1234567890 ", "____ " + far + "1234567890|a", "==a== " + far + "1234567890"},
		{"==a== " + far + "12345678901", "", ""},
	} {
		d := authored(obsidian.Marks{}, section("T", 0, c.text))
		if got := d.asked(); got != c.want {
			t.Errorf("%.60q: %.80q, want %.80q", c.text, got, c.want)
			continue
		}
		for k, q := range d.list {
			if at := c.text[q.Evidence.Start:q.Evidence.End]; q.Nth != k+1 || q.Kind != Gap || q.Rank != .9 || c.evidence != "" && at != c.evidence {
				t.Errorf("%.60q: %+v at %.60q", c.text, q, at)
			}
		}
	}
	many := authored(obsidian.Marks{}, section("T", 0, "The cells are "+strings.Repeat("==ab== ", 65)))
	if len(many.list) != 64 {
		t.Errorf("%d gaps of 64", len(many.list))
	}
	two := authored(obsidian.Marks{}, section("T", 0, "The ==cell== is small. ==abc== so. It has ==walls== around it."))
	if len(two.list) != 2 || two.list[0].Nth != 1 || two.list[1].Nth != 3 {
		t.Errorf("%+v", two.list)
	}
	if list := authored(obsidian.Marks{}, section("T", 0, "The ==**cell**== is *small*.")).list; len(list) != 1 || list[0].Prompt != "The ____ is small." || list[0].Shown != (Shown{Prompt: "The ____ is *small*.", Answer: "**cell**"}) {
		t.Errorf("%+v", list)
	}
	if list := authored(obsidian.Marks{}, section("T", 0, "The ==cell== is small.")).list; len(list) != 1 || list[0].Shown != (Shown{}) {
		t.Errorf("%+v", list)
	}
}

// The lines of a paragraph that are cards part what is read for gaps.
func TestBetweenCards(t *testing.T) {
	for text, want := range map[string]string{
		"One\ntwo": "One\ntwo", "a::b": "", "One\na::b": "One\n", "a::b\nOne": "One", "One\na::b\ntwo": "One\n|two", "One\na::b\nc::d\ntwo": "One\n|two", "a::{{c1::b}}\nOne": "a::{{c1::b}}\nOne", "a::b\n": "",
	} {
		d := &deriver{marks: obsidian.Marks{}.Usual()}
		b := units.Blocks(text)[0]
		var got []string
		for _, l := range d.betweenCards(&b, text) {
			got = append(got, l.Text)
			if text[l.Start:l.End] != l.Text {
				t.Errorf("%q: %+v", text, l)
			}
		}
		if s := strings.Join(got, "|"); s != want || want == "" && len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}
