package tutor

import (
	"strings"
	"testing"

	"stoa/internal/learning/judging"
	"stoa/internal/learning/questions"
)

var capital = Subject{
	Title: "France", Content: "France is a country in Europe. Its capital is Paris.", Keywords: []string{"country", "Europe", "capital", "Paris"},
	Question: &questions.Question{Kind: questions.Open, Prompt: "What is the capital of France?", Answer: questions.Answer{Texts: []string{"Paris"}}},
}

// Each action is spoken of in the learner's language, with the names of what it is about and nothing left to fill in.
func TestSay(t *testing.T) {
	bare := capital
	bare.Question = nil
	beside := bare
	beside.Neighbour = "Belgium"
	for _, c := range []struct {
		action  Action
		subject Subject
		holds   []string
		next    string
		sure    float64
	}{
		{Quiz, capital, []string{capital.Question.Prompt}, "analyze_answer", .81},
		{Quiz, bare, []string{"France"}, "analyze_answer", .81},
		{Transfer, bare, []string{"France"}, "analyze_answer", .81},
		{Transfer, beside, []string{"France", "Belgium"}, "analyze_answer", .81},
		{Counterexample, bare, []string{"France"}, "analyze_answer", .81},
		{FollowUp, bare, []string{"France"}, "analyze_answer", .74},
		{Recap, capital, []string{"France", capital.Content}, "generate_quiz", .87},
	} {
		said := map[string]bool{}
		for _, language := range []string{"en", "zh", "ja", "fr"} {
			r := Say(c.action, c.subject, "", language)
			for _, part := range c.holds {
				if !strings.Contains(r.Message, part) {
					t.Errorf("%s in %s says %q without %q", c.action, language, r.Message, part)
				}
			}
			if strings.ContainsAny(r.Message, "{}") || r.Analysis != nil || r.Confidence != c.sure || r.Suggested[0] != c.next {
				t.Errorf("%s in %s: %+v", c.action, language, r)
			}
			said[r.Message] = true
		}
		if ownWords := c.action != Recap && (c.action != Quiz || c.subject.Question == nil); ownWords != (len(said) == 3) {
			t.Errorf("%s: %d wordings for English, Chinese, Japanese and French as English", c.action, len(said))
		}
	}
	if Say(Transfer, beside, "", "en").Message == Say(Transfer, bare, "", "en").Message {
		t.Error("the neighbour makes no difference")
	}
}

// What is said of an answer, counts of it, and names its error.
func TestAnswersAreAnalysed(t *testing.T) {
	list := capital
	list.Question = &questions.Question{Kind: questions.Listing, Prompt: "Name the colours.", Answer: questions.Answer{Items: []string{"blue", "white", "red", "green"}}}
	bare := capital
	bare.Question = nil
	for _, c := range []struct {
		subject  Subject
		answer   string
		outcome  Outcome
		tag      string
		doubtful bool
		begins   string
		overlap  float64
	}{
		{capital, "Paris", Correct, "", false, "Correct.", 1},
		{capital, "Berlin", Incorrect, "retrieval_failure", false, "Not correct. The expected answer:", 0},
		{capital, "It is not Paris", Incorrect, "concept_boundary", false, "Not correct. The expected answer:", 0},
		{capital, "I don't know", Incorrect, "retrieval_failure", false, "This is the answer:", 0},
		{capital, " ", Incorrect, "retrieval_failure", false, "This is the answer:", 0},
		{list, "blue, white", Partial, "reasoning_jump", true, "Compare your answer with the expected one:", .5},
		{bare, "A country in Europe whose capital is Paris", Partial, "reasoning_jump", true, "Compare your answer with the expected one:", 1},
		{bare, "I don't know", Incorrect, "retrieval_failure", false, "This is the answer:", 0},
	} {
		r := Say(AnalyzeAnswer, c.subject, c.answer, "en")
		a := r.Analysis
		if a == nil {
			t.Errorf("%q is not analysed", c.answer)
			continue
		}
		if a.Outcome != c.outcome || a.ErrorTag != c.tag || a.Doubtful != c.doubtful || !strings.HasPrefix(r.Message, c.begins) || a.Overlap != c.overlap || r.Confidence != a.Confidence {
			t.Errorf("%q: %+v\n%s", c.answer, *a, r.Message)
		}
		if c.subject.Question == nil {
			if !strings.HasSuffix(r.Message, capital.Content) || c.doubtful && (a.Confidence > .5 || a.Why != judging.NoQuestion) {
				t.Errorf("without a question: %+v\n%s", *a, r.Message)
			}
		} else if a.Expected == "" || !strings.HasSuffix(r.Message, a.Expected) {
			t.Errorf("%q is told %q, expected %q", c.answer, r.Message, a.Expected)
		}
	}
}

// A note that is repeated ends with a sentence where one ends in its second half, and says otherwise that it goes on.
func TestOpening(t *testing.T) {
	sentence := strings.Repeat("word ", 99) + "end."
	for text, want := range map[string]string{
		"  short  ":                                               "short",
		strings.Repeat("x", shown):                                strings.Repeat("x", shown),
		strings.Repeat("x", shown+1):                              strings.Repeat("x", shown) + "…",
		sentence + " " + strings.Repeat("y", shown):               sentence,
		"Begin. " + strings.Repeat("z", shown):                    "Begin. " + strings.Repeat("z", shown-7) + "…",
		strings.Repeat("字", 500) + "。" + strings.Repeat("字", 500): strings.Repeat("字", 500) + "。",
	} {
		if got := opening(text); got != want {
			t.Errorf("%.20q…: %q, want %q", text, got, want)
		}
	}
}

func TestForKind(t *testing.T) {
	for kind, want := range map[string]Action{"quiz": Quiz, "review": Quiz, "transfer": Transfer, "counterexample": Counterexample, "explain": Recap, "reflection": Recap} {
		if got := ForKind(kind); got != want {
			t.Errorf("%s is %s, want %s", kind, got, want)
		}
	}
}
