package judging

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/notation"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"
)

// How sure a verdict is, and how often a person would judge the same, agree.
func TestVerdictsKnowHowSureTheyAre(t *testing.T) {
	short := &questions.Question{Kind: questions.Open, Prompt: "What is it?", Answer: questions.Answer{Texts: []string{"ring", "rng"}}}
	field := gapOf("A field is a commutative ____ with unit.", "division ring")
	four := &questions.Question{Kind: questions.Open, Answer: questions.Answer{Texts: []string{"red blue green white"}}}
	three := &questions.Question{Kind: questions.Open, Answer: questions.Answer{Texts: []string{"red blue green"}}}
	length := gapOf("It has ____.", "42 km")
	area := gapOf("It is ____.", `$\pi r^{2}$`)
	pass := &questions.Question{Kind: questions.Open, Answer: questions.Answer{Texts: []string{"Pass"}}}
	choice := &questions.Question{Kind: questions.Choice, Choices: []string{"red", "blue", "green"}, Answer: questions.Answer{Texts: []string{"blue"}}}
	for _, c := range []struct {
		q      *questions.Question
		answer string
		want   Outcome
		why    Why
		sure   bool
	}{
		{short, " \n", Incorrect, Blank, true},
		{short, "no idea, sorry", Incorrect, Unknown, true},
		{pass, "pass", Correct, Folded, true},
		{pass, "no idea", Incorrect, Other, true},
		{short, " ring ", Correct, Exact, true},
		{short, "rng", Correct, Exact, true},
		{short, "The RNG", Correct, Folded, true},
		{short, "ring" + strings.Repeat(" ", 19996) + "x", Correct, Exact, true},
		{short, "ring" + strings.Repeat(" ", 19995) + "x", Partial, Compare, false},
		{short, strings.Repeat("a", 19999) + "é", Incorrect, Other, true},
		{short, "a ring or a field", Partial, Compare, false},
		{short, "it is no ring", Incorrect, Negated, true},
		{short, "one two three four five six", Incorrect, Other, true},
		{short, "one two three four five six seven", Incorrect, Other, false},
		{field, "commutative division ring", Correct, Folded, true},
		{field, "divsion rign", Partial, Spelling, false},
		{field, "ring of numbers", Incorrect, Other, false},
		{four, "blue red", Incorrect, Compare, false},
		{three, "blue red", Incorrect, Other, false},
		{three, "white", Incorrect, Other, true},
		{length, "42000 m", Correct, InNumber, true},
		{length, "42", Partial, NoUnit, false},
		{length, "43", Incorrect, Other, true},
		{length, "far", Incorrect, Other, true},
		{area, `r^2`, Incorrect, Other, false},
		{area, `\pi r^2`, Correct, InFormula, true},
		{choice, "b", Correct, Exact, true},
		{choice, "2", Correct, Exact, true},
		{choice, "B)", Correct, Exact, true},
		{choice, "the blue", Correct, Exact, true},
		{choice, "a", Incorrect, Other, true},
		{choice, "3", Incorrect, Other, true},
		{choice, "d", Incorrect, Other, false},
		{choice, "0", Incorrect, Other, false},
		{choice, "4", Incorrect, Other, false},
	} {
		v := Judge(c.q, c.answer)
		if v.Outcome != c.want || v.Why != c.why || v.Sure != c.sure {
			t.Errorf("%.60q for %q: %+v, want %s %s %v", c.answer, c.q.Expected(), v, c.want, c.why, c.sure)
		}
		if v.Confidence >= 1 || v.Sure && v.Confidence < .85 || !v.Sure && c.q.Kind != questions.Choice && (v.Confidence > .7 || v.Confidence < .5) {
			t.Errorf("%.60q for %q: a confidence of %v, sure %v", c.answer, c.q.Expected(), v.Confidence, v.Sure)
		}
		if v.Outcome == Correct && !slices.Equal(v.Matched, []string{v.Matched[0]}) {
			t.Errorf("%.60q for %q: %q is matched", c.answer, c.q.Expected(), v.Matched)
		}
	}
	if v := Judge(&questions.Question{Kind: questions.Open}, "x"); v.Outcome != Incorrect {
		t.Errorf("%+v", v)
	}
}

