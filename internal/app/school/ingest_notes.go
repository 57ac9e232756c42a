package school

import (
	"context"
	"stoa/internal/app/core"
	"time"
)

// IngestKnowledge takes notes in. They belong to the caller.
func (a *School) IngestKnowledge(ctx context.Context, c core.Caller, in IngestInput) (IngestResult, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return IngestResult{}, err
	}
	if in.weight() >= largeNotes {
		defer collectOften(tightGarbage)()
	}
	if err := a.roomFor(ctx, userID, in); err != nil {
		return IngestResult{}, err
	}
	out, err := a.ingest(ctx, c.As(userID), userID, in)
	if err == nil {
		a.syncIndex(ctx, userID)
	}
	return out, err
}

// IngestShared takes notes in that belong to everybody. Only an operator's command may.
func (a *School) IngestShared(ctx context.Context, c core.Caller, in IngestInput) (IngestResult, error) {
	return a.ingest(ctx, c, core.SharedOwner, in)
}

func (a *School) ingest(ctx context.Context, c core.Caller, owner string, in IngestInput) (IngestResult, error) {
	batch, err := in.batch(a.Clock())
	if err != nil {
		return IngestResult{}, err
	}
	zone, err := zoneNamed(in.TimeZone)
	if err != nil {
		return IngestResult{}, err
	}
	if owner != core.SharedOwner {
		if batch.MaxAtoms, err = a.mostSections(ctx, owner); err != nil {
			return IngestResult{}, err
		}
	}
	asked := []any{in.Documents, in.Deleted, in.Operations}
	if zone != time.UTC { // keys that were used before zones counted keep their digest
		asked = append(asked, zone.String())
	}
	key := a.IdempotencyKey(owner, in.HeaderKey, "knowledge.ingest", core.RequestDigest(asked...))
	return a.ingestBatch(ctx, c, owner, batch, key, zone)
}
