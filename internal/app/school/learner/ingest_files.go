package learner

import (
	"context"
	"io"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/mastery"
	"stoa/internal/platform/store"
)

// IngestFolder imports notes that were read from a folder. Below root they are all there is: what is no longer there has
// been deleted or moved. Owner "" is everybody. Only an operator's command may call it.
func (a *Service) IngestFolder(ctx context.Context, c core.Caller, owner, root string, whole bool, documents []graph.Document, zone *time.Location) (notebook.IngestResult, error) {
	batch := graph.Batch{Documents: documents, Whole: whole, Root: root, Mode: graph.Auto, At: a.Clock()}
	return a.ingestBatch(ctx, c, owner, batch, core.IdempotencyKey{}, zone)
}

// IngestMedia keeps a picture, sound or film that lies beside notes that were read from a folder. Only an operator's
// command may call it.
func (a *Service) IngestMedia(ctx context.Context, owner, path string, content io.Reader) (notebook.KeptMedia, error) {
	return a.PutMedia(ctx, owner, path, content)
}

// Latest is when each atom was answered last.
func (s *Snapshot) Latest() map[string]time.Time {
	all := map[string]time.Time{}
	for id, a := range s.Each {
		all[id] = time.UnixMicro(a.Last)
	}
	return all
}

// OutcomeOfGrade is what a grade of Anki, 1 to 4, says of an answer.
func OutcomeOfGrade(grade int) mastery.Outcome {
	switch grade {
	case 1:
		return mastery.Incorrect
	case 2:
		return mastery.Partial
	}
	return mastery.Correct
}

// ObserveAll records many answers in one transaction.
func (a *Service) ObserveAll(ctx context.Context, c core.Caller, userID string, g *notebook.Curriculum, list []mastery.Observation) error {
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return err
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		o, err := a.Observe(ctx, tx, known, "", g)
		if err != nil {
			return err
		}
		for _, obs := range list {
			if _, err := o.Take(obs); err != nil {
				return err
			}
		}
		if err := o.End(); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{Owner: userID, Action: "learning.observed", Status: "done", Detail: map[string]any{"observations": len(list)}}))
	})
}

// CheckMember gives an error that says what to do when there is no such member.
func (a *Service) CheckMember(ctx context.Context, userID string) error {
	_, err := a.Main.Account(ctx, userID)
	return core.NoMember(err, userID)
}