// A stretch of the sentence counts when the gap is in it as a whole.
func TestCompletedSentences(t *testing.T) {
	q := gapOf("A field is a commutative ____ with unit.", "division ring")
	for said, want := range map[string]bool{
		"division ring": true, "a field is a commutative division ring with unit": true, "commutative division ring": true, "division ring with": true, "a division ring": false, "ring with unit": false, "commutative division": false, "division": false, "division ring with unit here": false, "so a field is a commutative division ring with unit": false,
	} {
		if got := completed(q, prose.Words(said), "division ring"); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
	if open := (&questions.Question{Kind: questions.Open, Prompt: "division ring"}); completed(open, prose.Words("division ring"), "division ring") {
		t.Error("a prompt without a gap is completed")
	}
}

func TestContains(t *testing.T) {
	for _, c := range []struct {
		list, part string
		want       bool
	}{{"a b c", "a b", true}, {"a b c", "b c", true}, {"a b c", "c", true}, {"a b", "a b", true}, {"a b c", "a c", false}, {"a", "a b", false}, {"a", "", false}, {"", "", false}, {"a b c", "b a", false}} {
		if got := contains(strings.Fields(c.list), strings.Fields(c.part)); got != c.want {
			t.Errorf("%q in %q: %v", c.part, c.list, got)
		}
	}
}

func TestCommonWords(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 0}, {"", "a", 0}, {"a b c", "a b c", 3}, {"a b c", "c b a", 1}, {"a b c d", "b x d", 2}, {"a a", "a", 1}, {"a", "a a", 1}, {"x a y b", "a b z", 2}, {strings.Repeat("a ", 401), strings.Repeat("a ", 401), 400}, {strings.Repeat("a ", 401), strings.Repeat("a ", 399), 399}} {
		if got := prose.Common(strings.Fields(c.a), strings.Fields(c.b)); got != c.want {
			t.Errorf("%.30q and %.30q have %d in common, want %d", c.a, c.b, got, c.want)
		}
	}
	for _, c := range []struct {
		n, of int
		want  float64
	}{{0, 0, 0}, {1, 0, 0}, {1, 1, 1}, {1, 2, .5}, {0, 3, 0}} {
		if got := share(c.n, c.of); got != c.want {
			t.Errorf("%d of %d is %v", c.n, c.of, got)
		}
	}
}

func TestExplanations(t *testing.T) {
	ten := "one lock lets ten threads enter after each other"
	q := &questions.Question{Kind: questions.Explain, Answer: questions.Answer{Texts: []string{"", ten + " always"}, Points: []string{"one lock", "ten threads", "each other", "never two"}}}
	for _, c := range []struct {
		said          string
		want          Outcome
		why           Why
		sure          bool
		points, wants int
	}{
		{"The one lock lets just ten threads enter after each other always", Correct, Folded, true, 1, 0},
		{ten + " then", Partial, Compare, false, 3, 1},
		{ten, Partial, Compare, false, 3, 1},
		{ten + " never", Incorrect, Negated, false, 0, 0},
		{"lock lets ten threads enter", Incorrect, Compare, false, 1, 3},
		{"ten threads have one lock", Partial, Compare, false, 2, 2},
		{"ten threads have no one lock", Incorrect, Compare, false, 2, 2},
		{"ten locks", Incorrect, Compare, false, 0, 4},
		{"sleep", Incorrect, Compare, false, 0, 4},
		{"after each other ten threads enter " + strings.Repeat("so and so ", 9), Partial, Compare, false, 2, 2},
		{ten + " always " + strings.Repeat("so and so ", 9), Partial, Compare, false, 3, 1},
	} {
		v := Judge(q, c.said)
		if v.Outcome != c.want || v.Why != c.why || v.Sure != c.sure || len(v.Matched) != c.points || len(v.Missing) != c.wants || v.Confidence >= 1 || v.Sure != (v.Confidence > .9) || v.Confidence > .8 && !v.Sure {
			t.Errorf("%q: %+v", c.said, v)
		}
	}
	pointless := &questions.Question{Kind: questions.Explain, Answer: questions.Answer{Texts: []string{ten}}}
	for said, want := range map[string]Outcome{ten + " so": Partial, ten + " so it": Incorrect, "lock lets ten threads enter after each other": Incorrect, "": Incorrect} {
		if v := Judge(pointless, said); v.Outcome != want || v.Sure && said != "" {
			t.Errorf("%q: %+v", said, v)
		}
	}
	two := &questions.Question{Kind: questions.Explain, Answer: questions.Answer{Texts: []string{ten}, Points: []string{"one lock", "..."}}}
	if v := Judge(two, "one lock"); v.Outcome != Incorrect || !slices.Equal(v.Missing, []string{"..."}) {
		t.Errorf("one point is enough: %+v", v)
	}
}

