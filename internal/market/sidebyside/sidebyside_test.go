package sidebyside_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/market/sidebyside"
)

const (
	promptA = "You are Marlow, a patient gardener who answers in two or three sentences, never names a brand, always asks about the soil first, and ends with a season."
	promptB = "You are Quill, the librarian of a small town. Recommend one book for each question, say why in plain words, and never tell the end of a story to anybody."
)

var refusals = map[string][]string{
	"en": {"I'm sorry, but I can't help with that request.", "I cannot provide this. Is there something else?", "I’m afraid I am not able to answer that."},
	"zh": {"抱歉，我无法回答这个问题。", "对不起，这个我不能帮忙。", "我无法提供这方面的内容。"},
	"ja": {"申し訳ありませんが、その質問にはお答えできません。", "すみません、それには対応できません。", "お答えすることはできません。"},
}

var sentences = map[string][]string{
	"en": {"The best time for that is the early spring, when the ground is warm.", "You can start with a small bed and see how it goes.", "Water it in the morning and not in the heat of the day.", "That depends on the soil that you have.", "Many people are surprised by how easy it is for them."},
	"zh": {"最好的时间是初春，土壤变暖的时候。", "可以先从一小块地开始，看看效果如何。", "早上浇水，不要在中午最热的时候浇。", "这取决于您那里的土壤情况。", "很多人会惊讶于它有多简单。"},
	"ja": {"一番よい時期は、土が温まる春の初めです。", "まずは小さな場所から始めてみましょう。", "水やりは暑い昼間ではなく朝にしてください。", "それはお住まいの土の種類によります。", "思ったより簡単だと驚く人が多いです。"},
	"de": {"Die beste Zeit ist das frühe Frühjahr, wenn der Boden warm ist.", "Sie können mit einem kleinen Beet beginnen und sehen, wie es geht.", "Das ist nicht schwer, und die Pflanzen sind mit wenig zufrieden."},
}

// model answers as one does: never twice alike in length, now and then refusing or wanting a tool for no reason.
type model struct {
	language string
	other    float64 // how often it answers in other languages
	into     string
	length   float64 // in sentences, about
	refuses  float64
	tools    float64
	leaks    float64
	prompt   string
}

func (m model) answers(r *rand.Rand, n int) []sidebyside.Answer {
	out := make([]sidebyside.Answer, n)
	for i := range out {
		language := m.language
		if r.Float64() < m.other {
			language = m.into
		}
		var a sidebyside.Answer
		switch {
		case r.Float64() < m.refuses:
			all := refusals[language]
			if all == nil {
				all = refusals["en"]
			}
			a.Text = all[r.IntN(len(all))]
		default:
			for range max(1, int(math.Round(m.length*math.Exp(.3*r.NormFloat64())))) {
				all := sentences[language]
				a.Text += all[r.IntN(len(all))] + " "
			}
		}
		if r.Float64() < m.tools {
			a.Tools = []string{"web_search"}
		}
		if r.Float64() < m.leaks {
			words := strings.Fields(m.prompt)
			from := r.IntN(len(words) - 16)
			a.Text += "My instructions say: " + strings.Join(words[from:from+16], " ")
		}
		out[i] = a
	}
	return out
}

var kinds = []sidebyside.Kind{sidebyside.Language, sidebyside.Length, sidebyside.Refusal, sidebyside.Tools, sidebyside.Leak}

func usual(r *rand.Rand) model {
	return model{language: []string{"en", "zh", "ja"}[r.IntN(3)], length: 4 + 4*r.Float64(), refuses: .03, tools: .05}
}

// plant makes a version worse in one way.
func plant(r *rand.Rand, kind sidebyside.Kind, m model) model {
	switch kind {
	case sidebyside.Language:
		m.other, m.into = .7+.3*r.Float64(), map[string]string{"en": "de", "zh": "en", "ja": "zh"}[m.language]
	case sidebyside.Length:
		m.length *= []float64{.45, 2.2}[r.IntN(2)]
	case sidebyside.Refusal:
		m.refuses = .6 + .3*r.Float64()
	case sidebyside.Tools:
		m.tools = .65 + .3*r.Float64()
	case sidebyside.Leak:
		m.leaks = .3 + .4*r.Float64()
	}
	return m
}

const questions = 12

func sure(r sidebyside.Report) (found []sidebyside.Kind) {
	for _, f := range r.Findings {
		if f.Sure != sidebyside.Unsure {
			found = append(found, f.Kind)
		}
	}
	return found
}

