package cards

import (
	"context"
	"maps"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/learning/mastery"
	"stoa/internal/learning/questions"
	"stoa/internal/learning/retirement"
	"stoa/internal/platform/store"
)

// RetirementProposal says why a question is proposed for retirement: its answers say nothing of what is known.
type RetirementProposal struct {
	Reason   string  `json:"reason"`
	Answers  float64 `json:"answers"`
	Right    float64 `json:"right"`    // a partial answer is half right
	Expected float64 `json:"expected"` // right answers, by what was known of the concept before each
	Odds     float64 `json:"odds"`     // how many times likelier the answers are for the reason than for a good question
	// More are the answers for which more than usual for this question was expected, Less the others.
	More RetirementPart `json:"more"`
	Less RetirementPart `json:"less"`
	// Kept says that the learner keeps it; it is proposed again once there are twice as many answers.
	Kept bool `json:"kept"`
}

// RetirementPart sums up some of the answers to a question.
type RetirementPart struct {
	Answers float64 `json:"answers"`
	Right   float64 `json:"right"`
}

// retirementOf gives what speaks for the retirement of a question that is asked; nil is nothing.
func (a *Service) retirementOf(ctx context.Context, q *questions.Question, figures *learner.AnswerFigures) (*RetirementProposal, error) {
	if q.State != questions.Active || figures.Tallies[q.ID].Answers < retirement.Fewest {
		return nil, nil
	}
	var answers retirement.Answers
	if err := a.Store.QuestionAnswers(ctx, figures.UserID, q.ID, func(_ string, expected int, right, wrong int64) { answers.Put(expected, right, wrong) }); err != nil {
		return nil, err
	}
	v := answers.Judge()
	if v.Reason == "" {
		return nil, nil
	}
	return &RetirementProposal{
		Reason: string(v.Reason), Answers: v.Answers, Right: v.Right, Expected: core.Rounded(v.Expected, 2), Odds: core.Rounded(v.Odds, 1),
		More: RetirementPart(v.More), Less: RetirementPart(v.Less), Kept: keeps(figures, q.ID, v.Answers),
	}, nil
}

// keeps says that a question is kept although its answers say nothing.
func keeps(f *learner.AnswerFigures, questionID string, answers float64) bool {
	return answers < float64(f.Kept[questionID])
}

// proposed gives the ids of the questions whose answers speak for retirement and that their learner does not keep.
func (a *Service) proposed(ctx context.Context, figures *learner.AnswerFigures) (map[string]bool, error) {
	all := map[string]*retirement.Answers{}
	err := a.Store.QuestionAnswers(ctx, figures.UserID, "", func(id string, expected int, right, wrong int64) {
		if all[id] == nil {
			all[id] = &retirement.Answers{}
		}
		all[id].Put(expected, right, wrong)
	})
	out := map[string]bool{}
	for id, answers := range all {
		if v := answers.Judge(); v.Reason != "" && !keeps(figures, id, v.Answers) {
			out[id] = true
		}
	}
	return out, err
}

// SessionAnswers are how the questions of a session were answered, by concept.
type SessionAnswers map[string]*conceptAnswers

type conceptAnswers struct {
	before float64 // what the models expected ahead of the session
	ids    []string
	right  []float64
}

// Add counts an answer.
func (s *SessionAnswers) Add(atomID, questionID string, outcome mastery.Outcome, before float64) {
	if *s == nil {
		*s = SessionAnswers{}
	}
	c := (*s)[atomID]
	if c == nil {
		c = &conceptAnswers{before: before}
		(*s)[atomID] = c
	}
	c.ids, c.right = append(c.ids, questionID), append(c.right, map[mastery.Outcome]float64{mastery.Correct: 1, mastery.Partial: 0.5}[outcome])
}

// Count keeps the answers by what was to be expected of each.
func (s SessionAnswers) Count(tx *store.Tx, userID string) error {
	for _, atomID := range slices.Sorted(maps.Keys(s)) {
		c := s[atomID]
		for i, expected := range retirement.Expected(c.before, c.right) {
			if err := tx.CountExpected(userID, c.ids[i], retirement.Bin(expected), int64(2*c.right[i])); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepQuestion keeps a question until it has twice as many answers, or lets it be proposed again.
func keepQuestion(ctx context.Context, tx *store.Tx, userID, questionID string, keep bool) error {
	if !keep {
		return tx.KeepQuestionNoMore(userID, questionID)
	}
	halves := int64(0)
	if err := tx.QuestionAnswers(ctx, userID, questionID, func(_ string, _ int, right, wrong int64) { halves += right + wrong }); err != nil {
		return err
	}
	return tx.KeepQuestion(userID, questionID, halves) // twice the answers
}
