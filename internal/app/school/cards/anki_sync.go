package cards

import (
	"cmp"
	"context"
	"math"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/learning/anki"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// AnkiSyncInput asks what Anki is to be told. Sent are reviews that Anki was seen to have; Taken are ids that another review has there;
// reviews with ids after After are answered.
type AnkiSyncInput struct {
	UserID string  `json:"user_id"`
	Sent   []int64 `json:"sent"`
	Taken  []int64 `json:"taken"`
	After  int64   `json:"after"`
}

// AnkiSync is what Anki is to be told. Cards and reviews have Anki's ids.
type AnkiSync struct {
	UserID string `json:"userId"`
	Cards  int    `json:"cards"` // that are kept here
	// Waiting are cards whose prerequisites are not ready.
	Waiting []int64 `json:"waiting"`
	// Suspend and Free are cards that the learner suspended or freed here.
	Suspend []int64 `json:"suspend"`
	Free    []int64 `json:"free"`
	// Reviews are answers given here that Anki was not seen to have, the oldest first; More says that there are others.
	Reviews []AnkiSyncReview `json:"reviews"`
	More    bool             `json:"more"`
}

// AnkiSyncReview is an answer as a row of Anki's review log.
type AnkiSyncReview struct {
	ID       int64 `json:"id"`
	Card     int64 `json:"card"`
	Ease     int64 `json:"ease"`
	Interval int64 `json:"interval"` // days
	Millis   int64 `json:"millis"`
	// Due is in how many days the card is due again, by what is known now.
	Due int64 `json:"dueInDays"`
}

// mostSyncReviews bounds how many reviews are handed out at a time.
const mostSyncReviews = 2000

// SyncAnki says what Anki is to be told of what was done here since it was told last. An answer has one id in Anki from the first
// time on, so that whoever asks again after a failure sends no second one.
func (a *Service) SyncAnki(ctx context.Context, c core.Caller, in AnkiSyncInput) (AnkiSync, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return AnkiSync{}, err
	}
	out := AnkiSync{UserID: userID, Waiting: []int64{}, Suspend: []int64{}, Free: []int64{}, Reviews: []AnkiSyncReview{}}
	if err := a.imports.Acquire(ctx, userID); err != nil {
		return out, err
	}
	_, collection, err := a.ankiKept(ctx, userID)
	a.imports.Release()
	if err != nil || len(collection.Cards) == 0 {
		return out, err
	}
	cards := anki.Names(&collection)
	out.Cards = len(cards)
	answers, err := a.AnswersOf(ctx, userID)
	if err != nil {
		return out, err
	}
	rows, err := a.numberAnswers(ctx, userID, in, &collection, cards, answers)
	if err != nil {
		return out, err
	}
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return out, err
	}
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return out, err
	}
	now := a.Clock()
	stand, err := learner.UnitStates(g, known, now)
	if err != nil {
		return out, err
	}
	for i := range cards {
		id := graph.AtomID(userID, cards[i].DocumentID+"::")
		if k := g.Bank.ByID[cards[i].QuestionID]; k != nil && (k.Parsed.State != questions.Active) != cards[i].Suspended {
			if k.Parsed.State == questions.Active {
				out.Free = append(out.Free, cards[i].Card)
			} else {
				out.Suspend = append(out.Suspend, cards[i].Card)
			}
		}
		if n, ok := g.Number[id]; ok && stand[n].State == "locked" {
			out.Waiting = append(out.Waiting, cards[i].Card)
		}
	}
	for _, r := range rows {
		answer, there := answerAt(answers[r.AtomID], r.AnsweredAt, r.Nth)
		if !there || r.ReviewID <= in.After { // taken back, or known
			continue
		}
		if len(out.Reviews) == mostSyncReviews {
			out.More = true
			break
		}
		row := AnkiSyncReview{ID: r.ReviewID, Card: r.CardID, Ease: int64(answer.Grade()), Interval: 1, Millis: answer.Took().Milliseconds()}
		if n, ok := g.Number[r.AtomID]; ok && stand[n].Studied {
			row.Due = max(0, int64(math.Ceil(stand[n].NextReviewAt.Sub(now).Hours()/24)))
			row.Interval = max(1, int64(math.Round(stand[n].NextReviewAt.Sub(answer.At()).Hours()/24)))
		}
		out.Reviews = append(out.Reviews, row)
	}
	return out, nil
}

