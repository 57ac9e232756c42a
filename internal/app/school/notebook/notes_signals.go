package notebook

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
)

// SearchSignals fills in how search over a learner's notes is doing.
func (a *Service) SearchSignals(ctx context.Context, userID string, now time.Time, s *runbook.Signals) error {
	g, err := a.Curriculum(ctx, userID)
	if err != nil {
		return err
	}
	d := a.NoteIndex.Diagnose(g)
	t, err := a.QueryFigures(ctx, a.Store.Queries, userID, now.Add(-QuestionsSpan), QuestionsSeen)
	if err != nil {
		return err
	}
	v, x := d.Runtime.Index, d.Runtime.Index.Acceleration
	s.QueryBackendID, s.QueryBackendRuntimeID, s.QueryBackendRuntimeReady, s.QueryBackendLastError = d.ID, d.Runtime.ID, d.Runtime.Ready, d.LastError
	s.QueryReason, s.IndexLimit, s.IndexFull = t.Reason, a.MaxIndexedAtoms, d.full
	s.QueryCount, s.QueryFallbackCount, s.QueryFallbackRatioPct, s.QueryP95Ms = t.Count, t.Fallbacks, t.Fallback, t.P95
	s.QuerySamples, s.QueryEvidencePct, s.QueryPathPct, s.QueryValidPct = t.Samples, t.Evidence, t.Paths, t.Valid
	s.Notes = len(g.Shared.Atoms) + len(g.Own.Atoms)
	s.IndexStatus, s.IndexAtoms = v.Status, v.Atoms
	s.AccelMode, s.AccelSelection, s.AccelCandidates, s.AccelAdapter, s.AccelError = x.Mode, x.Selection, x.Candidates, x.AdapterID, x.AdapterError
	s.AccelHealth, s.AccelHealthMessage, s.SyncStatus, s.SyncMessage, s.SyncLastAt = x.Health, x.HealthMessage, x.Sync, x.SyncMessage, x.LastSyncAt
	s.SyncRequests, s.SyncSuccesses, s.SyncFailures, s.SyncSignature, s.SyncAtoms = x.SyncRequests, x.SyncSuccesses, x.SyncFailures, x.Signature, x.Atoms
	s.Representation, s.EmbeddingModel, s.EmbeddingDimension, s.Circuit, s.AccelConsecutive = x.RepresentationIs, x.Embedding, x.Dimension, x.Circuit, x.Consecutive
	s.AccelRequests, s.AccelFailures = x.Requests, x.Failures
	s.Documents = int64(g.Shared.Notes + g.Own.Notes)
	if v.Status == "stale" {
		s.StaleDocuments = a.NoteIndex.behind(g)
	}
	s.FreshnessPct = core.Percent(s.Documents-s.StaleDocuments, s.Documents)
	return nil
}

// behind counts the notes of owners whose notes the index does not hold as they are now.
func (x *noteIndex) behind(g *Curriculum) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := 0
	for _, r := range []*NotesSnapshot{g.Shared, g.Own} {
		if !x.synced[r.owner].current(r) {
			n += r.Notes
		}
	}
	return int64(n)
}
