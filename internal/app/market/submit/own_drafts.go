package submit

import (
	"context"
	"errors"
	"io"

	"stoa/internal/platform/blob"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// EachOwnDraft calls each with every setup that a member has uploaded and not submitted, as it was uploaded.
func (a *Service) EachOwnDraft(ctx context.Context, userID string, each func(id, filename string, content io.Reader) error) error {
	var ids []string
	if err := a.Store.EachDraft(ctx, userID, "", maxOwnDrafts, func(d marketdb.Draft, _ bool) error {
		ids = append(ids, d.ArtifactID)
		return nil
	}); err != nil {
		return err
	}
	for _, id := range ids {
		if err := a.readOwnDraft(ctx, id, each); err != nil {
			return err
		}
	}
	return nil
}

// maxOwnDrafts is more drafts than any member's quota allows.
const maxOwnDrafts = 100_000

func (a *Service) readOwnDraft(ctx context.Context, id string, each func(id, filename string, content io.Reader) error) error {
	row, err := a.Store.Draft(ctx, id)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil // deleted meanwhile
	}
	if err != nil {
		return err
	}
	file, err := a.Blobs.Open(ctx, row.Blob)
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := unseal(file, row.Key)
	if err != nil {
		return err
	}
	return each(id, row.Filename, plain)
}
