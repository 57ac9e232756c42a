package school

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/sample"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// SampleInput asks for the vault of sample notes, in the language of a locale.
type SampleInput struct {
	UserID string `json:"user_id"`
	Locale string `json:"locale"`
}

// SampleVault says what became of the sample notes.
type SampleVault struct {
	Notes int `json:"notes"` // that were brought in or removed
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
		if _, err := a.PutMedia(ctx, userID, f.Path, bytes.NewReader(f.Content)); err != nil {
			return SampleVault{}, err
		}
	}
	ingest := notebook.IngestInput{UserID: in.UserID}
	for _, n := range notes {
		ingest.Documents = append(ingest.Documents, notebook.IngestDocument{DocumentID: n.ID, SourcePath: n.Path, Content: n.Text})
	}
	done, err := a.IngestKnowledge(ctx, c, ingest)
	return SampleVault{Notes: done.Summary.Changed}, err
}

// RemoveSampleVault takes the sample notes out again, in whatever language they came. What was learned of them stays in
// the log.
func (a *School) RemoveSampleVault(ctx context.Context, c core.Caller, in core.OwnInput) (SampleVault, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SampleVault{}, err
	}
	kept, err := a.Notes.Of(userID).Read(ctx)
	if err != nil {
		return SampleVault{}, err
	}
	ingest := notebook.IngestInput{UserID: in.UserID}
	for id := range kept.Written {
		if strings.HasPrefix(id, sample.IDs) {
			ingest.Deleted = append(ingest.Deleted, notebook.DeletedDocument{DocumentID: id})
		}
	}
	slices.SortFunc(ingest.Deleted, func(a, b notebook.DeletedDocument) int { return strings.Compare(a.DocumentID, b.DocumentID) })
	if err := a.removeSampleFiles(ctx, userID); err != nil || len(ingest.Deleted) == 0 {
		return SampleVault{}, err
	}
	done, err := a.IngestKnowledge(ctx, c, ingest)
	return SampleVault{Notes: done.Summary.Deleted}, err
}

func (a *School) removeSampleFiles(ctx context.Context, userID string) error {
	var digests []string
	for _, p := range sample.Files() {
		m, err := a.Store.NoteMedium(ctx, userID, notebook.VaultMedia+p)
		if errors.Is(err, sqldb.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := a.Store.Write(ctx, func(tx *store.Tx) error { return tx.DeleteNoteMedia(userID, notebook.VaultMedia+p) }); err != nil {
			return err
		}
		digests = append(digests, m.SHA256)
	}
	a.RemoveFiles(ctx, digests)
	return nil
}
