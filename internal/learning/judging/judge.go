package judging

import (
	"slices"
	"strconv"
	"strings"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"

	"stoa/internal/learning/notation"
)

// Outcome of an answer, in the contract's words.
type Outcome string

// The outcomes.
const (
	Correct   Outcome = "correct"
	Partial   Outcome = "partial"
	Incorrect Outcome = "incorrect"
)

// Why says what a verdict rests on.
type Why string

// What verdicts rest on.
const (
	Exact      Why = "exact"       // it is the expected answer
	Folded     Why = "same_words"  // it is the expected answer but for case, punctuation, articles or order that does not matter
	InNumber   Why = "same_number" // it is the expected number
	InFormula  Why = "same_formula"
	Missing    Why = "parts_missing" // some of the expected parts are there
	Spelling   Why = "spelling"      // it is the expected answer but for a letter or two
	NoUnit     Why = "unit"          // the number is right, its unit is missing or another
	Unknown    Why = "dont_know"     // the learner says so
	Negated    Why = "negated"       // it denies what was expected
	Other      Why = "other"         // it says something else
	Blank      Why = "blank"
	Compare    Why = "compare"     // it cannot be told by rule: compare with the expected answer
	NoQuestion Why = "no_question" // nothing is known of what was asked
)

// Verdict is what is made of an answer.
type Verdict struct {
	Outcome Outcome
	// Sure says that the verdict may count. One that is not sure is a hint for the learner, who judges.
	Sure       bool
	Why        Why
	Confidence float64  // 0..1: that a person would judge the same
	Matched    []string // parts of the expected answer that are there
	Missing    []string // and those that are not
}

// longestAnswer bounds what is read of an answer, in bytes.
const longestAnswer = 20000

// Judge compares an answer with what a question expects.
func Judge(q *questions.Question, answer string) Verdict {
	answer = strings.ToValidUTF8(answer[:min(len(answer), longestAnswer)], "")
	switch {
	case strings.TrimSpace(answer) == "":
		return Verdict{Outcome: Incorrect, Sure: true, Why: Blank, Confidence: .99}
	case dontKnow(answer) && !slices.ContainsFunc(q.Answer.Texts, dontKnow):
		return Verdict{Outcome: Incorrect, Sure: true, Why: Unknown, Confidence: .99}
	}
	switch q.Kind {
	case questions.TrueFalse:
		return judgeTruth(q, answer)
	case questions.Choice:
		return judgeChoice(q, answer)
	case questions.Listing:
		return judgeParts(q.Answer.Items, split(answer), false)
	case questions.Gaps:
		return judgeParts(q.Answer.Items, split(answer), true)
	case questions.Order, questions.Match:
		return judgeOrder(q, answer)
	case questions.Explain:
		return judgeWords(q, answer)
	}
	return judgeShort(q, answer)
}

