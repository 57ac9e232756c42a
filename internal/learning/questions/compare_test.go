package questions

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Number words count up from nought or one in each language.
func TestNumberWords(t *testing.T) {
	for first, list := range map[string]string{
		"zero": "zero one two three four five six seven eight nine ten eleven twelve", "零": "零 一 二 三 四 五 六 七 八 九 十",
		"uno": ". uno due tre quattro cinque sei sette otto nove dieci", "eins": ". eins zwei drei vier fünf sechs sieben acht neun zehn . zwölf",
	} {
		for want, word := range strings.Fields(list) {
			if v, unit, ok := number(word); word != "." && (!ok || unit != "" || v != float64(want)) {
				t.Errorf("%s: %s is %v %q %v", first, word, v, unit, ok)
			}
		}
	}
	for word, want := range map[string]float64{"两": 2, "hundred": 100, "thousand": 1000, "百": 100, "千": 1000} {
		if v, _, ok := number(word); !ok || v != want {
			t.Errorf("%s is %v", word, v)
		}
	}
}

func TestNumbersWithSeparators(t *testing.T) {
	for in, want := range map[string]float64{
		"1.234.567,5": 1234567.5, "1,234,567.5": 1234567.5, "1.234.567": 1234567, "1,234,567": 1234567, "1,234": 1234, "1,23": 1.23, "12,3456": 12.3456,
		"1'000'000": 1e6, "1_000": 1000, "3.": 3, "1,5×10^3": 1500, "2·10^{-3}": .002, "4e−2": .04, "6.022 × 10^23": 6.022e23, "1/8": .125, "$≈ 3.14$": 3.14,
	} {
		if v, _, ok := number(in); !ok || math.Abs(v-want) > 1e-12*math.Abs(want) {
			t.Errorf("%q is %v %v, want %v", in, v, ok, want)
		}
	}
	for _, in := range []string{"", "km 5", "many", "1/0x", ".5.5.5x"} {
		if v, unit, ok := number(in); ok && unit == "" {
			t.Errorf("%q is %v", in, v)
		}
	}
}

// A unit is compared in the base unit of its kind; one that is missing or of another kind is said to be so.
func TestNumbersWithUnits(t *testing.T) {
	for _, c := range []struct {
		answer, expected string
		want             Outcome
		why              Why
	}{
		{"2 h", "120 min", Correct, InNumber},
		{"90 s", "1.5 min", Correct, InNumber},
		{"0.5 kg", "500 g", Correct, InNumber},
		{"2 KiB", "2048 bytes", Correct, InNumber},
		{"2 kB", "2048 bytes", Incorrect, Other},
		{"500 m", "500 g", Partial, NoUnit},
		{"500", "500 g", Partial, NoUnit},
		{"501", "500 g", Incorrect, Other},
		{"3 vertices", "3", Correct, InNumber},
		{"3 of the many vertices", "3", Partial, NoUnit},
		{"4 vertices", "3", Incorrect, Other},
		{"3.1", "≈ 3.14", Correct, InNumber},
		{"3.0", "≈ 3.14", Incorrect, Other},
		{"3.1", "3.14", Incorrect, Other},
		{"3.14000000001", "3.14", Correct, InNumber},
	} {
		v := Judge(gapOf("There are ____.", c.expected), c.answer)
		if v.Outcome != c.want || v.Why != c.why || v.Confidence <= 0 || v.Confidence >= 1 {
			t.Errorf("%q for %q: %+v, want %s %s", c.answer, c.expected, v, c.want, c.why)
		}
	}
}

