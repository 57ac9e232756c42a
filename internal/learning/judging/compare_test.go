package judging

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"

	"pgregory.net/rapid"
)

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
		{"0.5", ".5", Correct, InNumber},
		{"1/2", ".5", Correct, InNumber},
		{"5", ".5", Incorrect, Other},
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
	if shorter, longer := distance("a", "abcd", 2), distance("abcd", "a", 2); shorter != 3 || longer != 3 {
		t.Errorf("%d and %d, but 3 is all that is asked for", shorter, longer)
	}
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
		{"field", "field", false},
		{"abcdefgh", "abcdefgi", true},
		{"abcdefhg", "abcdefgi", false},
	} {
		if got := misspelt(c.answer, c.accepted); got != c.want {
			t.Errorf("%q for %q: %v", c.answer, c.accepted, got)
		}
	}
}

func TestDenials(t *testing.T) {
	for words, want := range map[string]int{"it is not so": 1, "it is so": 0, "never without one": 2, "な い": 1, "な": 0, "な の い": 0, "い な": 0, "non è né": 2, "不 是": 1} {
		if got := prose.Denials(strings.Fields(words)); got != want {
			t.Errorf("%q denies %d times, not %d", words, got, want)
		}
	}
}

// What was judged right and is not: one other word, another sign, two answers at once, denials in other words.
func TestNearlyRightIsNotRight(t *testing.T) {
	explain := questions.Question{Kind: questions.Explain, Answer: questions.Answer{Texts: []string{"A lock is a device that lets one thread after the other enter a part of the program and keeps all others out until it leaves."}}}
	gap := questions.Question{Kind: questions.Gap, Prompt: "It was built in ____.", Answer: questions.GapFilled("1889")}
	minus := questions.Question{Kind: questions.Open, Answer: questions.GapFilled("25")}
	city := questions.Question{Kind: questions.Open, Answer: questions.GapFilled("京都")}
	for _, c := range []struct {
		q    *questions.Question
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
		q    *questions.Question
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

// An answer may have words before and behind it, an article and a plural.
func TestPlainForms(t *testing.T) {
	for text, want := range map[string]string{
		"Ring": "ring", "It is a ring.": "it is a ring|a ring|ring", "is ring": "is ring|ring", "island": "island", "the island": "the island|island", "l'anello": "l'anello|anello", "l' anello": "l' anello|anello", "è un anello": "è un anello|un anello|anello",
		"是环": "是环|环", "答えは環です": "答えは環です|環です|答えは環|環", "環だ": "環だ|環", "a": "a", "rings": "rings|ring", "division-rings": "division-rings|division ring", "ring, i think": "ring, i think|ring|ring, i think", "die": "die", "": "", "tests it is": "tests it is|test it is",
	} {
		want := strings.Split(want, "|")
		slices.Sort(want)
		got := plainForms(text)
		if slices.Sort(got); !slices.Equal(got, slices.Compact(want)) {
			t.Errorf("%q has the forms %q", text, got)
		}
	}
}

// What each unit is in the first of its kind, from tables of units.
func TestUnitsOfAKind(t *testing.T) {
	for of, list := range map[string]map[string]float64{
		"m":    {"km": 1000, "cm": .01, "mm": .001, "µm": 1e-6, "μm": 1e-6, "nm": 1e-9, "meter": 1, "meters": 1, "metres": 1, "米": 1, "公里": 1000},
		"g":    {"kg": 1000, "mg": .001},
		"s":    {"sec": 1, "seconds": 1, "ms": .001, "µs": 1e-6, "min": 60, "h": 3600, "hours": 3600, "秒": 1},
		"b":    {"byte": 1, "bytes": 1, "kB": 1000, "MB": 1e6, "GB": 1e9, "KiB": 1024, "MiB": 1048576, "GiB": 1073741824},
		"bit":  {"bits": 1},
		"J":    {"kJ": 1000},
		"Hz":   {"kHz": 1000, "MHz": 1e6, "GHz": 1e9},
		"%":    {"percent": 1},
		"W":    {"kW": 1000},
		"l":    {"ml": .001},
		"V":    {"V": 1},
		"°C":   {"°C": 1},
		"K":    {"K": 1},
		"N":    {"N": 1},
		"foos": {"foos": 1},
	} {
		for unit, factor := range list {
			if same, near := sameNumber("3 "+unit, &questions.Answer{Number: true, Value: 3 * factor, Unit: of}); !same || near {
				t.Errorf("3 %s is not %v %s", unit, 3*factor, of)
			}
			if same, near := sameNumber("7 "+unit, &questions.Answer{Number: true, Value: 3 * factor, Unit: of}); same || near {
				t.Errorf("7 %s is %v %s", unit, 3*factor, of)
			}
		}
	}
}

func TestSameNumber(t *testing.T) {
	for _, c := range []struct {
		said       string
		answer     questions.Answer
		same, near bool
	}{
		{"many", questions.Answer{Value: 3}, false, false},
		{"3", questions.Answer{Value: 3}, true, false},
		{"4", questions.Answer{Value: 3}, false, false},
		{"3", questions.Answer{Value: 2, Tolerance: .5}, true, false},
		{"1", questions.Answer{Value: 2, Tolerance: .5}, true, false},
		{"3.01", questions.Answer{Value: 2, Tolerance: .5}, false, false},
		{"-1", questions.Answer{Value: -2, Tolerance: .5}, true, false},
		{"0", questions.Answer{}, true, false},
		{"the answer is 3 km", questions.Answer{Value: 3, Unit: "km"}, true, false},
		{"It is 3 km, I think", questions.Answer{Value: 3, Unit: "km"}, false, true},
		{"3 km, i think", questions.Answer{Value: 3, Unit: "km"}, true, false},
		{"答えは 3です。", questions.Answer{Value: 3}, true, false},
		{"3 km!", questions.Answer{Value: 3, Unit: "km"}, true, false},
		{"3です！", questions.Answer{Value: 3}, true, false},
		{"3/4 km", questions.Answer{Value: .75, Unit: "m"}, false, false},
		{"3/4 km", questions.Answer{Value: .75, Unit: "km"}, true, false},
		{"3 foos", questions.Answer{Value: 3, Unit: "bars"}, false, true},
		{"4 foos", questions.Answer{Value: 3, Unit: "bars"}, false, false},
		{"3 m", questions.Answer{Value: 3, Unit: "bars"}, false, true},
		{"3 foos", questions.Answer{Value: 3, Unit: "m"}, false, true},
		{"3", questions.Answer{Value: 3, Unit: "m"}, false, true},
		{"4", questions.Answer{Value: 3, Unit: "m"}, false, false},
		{"3 m", questions.Answer{Value: 3}, true, true},
		{"3 of them", questions.Answer{Value: 3}, false, true},
		{"4 m", questions.Answer{Value: 3}, false, false},
	} {
		c.answer.Number = true
		if same, near := sameNumber(c.said, &c.answer); same != c.same || near != c.near {
			t.Errorf("%q for %v %q: %v %v", c.said, c.answer.Value, c.answer.Unit, same, near)
		}
	}
	for unit, want := range map[string]bool{"": true, "AD": true, "big dogs": true, "red big dogs": false, "the day": false, "a day": true, "x2": false, "never": false, "or 4": false} {
		if got := counted(unit); got != want {
			t.Errorf("%q is counted: %v", unit, got)
		}
	}
}

func TestSameText(t *testing.T) {
	for _, c := range []struct {
		answer, accepted string
		want             bool
	}{{"-5", "5", false}, {"5", "−5", false}, {"-5", "−5", true}, {"The rings", "ring", true}, {"ring", "field", false}, {"5", ".5", false}, {".5", "5", false}, {"-.5", "-.5", true}, {".x", "x", true}, {"so.", "so", true}, {".", ".", true}, {".9", "9", false}, {".0", "0", false}} {
		if got := sameText(c.answer, c.accepted); got != c.want {
			t.Errorf("%q for %q: %v", c.answer, c.accepted, got)
		}
	}
}