// judgeShort judges an answer of a word, a name, a number or a formula.
func judgeShort(q *questions.Question, answer string) Verdict {
	a := &q.Answer
	for _, text := range a.Texts {
		if strings.TrimSpace(answer) == strings.TrimSpace(text) {
			return Verdict{Outcome: Correct, Sure: true, Why: Exact, Confidence: .99, Matched: []string{text}}
		}
	}
	for _, text := range a.Texts {
		if sameText(answer, text) {
			return Verdict{Outcome: Correct, Sure: true, Why: Folded, Confidence: .98, Matched: []string{text}}
		}
	}
	if a.Number {
		same, near := sameNumber(answer, a)
		switch {
		case same:
			return Verdict{Outcome: Correct, Sure: true, Why: InNumber, Confidence: .97, Matched: a.Texts[:1]}
		case near:
			return Verdict{Outcome: Partial, Why: NoUnit, Confidence: .6}
		}
		if _, _, number := notation.Number(answer); number {
			return Verdict{Outcome: Incorrect, Sure: true, Why: Other, Confidence: .93}
		}
	}
	for _, text := range a.Texts {
		if notation.IsFormula(text) && notation.Formula(answer) == notation.Formula(text) {
			return Verdict{Outcome: Correct, Sure: true, Why: InFormula, Confidence: .96, Matched: []string{text}}
		}
	}
	said := prose.Words(answer)
	for _, text := range a.Texts {
		want := prose.Words(text)
		if !contains(said, want) {
			continue
		}
		if prose.Negated(said) != prose.Negated(want) {
			return Verdict{Outcome: Incorrect, Sure: true, Why: Negated, Confidence: .9}
		}
		if completed(q, said, text) {
			return Verdict{Outcome: Correct, Sure: true, Why: Folded, Confidence: .95, Matched: []string{text}}
		}
		return Verdict{Outcome: Partial, Why: Compare, Confidence: .5, Matched: []string{text}}
	}
	for _, text := range a.Texts {
		if misspelt(answer, text) {
			return Verdict{Outcome: Partial, Why: Spelling, Confidence: .6, Matched: []string{text}}
		}
	}
	if v := judgeWords(q, answer); len(q.Answer.Texts) > 0 && len(prose.Words(q.Answer.Texts[0])) > 3 {
		return v
	}
	// A paraphrase cannot be told from a mistake by rule: only a short answer that shares no word is surely another.
	sure := len(said) <= 6
	for _, text := range a.Texts {
		for _, w := range prose.Words(text) {
			sure = sure && !slices.ContainsFunc(said, func(s string) bool { return prose.Stem(s) == prose.Stem(w) && !prose.StopWords[w] })
		}
	}
	v := Verdict{Outcome: Incorrect, Sure: sure, Why: Other, Confidence: .7}
	if sure {
		v.Confidence = .85
	}
	return v
}

// completed reports whether what was said is the sentence of the question, or a stretch of it, with the gap filled.
func completed(q *questions.Question, said []string, text string) bool {
	if !strings.Contains(q.Prompt, questions.Blank) {
		return false
	}
	before, after, _ := strings.Cut(q.Prompt, questions.Blank)
	head, want := prose.Words(before), prose.Words(text)
	whole := append(append(slices.Clone(head), want...), prose.Words(after)...)
	for from := 0; from <= len(head); from++ {
		if from+len(said) >= len(head)+len(want) && from+len(said) <= len(whole) && slices.Equal(whole[from:from+len(said)], said) {
			return true
		}
	}
	return false
}