// The distance is that of the plain recursive definition (optimal string alignment), as far as it is asked for.
func TestDistance(t *testing.T) {
	var slow func(a, b []rune) int
	slow = func(a, b []rune) int {
		if len(a) == 0 || len(b) == 0 {
			return len(a) + len(b)
		}
		x, y := len(a)-1, len(b)-1
		cost := 1
		if a[x] == b[y] {
			cost = 0
		}
		least := min(slow(a[:x], b)+1, slow(a, b[:y])+1, slow(a[:x], b[:y])+cost)
		if x > 0 && y > 0 && a[x] == b[y-1] && a[x-1] == b[y] {
			least = min(least, slow(a[:x-1], b[:y-1])+1)
		}
		return least
	}
	word := rapid.StringOfN(rapid.SampledFrom([]rune("abcé")), 0, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		want := slow([]rune(a), []rune(b))
		for most := range 4 {
			if got := distance(a, b, most); min(got, most+1) != min(want, most+1) {
				t.Errorf("%q to %q is %d, up to %d it is said to be %d", a, b, want, most, got)
			}
		}
	})
}

// A letter may be wrong from five letters on, two from nine on.
func TestMisspelt(t *testing.T) {
	for answer, accepted := range map[string]string{"rign": "ring"} {
		if misspelt(answer, accepted) {
			t.Errorf("%q passes for %q", answer, accepted)
		}
	}
	for _, c := range []struct {
		answer, accepted string
		want             bool
	}{
		{"feild", "field", true},
		{"feilt", "field", false},
		{"fields", "field", true},
		{"divisoin", "division", true},
		{"divsoin", "division", false},
		{"mitochnodrion", "mitochondrion", true},
		{"mitokhnodrion", "mitochondrion", true},
		{"mitokhnodryon", "mitochondrion", false},
		{"abcdefghj", "abcdefghi", true},
		{"abcdefgjk", "abcdefghi", true},
	} {
		if got := misspelt(c.answer, c.accepted); got != c.want {
			t.Errorf("%q for %q: %v", c.answer, c.accepted, got)
		}
	}
}

func TestDenials(t *testing.T) {
	for words, want := range map[string]int{"it is not so": 1, "it is so": 0, "never without one": 2, "な い": 1, "な": 0, "な の い": 0, "い な": 0, "non è né": 2, "不 是": 1} {
		if got := denials(strings.Fields(words)); got != want {
			t.Errorf("%q denies %d times, not %d", words, got, want)
		}
	}
}

// What was judged right and is not: one other word, another sign, two answers at once, denials in other words.
func TestNearlyRightIsNotRight(t *testing.T) {
	explain := Question{Kind: Explain, Answer: Answer{Texts: []string{"A lock is a device that lets one thread after the other enter a part of the program and keeps all others out until it leaves."}}}
	gap := Question{Kind: Gap, Prompt: "It was built in ____.", Answer: answerOf("1889")}
	minus := Question{Kind: Open, Answer: answerOf("25")}
	city := Question{Kind: Open, Answer: answerOf("京都")}
	for _, c := range []struct {
		q    *Question
		said string
	}{
		{&explain, "A lock is a device that lets one thread after the other enter a part of the program and keeps all others in until it leaves."},
		{&explain, "everything except a device that lets one thread after the other enter a part of the program and keeps all others out until it leaves"},
		{&gap, "1889 or 1890"},
		{&gap, "1889、1890"},
		{&gap, "1890"},
		{&minus, "-25"},
		{&minus, "−25"},
		{&city, "京都ではない"},
		{&city, "京都以外"},
		{&city, "除了京都以外的"},
		{&city, "京都か奈良"},
		{&city, "不是京都"},
	} {
		if v := Judge(c.q, c.said); v.Outcome == Correct {
			t.Errorf("%q is judged %+v", c.said, v)
		}
	}
	for _, c := range []struct {
		q    *Question
		said string
	}{
		{&explain, "a lock is the device which lets one thread after the other enter a part of the program, and keeps all others out until it leaves"},
		{&gap, "in 1889"},
		{&gap, "1889, I think"},
		{&city, "京都です"},
		{&city, "京都だと思います"},
		{&city, "答案是京都"},
		{&city, "「京都」。"},
	} {
		if v := Judge(c.q, c.said); v.Outcome != Correct {
			t.Errorf("%q is judged %+v", c.said, v)
		}
	}
}
