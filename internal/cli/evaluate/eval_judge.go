package evaluate

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"text/tabwriter"
	"unicode"

	"stoa/internal/cli"
	"stoa/internal/learning/judging"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"
)

type evalJudgeCmd struct {
	Notes  string `arg:"" help:"Folder of Markdown notes, whose questions are answered in ways that are right or wrong for sure." type:"existingdir"`
	Misses bool   `help:"List the answers that were judged wrongly."`
}

type judgeFigure struct {
	Answers   string  `json:"answers"`
	N         int     `json:"n"`
	Correct   float64 `json:"judged_correct"`
	Sure      float64 `json:"sure"`
	WantRight bool    `json:"are_right"`
}

type judgeFigures struct {
	Questions int           `json:"questions"`
	Figures   []judgeFigure `json:"figures"`
	Misses    []string      `json:"misses,omitempty"`
}

// said is what is known when an answer is made up.
type said struct {
	q        *questions.Question
	expected string
	words    []string // of the note
	rng      *rand.Rand
}

func (s *said) pick(list []string) string { return list[s.rng.IntN(len(list))] }

func (s *said) three() string {
	return s.pick(s.words) + " " + s.pick(s.words) + " " + s.pick(s.words)
}

// answers are ways to answer that are right or wrong for sure; "" is none.
var answers = []struct {
	name   string
	right  bool
	answer func(s *said) string
}{
	{"the expected answer", true, func(s *said) string { return s.expected }},
	{"in other case and punctuation", true, func(s *said) string {
		upper := strings.ToUpper(s.expected)
		if strings.ContainsAny(s.expected, "$\\`") || !strings.EqualFold(upper, s.expected) {
			return "" // case means something there
		}
		return upper + " ."
	}},
	{"with blanks, quotes and a full stop", true, func(s *said) string { return "  “" + strings.TrimRight(s.expected, ".。 ") + "”。 " }},
	{"with words before or behind it", true, func(s *said) string {
		if !short(s.q) {
			return ""
		}
		return fmt.Sprintf(s.pick(politeAnswers), s.expected)
	}},
	{"It is not true that … (three words of the note)", false, func(s *said) string { return "It is not true that " + s.three() }},
	{"It is not true that … (the expected answer)", false, func(s *said) string { return "It is not true that " + s.expected }},
	{"other denials of the expected answer", false, func(s *said) string { return fmt.Sprintf(s.pick(denials), s.expected) }},
	{"the expected answer or another", false, func(s *said) string {
		if !short(s.q) {
			return ""
		}
		return s.expected + s.pick([]string{" or ", " / ", "、", " oder ", " o ", "或者", "か"}) + s.pick(s.words)
	}},
	{"another number near the expected", false, func(s *said) string {
		v := s.q.Answer.Value
		if !s.q.Answer.Number || v == 0 {
			return ""
		}
		near := []float64{v + 1 + v*s.q.Answer.Tolerance, v*1.1 + 1, v * 10, -v, v - 1 - v*s.q.Answer.Tolerance}
		return fmt.Sprint(near[s.rng.IntN(len(near))]) + " " + s.q.Answer.Unit
	}},
	{"an explanation with one telling word changed", false, changed},
	{"three words of the note", false, func(s *said) string { return s.three() }},
	{"all words of the question", false, func(s *said) string { return strings.ReplaceAll(s.q.Prompt, "____", "") }},
	{"empty talk", false, func(s *said) string { return s.pick(emptyTalk) }},
	{"I don't know", false, func(*said) string { return "I don't know" }},
}