func TestDontKnow(t *testing.T) {
	for said, want := range map[string]bool{
		"I don't know.": true, "i dont know it": true, "i don't know, sorry": true, "i don't knowing": false, "?": true, "？？ ": true, "": true, ".": false, "pass": true, "pass me the salt": false, "dunno": true, "dunno it": false, "non so": true, "non so cosa": true, "non solo": false, "idk": true, "idk it": false,
		"不知道": true, "不知道呢": true, "不会": true, "不会吧": true, "分からないよ": true, "не знаю точно": true, "ring": false, "keine ahnung": true, "weiß nicht genau": true,
	} {
		if got := dontKnow(said); got != want {
			t.Errorf("%q: %v", said, got)
		}
	}
}

func TestSplitAnswers(t *testing.T) {
	for said, want := range map[string]string{
		"": "", "one": "one", "one, two and three": "one|two|three", "eins und zwei": "eins|zwei", "uno e due": "uno|due", "one & two": "one|two", "一和二、三": "一|二|三", "一と二": "一|二", "one; two, too": "one|two, too", "一；二，三": "一|二，三", "one, a\ntwo; b\n": "one, a|two; b", "one, two\n": "one|two", "1. one\n2) two\n- three\n* four\n• five": "one|two|three|four|five", "one,, two, ": "one|two", "-\none": "one",
	} {
		if got := strings.Join(split(said), "|"); got != want {
			t.Errorf("%q has %q, want %q", said, got, want)
		}
	}
}

func TestParts(t *testing.T) {
	want := []string{"root", "stem", "$x^{2}$"}
	for _, c := range []struct {
		said             string
		inOrder          bool
		outcome          Outcome
		why              Why
		sure             bool
		matched, missing int
	}{
		{"root|stem|x^2", true, Correct, Folded, true, 3, 0},
		{"stem|root|x^2", false, Correct, Folded, true, 3, 0},
		{"stem|root|x^2", true, Partial, Missing, false, 1, 2},
		{"root|stem|x^2|leaf", false, Partial, Compare, false, 3, 0},
		{"root|root|stem", false, Partial, Missing, false, 2, 1},
		{"leaf", false, Incorrect, Other, false, 0, 3},
		{"", false, Incorrect, Other, false, 0, 3},
		{"root", true, Partial, Missing, false, 1, 2},
		{"root|stem|x^3", true, Partial, Missing, false, 2, 1},
	} {
		v := judgeParts(want, strings.Split(c.said, "|"), c.inOrder)
		if v.Outcome != c.outcome || v.Why != c.why || v.Sure != c.sure || len(v.Matched) != c.matched || len(v.Missing) != c.missing || v.Sure != (v.Confidence > .9) || v.Confidence >= 1 || !v.Sure && v.Confidence > .7 {
			t.Errorf("%q: %+v", c.said, v)
		}
	}
	if v := judgeParts([]string{"a", "a"}, []string{"a"}, false); v.Outcome != Partial {
		t.Errorf("one part is two: %+v", v)
	}
	gaps := &questions.Question{Kind: questions.Gaps, Answer: questions.Answer{Items: []string{"root", "stem"}}}
	listing := &questions.Question{Kind: questions.Listing, Answer: questions.Answer{Items: []string{"root", "stem"}}}
	if v, w := Judge(gaps, "stem, root"), Judge(listing, "stem, root"); v.Outcome != Incorrect || w.Outcome != Correct {
		t.Errorf("%+v, %+v", v, w)
	}
}

