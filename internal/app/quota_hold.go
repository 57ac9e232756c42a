package app

import (
	"context"

	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// holdDraft refuses a draft beyond the member's quotas. Bytes shared with another draft of the member count for nothing; when that draft was deleted meanwhile its bytes may be gone, and the upload must be sent again.
func (a *App) holdDraft(ctx context.Context, tx *store.Tx, row *store.Draft, shared bool) error {
	if err := a.useQuota(tx, row.UserID, QuotaImports, 1); err != nil {
		return err
	}
	kept, err := tx.Holdings(ctx, row.UserID)
	if err != nil {
		return err
	}
	if err := a.hold(QuotaDrafts, kept.Drafts, 1); err != nil {
		return err
	}
	if shared {
		used, err := tx.BlobInUse(ctx, row.Blob)
		if err == nil && !used {
			err = errs.New(errs.ServiceUnavailable, "The draft with the same file was deleted just now. Send the request again.")
		}
		return err
	}
	return a.hold(QuotaDraftBytes, kept.DraftBytes, row.SizeBytes)
}

// holdSubmissions refuses a submission, which is in the transaction already, beyond the member's quotas.
func (a *App) holdSubmissions(ctx context.Context, tx *store.Tx, s store.Submission) error {
	kept, err := tx.Holdings(ctx, s.UserID)
	if err != nil {
		return err
	}
	if err := a.hold(QuotaPending, kept.Pending-1, 1); err != nil {
		return err
	}
	if s.Facts.Artifact == nil {
		return nil
	}
	return a.hold(QuotaPackageBytes, kept.PackageBytes-s.Facts.Artifact.SizeBytes, s.Facts.Artifact.SizeBytes)
}
