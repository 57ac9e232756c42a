package propose

import (
	"strings"

	"stoa/internal/learning/judging"
	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"
)

// Checked is what the second call said.
type Checked struct {
	Found  bool
	Answer string
}

// ReadCheck reads what a model said to Check; ok is false when that cannot be read.
func ReadCheck(text string) (out Checked, ok bool) {
	var said struct {
		Found  *bool   `json:"found"`
		Answer *string `json:"answer"`
	}
	if !object(text, &said) || said.Found == nil {
		return Checked{}, false
	}
	out.Found = *said.Found
	if said.Answer != nil {
		out.Answer = clip(strings.TrimSpace(*said.Answer), longestAnswer)
	}
	return out, !out.Found || out.Answer != ""
}

// mostAround are the words that an answer may have beside the expected one.
const mostAround = 8

// Agrees compares the answer of the second call with the proposed one as an answer of a learner is compared, and says why
// they do not agree. An answer in a whole sentence agrees when the expected one stands in it and little else; an
// explanation when it has half of the points and denies nothing of them.
func Agrees(p *Proposal, c Checked) Reason {
	if !c.Found {
		return NotFound
	}
	q := p.Question("")
	v := judging.Judge(&q, c.Answer)
	switch {
	case v.Outcome == judging.Correct:
		return ""
	case v.Outcome != judging.Partial:
		return Disagrees
	case q.Kind == questions.Explain && len(q.Answer.Points) > 1:
		return ""
	case v.Why == judging.Compare && len(v.Matched) > 0 && len(prose.Words(c.Answer)) <= len(prose.Words(v.Matched[0]))+mostAround:
		return ""
	}
	return Disagrees
}