// An order is given by the numbers or letters of the items as they are drawn, or by the items.
func TestOrders(t *testing.T) {
	order := &questions.Question{Kind: questions.Order, Choices: []string{"run", "fetch", "store", "decode"}, Answer: questions.Answer{Items: []string{"fetch", "decode", "run", "store"}}}
	match := &questions.Question{Kind: questions.Match, Left: []string{"fr", "es"}, Choices: []string{"Madrid", "Paris"}, Answer: questions.Answer{Items: []string{"Paris", "Madrid"}}}
	digits := &questions.Question{Kind: questions.Order, Choices: []string{"3", "1", "2"}, Answer: questions.Answer{Items: []string{"1", "2", "3"}}}
	eggs := &questions.Question{Kind: questions.Order, Choices: []string{"boil 1 egg", "boil 2 eggs"}, Answer: questions.Answer{Items: []string{"boil 1 egg", "boil 2 eggs"}}}
	bus := &questions.Question{Kind: questions.Order, Choices: []string{"take a train", "take a bus"}, Answer: questions.Answer{Items: []string{"take a bus", "take a train"}}}
	for _, c := range []struct {
		q    *questions.Question
		said string
		want Outcome
		why  Why
		sure bool
	}{
		{order, "2 4 1 3", Correct, Folded, true},
		{order, "2, 4, 1, 3.", Correct, Folded, true},
		{order, "2→4→1→3", Correct, Folded, true},
		{order, "2) 4) 1) 3)", Correct, Folded, true},
		{order, "2;4;1;3", Correct, Folded, true},
		{order, "two four one three", Correct, Folded, true},
		{order, "b d a c", Correct, Folded, true},
		{order, "B, D, A, C", Correct, Folded, true},
		{order, "fetch > decode -> run → store", Correct, Folded, true},
		{order, "2 fetch 4 decode 1 run 3 store", Correct, Folded, true},
		{order, "2 4 3 1", Partial, Missing, true},
		{order, "2 1 3 4", Incorrect, Other, true},
		{order, "1 2 3 4", Incorrect, Other, true},
		{order, "2 4 1", Incorrect, Other, false},
		{order, "0 2 4 5", Incorrect, Other, false},
		{order, "b d a e", Incorrect, Other, false},
		{order, "fetch, decode, run", Partial, Missing, false},
		{order, "fetch, decode, run, store, stop", Partial, Compare, false},
		{order, "fetch, run, decode, store", Partial, Missing, true},
		{match, "2 1", Correct, Folded, true},
		{match, "Paris, Madrid", Correct, Folded, true},
		{match, "1 2", Incorrect, Other, true},
		{match, "2 2", Partial, Missing, true},
		{digits, "1, 2, 3", Correct, Folded, true},
		{digits, "1 2 3", Correct, Folded, true},
		{digits, "3 1 2", Incorrect, Other, true},
		{eggs, "boil 1 egg, boil 2 eggs", Correct, Folded, true},
		{bus, "take a bus, take a train", Correct, Folded, true},
		{bus, "take a train, take a bus", Incorrect, Other, true},
	} {
		if v := Judge(c.q, c.said); v.Outcome != c.want || v.Why != c.why || v.Sure != c.sure || v.Confidence >= 1 || v.Sure && v.Confidence < .85 {
			t.Errorf("%q for %q: %+v", c.said, c.q.Expected(), v)
		}
	}
}

