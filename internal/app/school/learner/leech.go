package learner

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/store/schooldb"
)

// AnswerFigures are how a learner answered their questions; nil is not at all.
type AnswerFigures struct {
	UserID  string
	Tallies map[string]schooldb.QuestionTally
	Known   *Snapshot
	Kept    map[string]int64 // questions that are kept although they were proposed for retirement, and until how many answers
}

// FiguresOf gives the figures of a learner's answers, by question.
func (a *Service) FiguresOf(ctx context.Context, userID string) (*AnswerFigures, error) {
	tallies, err := a.Store.QuestionTallies(ctx, userID)
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.QuestionsKept(ctx, userID)
	if err != nil {
		return nil, err
	}
	known, err := a.States.Of(ctx, userID)
	return &AnswerFigures{userID, tallies, known, kept}, err
}

// Leech reports whether a question costs more than it brings: a card that was forgotten as often as Anki allows, its reviews there counted, or is
// marked so in Anki; another question that was answered wrong as often. It follows from the answers, so that one who takes a session back takes
// this back too.
func (f *AnswerFigures) Leech(q *questions.Question, atomID string) bool {
	if anki.HasLeech(q.Tags) {
		return true
	}
	if f == nil {
		return false
	}
	if q.Origin == questions.Imported {
		return f.lapses(atomID) >= anki.LeechLapses
	}
	t := f.Tallies[q.ID]
	return t.Answers-t.Correct-t.Partial >= anki.LeechLapses
}

// lapses is how often something was forgotten that had been learned.
func (f *AnswerFigures) lapses(atomID string) int {
	if t := f.Known.Atom(atomID); t != nil {
		return t.Lapses
	}
	return 0
}

// Expected is the probability that a question is answered right now; nil is that its concept was never answered.
func (f *AnswerFigures) Expected(atomID, questionID string, now time.Time) (expected *float64, err error) {
	if t := f.Known.Atom(atomID); t == nil || t.Attempts() == 0 {
		return nil, nil
	}
	err = f.Known.look(func(m *models) error {
		if err := m.open(atomID); err != nil {
			return err
		}
		x := core.Rounded(m.engine.Expect(m.population, m.learner, atomID, questionID, now), 4)
		expected = &x
		return nil
	})
	return expected, err
}
