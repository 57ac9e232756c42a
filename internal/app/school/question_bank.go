package school

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

// banks keep the questions that learners keep in memory, in step with the store.
type banks struct {
	store *store.Store
	mu    sync.Mutex
	kept  *otter.Cache[string, *bankPlace]
}

type bankPlace struct {
	mu sync.Mutex
	at *bank
}

func newBanks(s *store.Store) *banks {
	return &banks{store: s, kept: otter.Must(&otter.Options[string, *bankPlace]{MaximumSize: keptCurricula})}
}

// keptQuestion is a question of a learner's, parsed.
type keptQuestion struct {
	schooldb.Question
	parsed questions.Question
}

// bank is the questions that a learner keeps, at one version. It never changes.
type bank struct {
	version int64
	byID    map[string]*keptQuestion
	byAtom  map[string][]*keptQuestion // imported cards and own questions, in the order of their ids
	changed map[string]bool            // atoms with a question that follows from the notes and was changed
	silent  map[string]bool            // atoms of cards that are not to be asked
}

// of gives the questions that a learner keeps now.
func (b *banks) of(ctx context.Context, userID string) (*bank, error) {
	b.mu.Lock()
	place, ok := b.kept.GetIfPresent(userID)
	if !ok {
		place = &bankPlace{at: &bank{}}
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
		before = &bank{}
	}
	next := before.copied(version)
	err = b.store.EachQuestionSince(ctx, userID, before.version, func(row schooldb.Question) error {
		q, err := questionOf(&row)
		row.Body = nil
		next.byID[row.ID] = &keptQuestion{row, q}
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
func (b *bank) copied(version int64) *bank {
	out := &bank{version: version, byID: maps.Clone(b.byID), byAtom: map[string][]*keptQuestion{}, changed: map[string]bool{}, silent: map[string]bool{}}
	if out.byID == nil {
		out.byID = map[string]*keptQuestion{}
	}
	return out
}

// sort puts the questions to their atoms.
func (b *bank) sort() {
	for _, k := range b.byID {
		if k.derived() {
			b.changed[k.AtomID] = true
			continue
		}
		b.byAtom[k.AtomID] = append(b.byAtom[k.AtomID], k)
	}
	for atom, list := range b.byAtom {
		slices.SortFunc(list, func(a, b *keptQuestion) int { return strings.Compare(a.ID, b.ID) })
		b.silent[atom] = b.card(atom) && !slices.ContainsFunc(list, func(k *keptQuestion) bool { return k.parsed.State == questions.Active })
	}
}

// questionOf reads what is kept of a question.
func questionOf(row *schooldb.Question) (q questions.Question, err error) {
	err = json.Unmarshal(row.Body, &q)
	q.ID, q.UnitID, q.State = row.ID, row.AtomID, questions.State(row.State)
	return q, err
}

// derived reports whether a question follows from the notes.
func (k *keptQuestion) derived() bool {
	return k.parsed.Origin == questions.Author || k.parsed.Origin == questions.Rule
}

// card reports whether an atom is a card of an imported collection.
func (b *bank) card(atomID string) bool {
	return slices.ContainsFunc(b.byAtom[atomID], func(k *keptQuestion) bool { return k.parsed.Origin == questions.Imported })
}

// open gives the units that may be asked.
func (b *bank) open(units []*graph.Atom) []*graph.Atom {
	if len(b.silent) == 0 {
		return units
	}
	return slices.DeleteFunc(units, func(a *graph.Atom) bool { return b.silent[a.ID] })
}

// over lays what a learner keeps over the questions that follow from the notes: imported cards take their place, others
// stand before them, and each may have been edited or be left out.
func (b *bank) over(atomID string, derived []questions.Question) []questions.Question {
	own := b.byAtom[atomID]
	if len(own) == 0 && !b.changed[atomID] {
		return derived
	}
	var list []questions.Question
	card := false
	for _, k := range own {
		card = card || k.parsed.Origin == questions.Imported
		if k.parsed.State == questions.Active {
			list = append(list, k.parsed)
		}
	}
	if card {
		return list
	}
	for i := range derived {
		k := b.byID[derived[i].ID]
		switch {
		case k == nil:
			list = append(list, derived[i])
		case k.parsed.State == questions.Active:
			q := k.parsed
			q.Evidence, q.Rank = derived[i].Evidence, cmp.Or(q.Rank, derived[i].Rank)
			list = append(list, q)
		}
	}
	return list
}