// answerAt gives the nth of the answers at a time.
func answerAt(list []anki.Answer, at, nth int64) (anki.Answer, bool) {
	for _, o := range list {
		if clock.Micros(o.At()) != at {
			continue
		}
		if nth == 0 {
			return o, true
		}
		nth--
	}
	return anki.Answer{}, false
}

// numberAnswers gives every answer to a card that did not come from Anki an id there, once, and returns those that Anki was not seen
// to have.
func (a *Service) numberAnswers(ctx context.Context, userID string, in AnkiSyncInput, collection *anki.Collection, cards []anki.Named, answers map[string][]anki.Answer) ([]schooldb.AnkiReview, error) {
	n := numbering{owner: userID, used: make(map[int64]bool, len(collection.Reviews)), taken: in.Taken}
	for i := range collection.Reviews {
		n.used[collection.Reviews[i].ID] = true
	}
	type review struct{ at, card, took int64 } // ms
	came := map[review]bool{}
	for o := range anki.EachObservation(collection) {
		came[review{o.At.UnixMilli(), o.Card, o.Took.Milliseconds()}] = true
	}
	for _, id := range in.Taken {
		n.used[id] = true
	}
	for i := range cards {
		atom := graph.AtomID(userID, cards[i].DocumentID+"::")
		nth := map[int64]int64{}
		for _, o := range answers[atom] {
			at := clock.Micros(o.At())
			nth[at]++
			if !came[review{o.At().UnixMilli(), cards[i].Card, o.Took().Milliseconds()}] {
				n.given = append(n.given, schooldb.AnkiReview{ReviewID: o.At().UnixMilli(), CardID: cards[i].Card, AtomID: atom, AnsweredAt: at, Nth: nth[at] - 1})
			}
		}
	}
	list, err := a.Store.AnkiReviews(ctx, userID)
	if err != nil || len(in.Sent)+len(in.Taken)+len(n.fresh(list)) == 0 {
		return unsent(list), err
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.LockQuestions(userID); err != nil { // one at a time gives ids
			return err
		}
		for _, id := range in.Sent {
			if err := tx.AnkiReviewSent(userID, id); err != nil {
				return err
			}
		}
		if list, err = tx.AnkiReviews(ctx, userID); err == nil {
			list, err = n.write(tx, list)
		}
		return err
	})
	return unsent(list), err
}

func unsent(list []schooldb.AnkiReview) []schooldb.AnkiReview {
	list = slices.DeleteFunc(list, func(r schooldb.AnkiReview) bool { return r.SentAt != 0 })
	slices.SortFunc(list, func(a, b schooldb.AnkiReview) int { return cmp.Compare(a.ReviewID, b.ReviewID) })
	return list
}

// numbering gives answers ids: used are those that something has, taken those that proved to be used in Anki.
type numbering struct {
	owner string
	used  map[int64]bool
	taken []int64
	given []schooldb.AnkiReview // all answers, each with the id that it would have
}

// fresh are the answers without an id.
func (n *numbering) fresh(list []schooldb.AnkiReview) (out []schooldb.AnkiReview) {
	type answer struct {
		atom    string
		at, nth int64
	}
	have := make(map[answer]bool, len(list))
	for i := range list {
		have[answer{list[i].AtomID, list[i].AnsweredAt, list[i].Nth}] = true
	}
	for i := range n.given {
		if r := &n.given[i]; !have[answer{r.AtomID, r.AnsweredAt, r.Nth}] {
			have[answer{r.AtomID, r.AnsweredAt, r.Nth}] = true
			out = append(out, *r)
		}
	}
	return out
}

func (n *numbering) write(tx *store.Tx, list []schooldb.AnkiReview) ([]schooldb.AnkiReview, error) {
	for i := range list {
		n.used[list[i].ReviewID] = true
	}
	for i := range list {
		if r := &list[i]; r.SentAt == 0 && slices.Contains(n.taken, r.ReviewID) {
			from := r.ReviewID
			r.ReviewID = n.free(from)
			if err := tx.MoveAnkiReview(n.owner, from, r.ReviewID); err != nil {
				return list, err
			}
		}
	}
	for _, r := range n.fresh(list) {
		r.ReviewID = n.free(r.ReviewID)
		if err := tx.AddAnkiReview(n.owner, r); err != nil {
			return list, err
		}
		list = append(list, r)
	}
	return list, nil
}

func (n *numbering) free(id int64) int64 {
	for n.used[id] {
		id++
	}
	n.used[id] = true
	return id
}