var (
	politeAnswers = []string{"The answer is %s", "I think it is %s", "It's %s.", "答案是%s", "是%s", "%sです", "答えは%sです", "È %s", "La risposta è %s", "Die Antwort ist %s", "%s, I think", "%s!"}
	denials       = []string{"not %s", "%s is wrong", "anything but %s", "definitely not %s", "the opposite of %s", "%s? No.", "everything except %s", "It isn't %s", "false: %s", "no, %s is what people wrongly say", "non è %s", "falso: %s", "nicht %s", "%s ist falsch", "alles außer %s", "不是%s", "并非%s", "除了%s以外的", "%s是错的", "%sではない", "%sではありません", "%s以外", "%sじゃない", "%sは間違い"}
	// emptyTalk is said of anything.
	emptyTalk = []string{
		"It depends on the context and on what one wants to do.", "This is an important concept that is used in many places.", "I have no idea about it, or the other thing", "It is the thing from the note.", "Something we learned last week, with several properties and a definition.", "the concept", "A term. It has a meaning which is explained in the note.", "yes", "everything", "the same as above", "see note", "asdf", "...", "42",
		"这是一个很重要的概念。", "就是笔记里说的那个。", "它有很多用途和特点。", "とても大事なことです。", "ノートに書いてあるとおりです。", "いろいろな場面で使われるものです。", "È un concetto molto importante.", "Quello che c'è scritto negli appunti.", "Das ist sehr wichtig.", "Das hängt davon ab, wie man es sieht.",
	}
)

func short(q *questions.Question) bool {
	return (q.Kind == questions.Open || q.Kind == questions.Gap) && len(prose.Words(q.Expected())) <= 4 && !strings.ContainsAny(q.Expected(), "$`\n")
}

// changed gives an explanation in which a telling word is another of the note.
func changed(s *said) string {
	fields := strings.Fields(s.expected)
	if s.q.Kind != questions.Explain || len(fields) < 8 {
		return ""
	}
	for range 20 {
		k := s.rng.IntN(len(fields))
		other := s.pick(s.words)
		telling := func(w string) bool {
			return len(w) > 5 && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
		}
		if telling(fields[k]) && telling(other) && !strings.EqualFold(fields[k][:4], other[:4]) {
			fields[k] = other
			return strings.Join(fields, " ")
		}
	}
	return ""
}

// Run answers every question of a folder of notes rightly and wrongly, and says how that is judged.
func (c *evalJudgeCmd) Run(o cli.Output) error {
	_, built, err := ReadVault(c.Notes)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(20261122, 3))
	r := judgeFigures{Figures: make([]judgeFigure, len(answers))}
	sure, right := make([]int, len(answers)), make([]int, len(answers))
	for i := range built.Units {
		u := &built.Units[i]
		words := strings.Fields(u.Words())
		for _, q := range questions.Derive(u) {
			if q.Expected() == "" || len(words) < 6 {
				continue
			}
			r.Questions++
			s := said{&q, AnswerTo(&q), words, rng}
			for k, a := range answers {
				answer := a.answer(&s)
				if answer == "" {
					continue
				}
				v := judging.Judge(&q, answer)
				r.Figures[k].N++
				if v.Outcome == judging.Correct {
					right[k]++
				}
				if v.Sure {
					sure[k]++
				}
				if c.Misses && (v.Outcome == judging.Correct) != a.right {
					r.Misses = append(r.Misses, fmt.Sprintf("%s | %q judged %s (%s) for %q, key %q", a.name, answer, v.Outcome, v.Why, q.Prompt, q.Expected()))
				}
			}
		}
	}
	for k, a := range answers {
		f := &r.Figures[k]
		f.Answers, f.WantRight, f.Correct, f.Sure = a.name, a.right, ratioOf(right[k], f.N), ratioOf(sure[k], f.N)
	}
	return o.Print(r, r.write)
}

func (r *judgeFigures) write(w io.Writer) {
	fmt.Fprintf(w, "%d questions\n", r.Questions)
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(t, "answers\tn\tjudged correct\tsure")
	for _, f := range r.Figures {
		fmt.Fprintf(t, "%s\t%d\t%.4f\t%.4f\n", f.Answers, f.N, f.Correct, f.Sure)
	}
	t.Flush()
	for _, m := range r.Misses {
		fmt.Fprintln(w, m)
	}
}
