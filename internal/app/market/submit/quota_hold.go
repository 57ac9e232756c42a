package submit

import (
	"context"

	"stoa/internal/app/core"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// checkDraftQuota refuses a draft beyond the member's quotas. Bytes shared with another draft of the member count for nothing; when that draft was deleted meanwhile its bytes may be gone, and the upload must be sent again.
func (a *Service) checkDraftQuota(ctx context.Context, tx *store.Tx, row *marketdb.Draft, shared bool) error {
	if err := a.UseQuota(tx, row.UserID, core.QuotaImports, 1); err != nil {
		return err
	}
	kept, err := tx.Holdings(ctx, row.UserID)
	if err != nil {
		return err
	}
	if err := a.CheckQuota(ctx, tx.Queries, row.UserID, core.QuotaDrafts, kept.Drafts, 1); err != nil {
		return err
	}
	if shared {
		used, err := tx.BlobInUse(ctx, row.Blob)
		if err == nil && !used {
			err = errs.New(errs.ServiceUnavailable, "The draft with the same file was deleted just now. Send the request again.")
		}
		return err
	}
	return a.CheckQuota(ctx, tx.Queries, row.UserID, core.QuotaDraftBytes, kept.DraftBytes, row.SizeBytes)
}

// checkSubmissionQuota refuses a submission, which is in the transaction already, beyond the member's quotas.
func (a *Service) checkSubmissionQuota(ctx context.Context, tx *store.Tx, s marketdb.Submission) error {
	kept, err := tx.Holdings(ctx, s.UserID)
	if err != nil {
		return err
	}
	if err := a.CheckQuota(ctx, tx.Queries, s.UserID, core.QuotaPending, kept.Pending-1, 1); err != nil {
		return err
	}
	if s.Facts.Artifact == nil || s.Facts.ExamplesOnly {
		return nil
	}
	return a.CheckQuota(ctx, tx.Queries, s.UserID, core.QuotaPackageBytes, kept.PackageBytes-s.Facts.Artifact.SizeBytes, s.Facts.Artifact.SizeBytes)
}