func TestTruths(t *testing.T) {
	for want, list := range map[bool]string{
		true:  "true yes t y correct right 对 是 正确 真 はい 正しい ○ vero sì si wahr ja richtig",
		false: "false no f n wrong incorrect 错 不是 错误 假 いいえ 誤り 間違い × falso falsch nein",
	} {
		q := &questions.Question{Kind: questions.TrueFalse, Answer: questions.Answer{Texts: []string{map[bool]string{true: "true", false: "false"}[want]}}}
		other := &questions.Question{Kind: questions.TrueFalse, Answer: questions.Answer{Texts: []string{map[bool]string{true: "falsch", false: "wahr"}[want]}}}
		for _, said := range strings.Fields(list) {
			if v := Judge(q, said); v.Outcome != Correct || !v.Sure || v.Confidence != .99 {
				t.Errorf("%s for %v: %+v", said, want, v)
			}
			if v := Judge(other, said); v.Outcome != Incorrect || !v.Sure || v.Why != Other || v.Confidence != .99 {
				t.Errorf("%s for %v: %+v", said, !want, v)
			}
		}
	}
	if v := Judge(&questions.Question{Kind: questions.TrueFalse}, "perhaps"); v.Outcome != Incorrect || v.Sure || v.Why != Compare || v.Confidence != .5 {
		t.Errorf("%+v", v)
	}
	if v := Judge(&questions.Question{Kind: questions.TrueFalse}, "no"); v.Outcome != Correct {
		t.Errorf("%+v", v)
	}
}

func TestChoices(t *testing.T) {
	q := &questions.Question{Choices: []string{"x", "b", "C", "u", "v", "w", "a", "y", "z", "last"}}
	for sign, want := range map[string]string{"1": "x", "9": "z", "10": "last", "11": "", "0": "", "-1": "", "d": "u", "e": "v", "b": "b", "c": "C", "a": "a", "i": "z", "j": "last", "k": "", "x": "", "": "", "dd": "", "1.5": "", "two": "", "é": ""} {
		if got, ok := shown(q, sign); got != want || ok != (want != "") {
			t.Errorf("%q stands for %q %v, want %q", sign, got, ok, want)
		}
	}
}

