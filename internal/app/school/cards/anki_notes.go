package cards

import (
	"context"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// notesAsAnki is what a learner learns of notes as a collection that Anki can import, with every answer as a review: a card for each
// question that the author, the learner or a model wrote, and one for a whole unit that has none.
func (a *Service) notesAsAnki(ctx context.Context, userID string) (anki.Collection, error) {
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return anki.Collection{}, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return anki.Collection{}, err
	}
	answers := map[string][]anki.Answer{} // by atom, and by question where one was asked that has an id
	err = a.EachAnswer(ctx, userID, func(o store.Observation, answer anki.Answer) {
		answers[o.AtomID] = append(answers[o.AtomID], answer)
		if o.QuestionID != "" {
			answers[o.QuestionID] = append(answers[o.QuestionID], answer)
		}
	})
	if err != nil {
		return anki.Collection{}, err
	}
	created := a.Clock().UTC().Truncate(24 * time.Hour)
	var items []anki.Item
	for _, unit := range g.Units {
		if strings.HasPrefix(unit.DocumentID, "anki:") {
			continue
		}
		cards, rest := writtenCards(g, unit), answers[unit.ID]
		for i := range cards {
			own := answers[cards[i].AtomID]
			cards[i].Reviews, rest = reviewsOf(own), without(rest, own)
		}
		if len(cards) == 0 || len(rest) > 0 { // what else was answered, as questions made by a rule, is of the whole unit
			cards = append(cards, anki.Item{AtomID: unit.ID, Front: unit.Title, Back: unit.Content, Reviews: reviewsOf(rest)})
		}
		for _, it := range cards {
			it.Deck, it.Created = "Stoa", unit.CreatedAt
			if len(it.Reviews) > 0 || it.AtomID == unit.ID {
				it = scheduled(it, known.Atom(unit.ID))
			}
			if len(it.Reviews) > 0 && it.Reviews[0].At.Before(created) {
				created = it.Reviews[0].At.UTC().Truncate(24 * time.Hour)
			}
			items = append(items, it)
		}
	}
	return anki.Build(items, created), nil
}

func reviewsOf(answers []anki.Answer) (reviews []anki.Observation) {
	for _, a := range answers {
		reviews = append(reviews, anki.Observation{At: a.At(), Grade: a.Grade(), Took: a.Took(), Type: anki.Reviewing})
	}
	return reviews
}

// without leaves out of all answers those in own, which are some of them in the same order.
func without(all, own []anki.Answer) (rest []anki.Answer) {
	for _, a := range all {
		if len(own) > 0 && a == own[0] {
			own = own[1:]
		} else {
			rest = append(rest, a)
		}
	}
	return rest
}

// scheduled makes a card due when its unit is.
func scheduled(it anki.Item, t *learner.AtomState) anki.Item {
	if t != nil && t.Stability > 0 {
		interval := time.Duration(t.Stability * float64(24*time.Hour))
		it.Stability, it.Difficulty, it.Interval, it.Due = t.Stability, t.Difficulty, interval, clock.FromMicros(t.Last).Add(interval)
	}
	return it
}

// writtenCards are the questions of a unit that somebody wrote, as cards: not those that follow from its text by a rule.
func writtenCards(g *notebook.Curriculum, unit *graph.Atom) (cards []anki.Item) {
	list := g.Questions(unit.ID)
	for i := range list {
		q := &list[i]
		if q.Origin == questions.Rule || q.Kind == questions.Occlusion {
			continue
		}
		front := q.Prompt
		for _, part := range slices.Concat(q.Left, q.Choices) {
			front += "\n– " + part
		}
		back := q.Expected()
		if q.Explanation != "" {
			back += "\n\n" + q.Explanation
		}
		cards = append(cards, anki.Item{AtomID: q.ID, Front: front, Back: back})
	}
	return cards
}
