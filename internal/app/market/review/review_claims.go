package review

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/market/submit"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// claimTerm is how long a submission stays with the reviewer who took it.
const claimTerm = 30 * time.Minute

// Claim is who looks at a submission.
type Claim struct {
	Reviewer  string `json:"reviewer"`
	ClaimedAt string `json:"claimed_at"`
}

// ReviewClaims lists what is being looked at, by submission. Claims that have run out are left out.
func (a *Service) ReviewClaims(ctx context.Context) (map[string]Claim, error) {
	claims, err := a.Store.Claims(ctx)
	since := clock.Micros(a.Clock().Add(-claimTerm))
	out := map[string]Claim{}
	for id, c := range claims {
		if c.ClaimedAt >= since {
			out[id] = Claim{c.Reviewer, clock.Text(clock.FromMicros(c.ClaimedAt))}
		}
	}
	return out, err
}

// ClaimReview takes a submission for whoever acts, for half an hour, unless another reviewer has it.
func (a *Service) ClaimReview(ctx context.Context, id string) error {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return submit.NoSubmission(err, id)
	}
	by := core.Acting(ctx)
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		holder, err := tx.ClaimSubmission(id, by.UserID, clock.Micros(tx.Now.Add(-claimTerm)))
		if err != nil {
			return err
		}
		if holder != by.UserID {
			return errs.Newf(errs.SubmissionStateInvalid, "%s is reviewing this submission.", holder)
		}
		return tx.AddEvent(core.NewAuditEvent(tx, by, core.AuditEntry{Owner: s.UserID, Action: "submission.claimed", Kind: s.Kind, ItemID: s.ItemID, Target: id, Status: "ok"}))
	})
}

// ReleaseReview gives a submission back to the queue; the command line gives back anybody's.
func (a *Service) ReleaseReview(ctx context.Context, id string) error {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return submit.NoSubmission(err, id)
	}
	by := core.Acting(ctx)
	holder := by.UserID
	if by.UserID == core.Operator.UserID {
		holder = ""
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.ReleaseSubmission(id, holder); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, by, core.AuditEntry{Owner: s.UserID, Action: "submission.released", Kind: s.Kind, ItemID: s.ItemID, Target: id, Status: "ok"}))
	})
}

// MayDecide refuses a decision about one's own submission, and about one that another reviewer has taken.
func (a *Service) MayDecide(ctx context.Context, id string) error {
	s, err := a.Store.Submission(ctx, id)
	if err != nil {
		return submit.NoSubmission(err, id)
	}
	by := core.Acting(ctx)
	if s.UserID == by.UserID {
		return errs.New(errs.PermissionDenied, "Nobody decides about a submission of their own.")
	}
	claims, err := a.ReviewClaims(ctx)
	if err != nil {
		return err
	}
	if claim, taken := claims[id]; taken && claim.Reviewer != by.UserID {
		return errs.Newf(errs.SubmissionStateInvalid, "%s is reviewing this submission.", claim.Reviewer)
	}
	return nil
}

// AuthorHistory counts a member's submissions by status.
func (a *Service) AuthorHistory(ctx context.Context, userID string) (map[string]int64, error) {
	return a.Store.SubmissionCounts(ctx, userID)
}
