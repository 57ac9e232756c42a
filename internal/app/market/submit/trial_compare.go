package submit

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/market/sidebyside"
	"stoa/internal/platform/errs"
)

// TrialCompareInput are the answers of two personas to the same questions, in the questions' order. Nothing of it is kept.
type TrialCompareInput struct {
	UserID string    `json:"user_id"`
	Left   TrialSide `json:"left"`
	Right  TrialSide `json:"right"`
}

// TrialSide is one persona with its answers.
type TrialSide struct {
	SystemPrompt string        `json:"system_prompt"`
	Answers      []TrialAnswer `json:"answers"`
}

// TrialAnswer is what was said to one question.
type TrialAnswer struct {
	Text  string   `json:"text"`
	Tools []string `json:"tools"`
}

// CompareTrials names the differences that matter between two personas.
func (a *Service) CompareTrials(_ context.Context, c core.Caller, in TrialCompareInput) (sidebyside.Report, error) {
	if _, err := c.Member(in.UserID); err != nil {
		return sidebyside.Report{}, err
	}
	size := 0
	for _, s := range []TrialSide{in.Left, in.Right} {
		size += len(s.SystemPrompt)
		for _, one := range s.Answers {
			size += len(one.Text)
		}
	}
	if size > mostTrialText {
		return sidebyside.Report{}, errs.Invalid("answers", "must have at most 256 KiB of text together with the prompts")
	}
	return sidebyside.Compare(in.Left.side(), in.Right.side()), nil
}

func (s TrialSide) side() sidebyside.Side {
	out := sidebyside.Side{SystemPrompt: s.SystemPrompt}
	for _, one := range s.Answers {
		out.Answers = append(out.Answers, sidebyside.Answer(one))
	}
	return out
}
