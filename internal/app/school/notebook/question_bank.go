package notebook

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/maypok86/otter/v2"

	"stoa/internal/learning/graph"
	"stoa/internal/learning/questions"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// Banks keep the questions that learners keep in memory, in step with the store.
type Banks struct {
	store *store.Store
	mu    sync.Mutex
	kept  *otter.Cache[string, *bankPlace]
}

type bankPlace struct {
	mu sync.Mutex
	at *Bank
}

func newBanks(s *store.Store) *Banks {
	return &Banks{store: s, kept: otter.Must(&otter.Options[string, *bankPlace]{MaximumSize: keptCurricula})}
}

// keptQuestion is a question of a learner's, parsed.
type keptQuestion struct {
	schooldb.Question
	Parsed questions.Question
}

// Bank is the questions that a learner keeps, at one version. It never changes.
type Bank struct {
	version int64
	ByID    map[string]*keptQuestion
	ByAtom  map[string][]*keptQuestion // imported cards and own questions, in the order of their ids
	changed map[string]bool            // atoms with a question that follows from the notes and was changed
	silent  map[string]bool            // atoms of cards that are not to be asked
}

// Of gives the questions that a learner keeps now.
func (b *Banks) Of(ctx context.Context, userID string) (*Bank, error) {
	b.mu.Lock()
	place, ok := b.kept.GetIfPresent(userID)
	if !ok {
		place = &bankPlace{at: &Bank{}}
		b.kept.Set(userID, place)
	}
	b.mu.Unlock()
	place.mu.Lock()
	defer place.mu.Unlock()
	version, emptied, err := b.store.QuestionsVersion(ctx, userID)
	if err != nil || version == place.at.version {
		return place.at, err
	}
	before := place.at
	if before.version < emptied {
		before = &Bank{}
	}
	next := before.copied(version)
	err = b.store.EachQuestionSince(ctx, userID, before.version, func(row schooldb.Question) error {
		q, err := QuestionOf(&row)
		row.Body = nil
		next.ByID[row.ID] = &keptQuestion{row, q}
		return err
	})
	if err != nil {
		return nil, err
	}
	next.sort()
	place.at = next
	return next, nil
}

// copied is a bank that has the same questions so far.
func (b *Bank) copied(version int64) *Bank {
	out := &Bank{version: version, ByID: maps.Clone(b.ByID), ByAtom: map[string][]*keptQuestion{}, changed: map[string]bool{}, silent: map[string]bool{}}
	if out.ByID == nil {
		out.ByID = map[string]*keptQuestion{}
	}
	return out
}

// sort puts the questions to their atoms.
func (b *Bank) sort() {
	for _, k := range b.ByID {
		if k.derived() {
			b.changed[k.AtomID] = true
			continue
		}
		b.ByAtom[k.AtomID] = append(b.ByAtom[k.AtomID], k)
	}
	for atom, list := range b.ByAtom {
		slices.SortFunc(list, func(a, b *keptQuestion) int { return strings.Compare(a.ID, b.ID) })
		b.silent[atom] = b.Card(atom) && !slices.ContainsFunc(list, func(k *keptQuestion) bool { return k.Parsed.State == questions.Active })
	}
}

// QuestionOf reads what is kept of a question.
func QuestionOf(row *schooldb.Question) (q questions.Question, err error) {
	err = json.Unmarshal(row.Body, &q)
	q.ID, q.UnitID, q.State = row.ID, row.AtomID, questions.State(row.State)
	return q, err
}

// derived reports whether a question follows from the notes.
func (k *keptQuestion) derived() bool {
	return k.Parsed.Origin == questions.Author || k.Parsed.Origin == questions.Rule
}

// Card reports whether an atom is a card of an imported collection.
func (b *Bank) Card(atomID string) bool {
	return slices.ContainsFunc(b.ByAtom[atomID], func(k *keptQuestion) bool { return k.Parsed.Origin == questions.Imported })
}

// open gives the units that may be asked.
func (b *Bank) open(units []*graph.Atom) []*graph.Atom {
	if len(b.silent) == 0 {
		return units
	}
	return slices.DeleteFunc(units, func(a *graph.Atom) bool { return b.silent[a.ID] })
}

// over lays what a learner keeps over the questions that follow from the notes: imported cards take their place, others
// stand before them, and each may have been edited or be left out.
func (b *Bank) over(atomID string, derived []questions.Question) []questions.Question {
	own := b.ByAtom[atomID]
	if len(own) == 0 && !b.changed[atomID] {
		return derived
	}
	var list []questions.Question
	card := false
	for _, k := range own {
		card = card || k.Parsed.Origin == questions.Imported
		if k.Parsed.State == questions.Active {
			list = append(list, k.Parsed)
		}
	}
	if card {
		return list
	}
	for i := range derived {
		k := b.ByID[derived[i].ID]
		switch {
		case k == nil:
			list = append(list, derived[i])
		case k.Parsed.State == questions.Active:
			q := k.Parsed
			q.Evidence, q.Rank = derived[i].Evidence, cmp.Or(q.Rank, derived[i].Rank)
			list = append(list, q)
		}
	}
	return list
}
