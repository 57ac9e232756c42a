package tutor

import (
	"stoa/internal/learning/judging"
	"stoa/internal/learning/questions"
)

// Outcome of an answer, in the contract's words.
type Outcome = judging.Outcome

// The outcomes that an analysis gives.
const (
	Correct   = judging.Correct
	Partial   = judging.Partial
	Incorrect = judging.Incorrect
)

// Analysis is what is made of an answer.
type Analysis struct {
	Outcome    Outcome
	ErrorTag   string
	Confidence float64  // 0..1: that a person would judge the same
	Overlap    float64  // 0..1: the share of the expected parts that the answer has
	Matched    []string // those parts
	// Doubtful says that the outcome must not count for or against the learner.
	Doubtful bool
	Why      judging.Why
	Expected string
}

// errorTagOf names the kind of error, by what the verdict rests on.
func errorTagOf(v *judging.Verdict) string {
	switch {
	case v.Outcome == Correct:
		return ""
	case v.Outcome == Partial:
		return "reasoning_jump"
	case v.Why == judging.Negated:
		return "concept_boundary"
	}
	return "retrieval_failure"
}

// analyze judges an answer to the subject's question. Without one nothing is known of what was asked: the answer is
// compared with the note, and the verdict is doubtful.
func analyze(s *Subject, answer string) Analysis {
	q := s.Question
	if q == nil {
		q = &questions.Question{Kind: questions.Explain, Prompt: s.Title, Answer: questions.Answer{Texts: []string{opening(s.Content)}, Points: s.Keywords[:min(len(s.Keywords), mostKeys)]}}
	}
	v := judging.Judge(q, answer)
	if s.Question == nil && v.Why != judging.Blank && v.Why != judging.Unknown {
		v.Sure, v.Why, v.Confidence = false, judging.NoQuestion, min(v.Confidence, .5)
	}
	a := Analysis{Outcome: v.Outcome, ErrorTag: errorTagOf(&v), Confidence: v.Confidence, Matched: v.Matched, Doubtful: !v.Sure, Why: v.Why, Expected: q.Expected()}
	if n := len(v.Matched) + len(v.Missing); n > 0 {
		a.Overlap = float64(len(v.Matched)) / float64(n)
	}
	return a
}

// mostKeys bounds the words of a note that an answer to nothing in particular is compared with.
const mostKeys = 24
