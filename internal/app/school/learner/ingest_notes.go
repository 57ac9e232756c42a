package learner

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
)

// IngestKnowledge takes notes in. They belong to the caller.
func (a *Service) IngestKnowledge(ctx context.Context, c core.Caller, in notebook.IngestInput) (notebook.IngestResult, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return notebook.IngestResult{}, err
	}
	if in.Weight() >= notebook.LargeNotes {
		defer notebook.CollectOften(notebook.TightGarbage)()
	}
	if err := a.RoomFor(ctx, userID, in); err != nil {
		return notebook.IngestResult{}, err
	}
	out, err := a.ingest(ctx, c.As(userID), userID, in)
	if err == nil {
		a.SyncIndex(ctx, userID)
	}
	return out, err
}

// IngestShared takes notes in that belong to everybody. Only an operator's command may.
func (a *Service) IngestShared(ctx context.Context, c core.Caller, in notebook.IngestInput) (notebook.IngestResult, error) {
	return a.ingest(ctx, c, core.SharedOwner, in)
}

func (a *Service) ingest(ctx context.Context, c core.Caller, owner string, in notebook.IngestInput) (notebook.IngestResult, error) {
	batch, err := in.Batch(a.Clock())
	if err != nil {
		return notebook.IngestResult{}, err
	}
	zone, err := ZoneNamed(in.TimeZone)
	if err != nil {
		return notebook.IngestResult{}, err
	}
	if owner != core.SharedOwner {
		if batch.MaxAtoms, err = a.MostSections(ctx, owner); err != nil {
			return notebook.IngestResult{}, err
		}
	}
	asked := []any{in.Documents, in.Deleted, in.Operations}
	if zone != time.UTC { // keys that were used before zones counted keep their digest
		asked = append(asked, zone.String())
	}
	key := a.IdempotencyKey(owner, in.HeaderKey, "knowledge.ingest", core.RequestDigest(asked...))
	return a.ingestBatch(ctx, c, owner, batch, key, zone)
}