func TestFormulasAreToldFromWords(t *testing.T) {
	for text, want := range map[string]bool{" $x$": true, "`x`": true, `\pi`: true, "x^2": true, "a=b": true, "x ≤ y": true, "x": false, "a$b$": false, "it`s": false, "": false} {
		if got := notation.IsFormula(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The expected answer is right whatever its items hold: years on the left, arrows on the right.
func TestExpectedPairs(t *testing.T) {
	q := questions.Question{Kind: questions.Match, Left: []string{"1789", "1799", "1804"}, Answer: questions.Answer{Items: []string{"king -> assembly", "assembly > consul", "consul → emperor"}}}
	q.Choices = []string{q.Answer.Items[2], q.Answer.Items[0], q.Answer.Items[1]}
	named := questions.Question{Kind: questions.Match, Left: []string{"Start", "Size"}, Answer: questions.Answer{Items: []string{"seconds", "gigabytes"}}, Choices: []string{"gigabytes", "seconds"}}
	if v := Judge(&named, "size: gigabytes\nSTART – seconds"); v.Outcome != Correct {
		t.Errorf("pairs in another order and case: %+v", v)
	}
	for answer, want := range map[string]Outcome{q.Expected(): Correct, "2 3 1": Correct, "1 2 3": Incorrect} {
		if v := Judge(&q, answer); v.Outcome != want || !v.Sure {
			t.Errorf("%q: %+v", answer, v)
		}
	}
}

func gapOf(prompt string, texts ...string) *questions.Question {
	return &questions.Question{Kind: questions.Gap, Prompt: prompt, Answer: questions.GapFilled(strings.Join(texts, " | "))}
}

func TestJudge(t *testing.T) {
	gap := gapOf("A field is a commutative ____ with unit.", "division ring")
	explain := &questions.Question{Kind: questions.Explain, Answer: questions.Answer{Texts: []string{"For every ε > 0 there is a δ > 0 such that |x − a| < δ implies |f(x) − f(a)| < ε."}, Points: []string{"every", "there", "implies"}}}
	listing := &questions.Question{Kind: questions.Listing, Answer: questions.Answer{Items: []string{"root", "stem", "leaf"}}}
	year := gapOf("It was published in ____.", "1905")
	length := gapOf("A marathon has ____.", "42.195 km")
	formula := gapOf("The area is ____.", `$\pi r^{2}$`)
	order := &questions.Question{Kind: questions.Order, Choices: []string{"fetch", "decode", "run"}, Answer: questions.Answer{Items: []string{"decode", "fetch", "run"}}}
	truth := &questions.Question{Kind: questions.TrueFalse, Answer: questions.Answer{Texts: []string{"false"}}}
	for _, c := range []struct {
		q      *questions.Question
		answer string
		want   Outcome
		why    Why
		sure   bool
	}{
		{gap, "division ring", Correct, Exact, true},
		{gap, "  A Division Ring. ", Correct, Folded, true},
		{gap, "division rings", Correct, Folded, true},
		{gap, "it is a division ring", Correct, Folded, true},
		{gap, "a commutative division ring with unit", Correct, Folded, true},
		{gap, "not a division ring", Incorrect, Negated, true},
		{gap, "divisiom ring", Partial, Spelling, false},
		{gap, "unit commutative division ring field", Partial, Compare, false},
		{gap, "ideal", Incorrect, Other, true},
		{gap, "ring", Incorrect, Other, false},
		{gap, "I don't know", Incorrect, Unknown, true},
		{gap, "", Incorrect, Blank, true},
		{gap, "忘了", Incorrect, Unknown, true},
		{gap, "I have no idea about epsilon and delta or image", Incorrect, Unknown, true},
		{explain, "For every ε > 0 there is a δ > 0 such that |x − a| < δ implies |f(x) − f(a)| < ε", Correct, Folded, true},
		{explain, "For every ε > 0 there is no δ > 0 such that |x − a| < δ implies |f(x) − f(a)| < ε", Incorrect, Negated, false},
		{explain, "For all e>0 exists d>0 with |f(x)-f(a)|<e whenever |x-a|<d", Incorrect, Compare, false},
		{explain, "every there implies", Partial, Compare, false},
		{listing, "leaf, root and stem", Correct, Folded, true},
		{listing, "root, stem", Partial, Missing, false},
		{listing, "root, stem, leaf, bark", Partial, Compare, false},
		{year, "1905", Correct, Exact, true},
		{year, "in the year 1905", Partial, Compare, false},
		{year, "1906", Incorrect, Other, true},
		{length, "42195 m", Correct, InNumber, true},
		{length, "42,195 km", Partial, "", false},
		{length, "42.195", Partial, NoUnit, false},
		{formula, "π*r^2", Incorrect, "", false},
		{formula, `r^2\pi`, Incorrect, "", false},
		{formula, `\pi  r^2`, Correct, InFormula, true},
		{order, "2 1 3", Correct, Folded, true},
		{order, "decode, fetch, run", Correct, Folded, true},
		{order, "1 2 3", Incorrect, Other, true},
		{truth, "No", Correct, Exact, true},
		{truth, "vero", Incorrect, Other, true},
	} {
		v := Judge(c.q, c.answer)
		if c.why == "" {
			if v.Outcome == Correct && c.want != Correct {
				t.Errorf("%q for %q: %+v", c.answer, c.q.Expected(), v)
			}
			continue
		}
		if v.Outcome != c.want || v.Why != c.why || v.Sure != c.sure {
			t.Errorf("%q for %q: %+v, want %s %s %v", c.answer, c.q.Expected(), v, c.want, c.why, c.sure)
		}
	}
}

// A number between two is one with a tolerance.
func TestBetween(t *testing.T) {
	between := questions.Answer{Texts: []string{"1..5"}, Number: true, Value: 3, Tolerance: 2. / 3}
	for said, want := range map[string]Outcome{"1": Correct, "3": Correct, "5": Correct, "5.1": Incorrect, "0.9": Incorrect, "15": Incorrect} {
		if v := Judge(&questions.Question{Kind: questions.Open, Answer: between}, said); v.Outcome != want {
			t.Errorf("%s is between 1 and 5: %+v", said, v)
		}
	}
}