// contains reports whether words stand in others one after the other.
func contains(list, part []string) bool {
	if len(part) == 0 {
		return false
	}
	for i := 0; i+len(part) <= len(list); i++ {
		if slices.Equal(list[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// judgeWords judges an explanation. By rule only one that repeats the expected one is surely right; of any other it can
// say which points are there.
func judgeWords(q *questions.Question, answer string) Verdict {
	said := prose.Words(answer)
	v := Verdict{Outcome: Incorrect, Why: Compare, Confidence: .5}
	told := map[string]bool{}
	for _, w := range said {
		told[prose.Stem(w)] = true
	}
	for _, text := range q.Answer.Texts {
		want := prose.Words(text)
		if len(want) == 0 {
			continue
		}
		if slices.Equal(weighty(said), weighty(want)) {
			return Verdict{Outcome: Correct, Sure: true, Why: Folded, Confidence: .95, Matched: []string{text}}
		}
		// Most of it in its order, and not much else: whoever repeats it denying it says more or less than it. One other word
		// may turn it round, so that it is not right for sure.
		n := prose.Common(want, said)
		if recall, precision := share(n, len(want)), share(n, len(said)); recall >= .9 && precision >= .9 {
			if prose.Denials(said) != prose.Denials(want) {
				return Verdict{Outcome: Incorrect, Why: Negated, Confidence: .7}
			}
			v.Outcome = Partial
		}
	}
	for _, p := range q.Answer.Points {
		words := prose.Words(p)
		hit := 0
		for _, w := range words {
			if told[prose.Stem(w)] {
				hit++
			}
		}
		if len(words) > 0 && hit == len(words) {
			v.Matched = append(v.Matched, p)
		} else {
			v.Missing = append(v.Missing, p)
		}
	}
	if n := len(q.Answer.Points); n > 0 && 2*len(v.Matched) >= n && len(v.Matched) >= 2 && prose.Denials(said) == prose.Denials(prose.Words(q.Expected())) {
		v.Outcome = Partial
	}
	return v
}

// light are words that may be missing or added without changing what a sentence says.
var light = prose.WordSet("a an the that which also very just il lo la i gli le un uno una der die das den dem des ein eine einen einer eines 的 了")

// weighty gives the words of a text in their order, by their stems, without those that do not matter.
func weighty(words []string) []string {
	var list []string
	for _, w := range words {
		if !light[w] {
			list = append(list, prose.Stem(w))
		}
	}
	return list
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

var ignorance = []string{
	"i don't know", "i dont know", "i do not know", "don't know", "dont know", "dunno", "idk", "no idea", "i have no idea", "no clue", "i have no clue", "i forgot", "i forget", "i can't remember", "i cannot remember", "i don't remember", "not sure", "i'm not sure", "i am not sure", "pass", "skip",
	"不知道", "我不知道", "不清楚", "忘了", "我忘了", "不会", "没印象", "わからない", "分からない", "わかりません", "分かりません", "知らない", "知りません", "忘れた", "忘れました", "覚えていない",
	"non lo so", "non so", "non ricordo", "non mi ricordo", "boh", "nessuna idea", "non ne ho idea", "ich weiß nicht", "ich weiss nicht", "weiß nicht", "weiß ich nicht", "keine ahnung", "vergessen", "je ne sais pas", "no sé", "no lo sé", "не знаю", "모르겠어요", "모르겠습니다",
}

// dontKnow reports whether an answer says that the learner does not know, whatever it adds.
func dontKnow(answer string) bool {
	f := prose.Fold(answer)
	if f == "" {
		return strings.Trim(answer, " ?？") == ""
	}
	for _, s := range ignorance {
		if f == s {
			return true
		}
		if rest, ok := strings.CutPrefix(f, s); ok && len(s) > 5 && (s[0] >= 0x80 || strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ",")) {
			return true
		}
	}
	return false
}

// split parts an answer of several: by lines, else by semicolons, else by commas and "and".
func split(answer string) []string {
	cut := "\n"
	switch {
	case strings.ContainsAny(strings.TrimSpace(answer), "\n"):
	case strings.ContainsAny(answer, ";；"):
		cut = ";；"
	default:
		cut = ",，、"
		for _, and := range []string{" and ", " und ", " e ", " & ", "和", "と"} {
			answer = strings.ReplaceAll(answer, and, ", ")
		}
	}
	var list []string
	for _, p := range strings.FieldsFunc(answer, func(r rune) bool { return strings.ContainsRune(cut, r) }) {
		p = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(p), "-*•0123456789.) "))
		if p == "" {
			continue
		}
		list = append(list, p)
	}
	return list
}

// judgeParts judges several answers at once.
func judgeParts(want, said []string, inOrder bool) Verdict {
	v := Verdict{Why: Missing}
	used := make([]bool, len(said))
	for i, w := range want {
		found := false
		for k, s := range said {
			if used[k] || inOrder && k != i {
				continue
			}
			if sameText(s, w) || notation.IsFormula(w) && notation.Formula(s) == notation.Formula(w) {
				used[k], found = true, true
				break
			}
		}
		if found {
			v.Matched = append(v.Matched, w)
		} else {
			v.Missing = append(v.Missing, w)
		}
	}
	wrong := 0
	for _, u := range used {
		if !u {
			wrong++
		}
	}
	switch {
	case len(v.Missing) == 0 && wrong == 0:
		v.Outcome, v.Sure, v.Why, v.Confidence = Correct, true, Folded, .97
	case len(v.Missing) == 0:
		v.Outcome, v.Why, v.Confidence = Partial, Compare, .6
	case len(v.Matched) > 0:
		v.Outcome, v.Confidence = Partial, .7
	default:
		v.Outcome, v.Why, v.Confidence = Incorrect, Other, .7
	}
	return v
}

// judgeOrder judges items put in order: as numbers or letters of the items as they are shown, or as the items.
func judgeOrder(q *questions.Question, answer string) Verdict {
	want := q.Answer.Items
	if sameText(answer, q.Expected()) { // its items may hold numbers and arrows, which part others
		return Verdict{Outcome: Correct, Sure: true, Why: Folded, Confidence: .97, Matched: want}
	}
	said := split(strings.NewReplacer("→", "\n", "->", "\n", ">", "\n").Replace(answer))
	if q.Kind == questions.Match && len(said) == len(q.Left) {
		said = rightSides(q, said)
	}
	v := judgeParts(want, said, true)
	if v.Outcome == Correct {
		return v
	}
	if signs := signs(q, answer); len(signs) == len(want) {
		said = signs
		v = judgeParts(want, said, true)
	}
	if len(v.Missing) > 0 && len(said) == len(want) {
		v.Outcome, v.Sure, v.Why, v.Confidence = Incorrect, true, Other, .9
		if 2*len(v.Matched) >= len(want) {
			v.Outcome, v.Why = Partial, Missing
		}
	}
	return v
}

// rightSides takes the left sides off pairs, "Start – takes a second", in whatever order they come; what is no pair stays.
func rightSides(q *questions.Question, said []string) []string {
	out := slices.Clone(said)
	for _, s := range said {
		for i, left := range q.Left {
			ok := len(s) > len(left) && strings.EqualFold(s[:len(left)], left)
			rest := s[min(len(left), len(s)):]
			if right := strings.TrimLeft(rest, " :-=–—："); ok && right != "" && strings.ContainsAny(rest[:len(rest)-len(right)], ":-=–—：") {
				out[i] = right
				break
			}
		}
	}
	return out
}

// signs gives the choices that an answer names by number or letter; by number alone where it says more than that.
func signs(q *questions.Question, answer string) []string {
	var all, numbers []string
	words := strings.FieldsFunc(answer, func(r rune) bool { return strings.ContainsRune(" ,;>→\n", r) })
	for _, w := range words {
		w = strings.Trim(w, ".)-:= ")
		n, unit, counts := notation.Number(w)
		if counts = counts && unit == ""; counts {
			w = strconv.Itoa(int(n)) // "two" and "二" too
		}
		if choice, ok := shown(q, w); ok {
			all = append(all, choice)
			if counts {
				numbers = append(numbers, choice)
			}
		}
	}
	if len(all) == len(words) {
		return all
	}
	return numbers
}

// shown gives the choice that a number or a letter stands for; a choice that is itself such a sign stands for itself.
func shown(q *questions.Question, sign string) (choice string, ok bool) {
	f := prose.Fold(sign)
	n, err := strconv.Atoi(f)
	if err != nil && len(f) == 1 {
		n = int(f[0]) - 'a' + 1
	}
	if n < 1 || n > len(q.Choices) {
		return "", false
	}
	if k := slices.IndexFunc(q.Choices, func(c string) bool { return prose.Fold(c) == f }); k >= 0 {
		return q.Choices[k], true
	}
	return q.Choices[n-1], true
}

var truths = map[string]bool{
	"true": true, "yes": true, "t": true, "y": true, "correct": true, "right": true, "对": true, "是": true, "正确": true, "真": true, "はい": true, "正しい": true, "○": true, "vero": true, "sì": true, "si": true, "wahr": true, "ja": true, "richtig": true,
	"false": false, "no": false, "f": false, "n": false, "wrong": false, "incorrect": false, "错": false, "不是": false, "错误": false, "假": false, "いいえ": false, "誤り": false, "間違い": false, "×": false, "falso": false, "falsch": false, "nein": false,
}

func judgeTruth(q *questions.Question, answer string) Verdict {
	want := len(q.Answer.Texts) > 0 && truths[prose.Fold(q.Answer.Texts[0])]
	got, known := truths[prose.Fold(answer)]
	switch {
	case !known:
		return Verdict{Outcome: Incorrect, Why: Compare, Confidence: .5}
	case got == want:
		return Verdict{Outcome: Correct, Sure: true, Why: Exact, Confidence: .99}
	}
	return Verdict{Outcome: Incorrect, Sure: true, Why: Other, Confidence: .99}
}

func judgeChoice(q *questions.Question, answer string) Verdict {
	given := answer
	if choice, ok := shown(q, answer); ok {
		given = choice
	}
	for _, text := range q.Answer.Texts {
		if sameText(given, text) {
			return Verdict{Outcome: Correct, Sure: true, Why: Exact, Confidence: .99, Matched: []string{text}}
		}
	}
	sure := slices.ContainsFunc(q.Choices, func(c string) bool { return sameText(given, c) })
	return Verdict{Outcome: Incorrect, Sure: sure, Why: Other, Confidence: .9}
}
