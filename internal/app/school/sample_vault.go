package school

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/sample"
	"stoa/internal/platform/store"
)

// SampleInput asks for the vault of sample notes, in the language of a locale.
type SampleInput struct {
	UserID string `json:"user_id"`
	Locale string `json:"locale"`
}

// SampleVault says what became of the sample notes.
type SampleVault struct {
	Notes    int           `json:"notes"` // that were brought in or removed
	Pictures int           `json:"pictures"`
	Summary  IngestSummary `json:"summary"`
}

// AddSampleVault brings the sample notes in, for somebody who has none at hand. Again it changes nothing.
func (a *School) AddSampleVault(ctx context.Context, c core.Caller, in SampleInput) (SampleVault, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SampleVault{}, err
	}
	notes, files, err := sample.Vault(in.Locale)
	if err != nil {
		return SampleVault{}, err
	}
	for _, f := range files {
		if _, err := a.putMedia(ctx, userID, f.Path, bytes.NewReader(f.Content)); err != nil {
			return SampleVault{}, err
		}
	}
	ingest := IngestInput{UserID: in.UserID}
	for _, n := range notes {
		ingest.Documents = append(ingest.Documents, IngestDocument{DocumentID: n.ID, SourcePath: n.Path, Content: n.Text})
	}
	done, err := a.IngestKnowledge(ctx, c, ingest)
	return SampleVault{Notes: len(notes), Pictures: len(files), Summary: done.Summary}, err
}

// RemoveSampleVault takes the sample notes out again, in whatever language they came. What was learned of them stays in
// the log.
func (a *School) RemoveSampleVault(ctx context.Context, c core.Caller, in core.OwnInput) (SampleVault, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SampleVault{}, err
	}
	kept, err := a.notes.of(userID).read(ctx)
	if err != nil {
		return SampleVault{}, err
	}
	ingest := IngestInput{UserID: in.UserID}
	for id := range kept.written {
		if strings.HasPrefix(id, sample.IDs) {
			ingest.Deleted = append(ingest.Deleted, DeletedDocument{DocumentID: id})
		}
	}
	slices.SortFunc(ingest.Deleted, func(a, b DeletedDocument) int { return strings.Compare(a.DocumentID, b.DocumentID) })
	out := SampleVault{Notes: len(ingest.Deleted), Summary: IngestSummary{Mode: string(graph.Auto)}}
	if out.Pictures, err = a.removeSampleFiles(ctx, userID); err != nil || out.Notes == 0 {
		return out, err
	}
	done, err := a.IngestKnowledge(ctx, c, ingest)
	out.Summary = done.Summary
	return out, err
}

func (a *School) removeSampleFiles(ctx context.Context, userID string) (int, error) {
	var digests []string
	for _, p := range sample.Files() {
		m, err := a.Store.NoteMedium(ctx, userID, vaultMedia+p)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := a.Store.Write(ctx, func(tx *store.Tx) error { return tx.DeleteNoteMedia(userID, vaultMedia+p) }); err != nil {
			return 0, err
		}
		digests = append(digests, m.SHA256)
	}
	a.removeFiles(ctx, digests)
	return len(digests), nil
}
