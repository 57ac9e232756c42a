// Package school holds the operations on notes and learning: importing notes, the graph and search over them, study plans
// and sessions, mastery, the tutor. Notes become a snapshot (notes_reading.go), a curriculum and a learner's state
// (learners.go) become a plan (study_plan.go), and a session's answers go back into the state (study_run.go). It embeds
// core and knows no other subject.
package school

import (
	"context"
	"sync"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// School are the operations on notes and learning.
type School struct {
	*core.Core
	questions *core.Buffer[schooldb.QuerySample]
	notes     *libraries
	banks     *banks
	imports   *core.FairQueue // of Anki packages that are read or written
	curricula *otter.Cache[string, *curriculum]
	learners  *learners
	noteIndex *noteIndex
	proposing sync.Mutex // held while this process works on runs
}

// New makes the operations of the school.
func New(c *core.Core) *School {
	kept := newBanks(c.Store)
	a := &School{Core: c, curricula: otter.Must(&otter.Options[string, *curriculum]{MaximumSize: keptCurricula}), learners: newLearners(c.Store, kept), banks: kept, imports: core.NewFairQueue(1)}
	a.questions = core.NewBuffer("questions", c.Store, c.Log, func(tx *store.Tx, batch []schooldb.QuerySample) error {
		return tx.AddQuerySamples(batch, questionsKept)
	})
	a.noteIndex = newNoteIndex(c.Clock, c.MaxIndexedAtoms, c.Store, &c.Config, c.Secrets.Mask)
	if a.noteIndex.remoteEmbedder != nil {
		a.noteIndex.remoteEmbedder.take = func(ctx context.Context, userID string) bool {
			return a.TakeModelCall(ctx, userID, core.QuotaEmbedderCalls)
		}
	}
	a.notes = newLibraries(c.Store, a.noteIndex.drop)
	return a
}

// KeepQuestions writes figures of answered questions to the store in batches, until ctx ends.
func (a *School) KeepQuestions(ctx context.Context) { a.questions.Run(ctx) }

// Flush writes out what is still in memory.
func (a *School) Flush(ctx context.Context) { a.questions.Flush(ctx) }

// Forget drops what is kept of notes and learners in memory.
func (a *School) Forget() {
	a.curricula.InvalidateAll()
	a.notes.kept.InvalidateAll()
	a.learners.kept.InvalidateAll()
}

// ForgetLearner drops what is kept of one learner in memory: their rows were elsewhere meanwhile.
func (a *School) ForgetLearner(userID string) {
	a.curricula.Invalidate(userID)
	a.notes.kept.Invalidate(userID)
	a.learners.kept.Invalidate(userID)
	a.banks.kept.Invalidate(userID)
	a.noteIndex.drop(userID)
}