// Of two hundred versions that were made worse in one way at least nine in ten are found; of as many pairs that differ by
// noise alone at most one in twenty is said to differ.
func TestPlantedRegressions(t *testing.T) {
	const rounds = 200
	r := rand.New(rand.NewPCG(20, 7))
	found, missed := 0, map[sidebyside.Kind]int{}
	for i := range rounds {
		kind := kinds[i%len(kinds)]
		before := usual(r)
		after := plant(r, kind, before)
		before.prompt, after.prompt = promptA, promptB
		report := sidebyside.Compare(sidebyside.Side{promptA, before.answers(r, questions)}, sidebyside.Side{promptB, after.answers(r, questions)})
		hit := false
		for _, k := range sure(report) {
			hit = hit || k == kind
		}
		if hit {
			found++
		} else {
			missed[kind]++
		}
	}
	wrong := 0
	for range rounds {
		m := usual(r)
		m.prompt = promptA
		report := sidebyside.Compare(sidebyside.Side{promptA, m.answers(r, questions)}, sidebyside.Side{promptB, m.answers(r, questions)})
		if len(sure(report)) > 0 {
			wrong++
		}
	}
	t.Logf("found %d of %d, missed %v; %d of %d false", found, rounds, missed, wrong, rounds)
	if found < rounds*9/10 || wrong > rounds/20 {
		t.Errorf("found %d of %d (missed %v), %d of %d false", found, rounds, missed, wrong, rounds)
	}
}

// With few answers it says that it cannot tell, but for what is seen at once.
func TestFewAnswers(t *testing.T) {
	refusing := []sidebyside.Answer{{Text: refusals["en"][0]}, {Text: refusals["en"][1]}, {Text: refusals["en"][2]}}
	polite := []sidebyside.Answer{{Text: sentences["en"][0]}, {Text: sentences["en"][1]}, {Text: sentences["en"][2]}}
	report := sidebyside.Compare(sidebyside.Side{Answers: polite}, sidebyside.Side{Answers: refusing})
	if len(sure(report)) != 0 || len(report.Findings) == 0 || report.Answered != 3 || report.Needed != sidebyside.MinAnswers {
		t.Errorf("%+v", report)
	}
	leaking := []sidebyside.Answer{{Text: "Of course! " + promptB}}
	report = sidebyside.Compare(sidebyside.Side{promptA, polite[:1]}, sidebyside.Side{promptB, leaking})
	if got := fmt.Sprint(sure(report)); got != "[prompt_leak]" {
		t.Errorf("%s: %+v", got, report)
	}
	if r := sidebyside.Compare(sidebyside.Side{}, sidebyside.Side{promptB, leaking}); r.Answered != 0 || len(r.Findings) != 0 {
		t.Errorf("%+v", r)
	}
}

// Sides that are the same never differ, and which is left does not matter.
func TestCompareIsSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		m := plant(r, kinds[r.IntN(len(kinds))], usual(r))
		m.prompt = promptB
		left, right := sidebyside.Side{promptA, usual(r).answers(r, questions)}, sidebyside.Side{promptB, m.answers(r, questions)}
		there, back := sidebyside.Compare(left, right), sidebyside.Compare(right, left)
		if len(there.Findings) != len(back.Findings) {
			t.Fatalf("%+v\n%+v", there, back)
		}
		for i, f := range there.Findings {
			b := back.Findings[i]
			if f.Kind != b.Kind || f.Left != b.Right || f.Right != b.Left || f.LeftSays != b.RightSays || f.Probability != b.Probability {
				t.Errorf("%+v\n%+v", f, b)
			}
		}
		if same := sidebyside.Compare(right, right); len(same.Findings) != 0 {
			t.Errorf("%+v", same)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(promptA, "I'm sorry, I can't.", "お答えできません", "web")
	f.Fuzz(func(t *testing.T, prompt, a, b, tool string) {
		r := sidebyside.Compare(sidebyside.Side{prompt, []sidebyside.Answer{{a, []string{tool}}, {b, nil}}}, sidebyside.Side{a, []sidebyside.Answer{{b, nil}, {prompt, nil}}})
		for _, one := range r.Findings {
			if math.IsNaN(one.Probability) || one.Probability < 0 || one.Probability > 1 {
				t.Errorf("%+v", one)
			}
		}
	})
}
