// Package notebook holds the notes of members and what is made of them: importing notes and their pictures, the graph, units and
// questions, search. Notes become a snapshot (notes_reading.go); a member's own and the shared ones, with the questions that the member
// keeps (question_bank.go), are their curriculum. It knows nothing of what anybody has learned.
package notebook

import (
	"context"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// Service are the operations on notes.
type Service struct {
	*core.Core
	Questions *core.Buffer[schooldb.QuerySample] // figures of questions to the notes that were answered
	Notes     *libraries
	Banks     *Banks
	curricula *otter.Cache[string, *Curriculum]
	NoteIndex *noteIndex
}

// New makes the operations on notes.
func New(c *core.Core) *Service {
	a := &Service{Core: c, curricula: otter.Must(&otter.Options[string, *Curriculum]{MaximumSize: keptCurricula}), Banks: newBanks(c.Store)}
	a.Questions = core.NewBuffer("questions", c.Store, c.Log, func(tx *store.Tx, batch []schooldb.QuerySample) error {
		return tx.AddQuerySamples(batch, QuestionsKept)
	})
	a.NoteIndex = newNoteIndex(c.Clock, c.MaxIndexedAtoms, c.Store, &c.Config, c.Secrets.Mask)
	if a.NoteIndex.remoteEmbedder != nil {
		a.NoteIndex.remoteEmbedder.take = func(ctx context.Context, userID string) bool {
			return a.TakeModelCall(ctx, userID, core.QuotaEmbedderCalls)
		}
	}
	a.Notes = newLibraries(c.Store, a.NoteIndex.drop)
	return a
}

// KeepQuestions writes figures of answered questions to the store in batches, until ctx ends.
func (a *Service) KeepQuestions(ctx context.Context) { a.Questions.Run(ctx) }

// Flush writes out what is still in memory.
func (a *Service) Flush(ctx context.Context) { a.Questions.Flush(ctx) }

// Forget drops what is kept of notes in memory.
func (a *Service) Forget() {
	a.curricula.InvalidateAll()
	a.Notes.kept.InvalidateAll()
}

// ForgetLearner drops what is kept of one member's notes and questions in memory.
func (a *Service) ForgetLearner(userID string) {
	a.curricula.Invalidate(userID)
	a.Notes.kept.Invalidate(userID)
	a.Banks.kept.Invalidate(userID)
	a.NoteIndex.drop(userID)
}
