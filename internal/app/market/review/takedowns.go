package review

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// takedownsMost bounds the list of takedowns that wait.
const takedownsMost = 500

// TakedownView is a takedown that waits for another person's word.
type TakedownView struct {
	Kind    catalog.Kind `json:"kind"`
	ItemID  string       `json:"item_id"`
	AskedBy string       `json:"asked_by"`
	Note    string       `json:"note"`
	AskedAt string       `json:"asked_at"`
}

// Takedowns lists what waits to be taken down, oldest first.
func (a *Service) Takedowns(ctx context.Context) ([]TakedownView, error) {
	rows, err := a.Store.Takedowns(ctx, takedownsMost)
	all := make([]TakedownView, 0, len(rows))
	for _, t := range rows {
		all = append(all, TakedownView{t.Kind, t.ItemID, t.AskedBy, t.Note, clock.Text(clock.FromMicros(t.AskedAt))})
	}
	return all, err
}

// AskTakedown is the first half of taking an item down: whoever acts says why, and another person has to agree.
func (a *Service) AskTakedown(ctx context.Context, kind catalog.Kind, id, note string) error {
	if note == "" {
		return errs.Invalid("note", "must say why: whoever has it installed reads it")
	}
	err := a.decideItem(ctx, kind, id, func(tx *store.Tx, item marketdb.Item) error {
		if err := canBeTakenDown(item); err != nil {
			return err
		}
		if err := tx.AskTakedown(kind, id, core.Acting(ctx).UserID, note); err != nil {
			return err
		}
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{
			Owner: item.Owner, Action: "item.takedown_asked", Kind: kind, ItemID: id, Status: "ok", Detail: map[string]any{"note": note},
		}))
	})
	if errors.Is(err, sqldb.ErrConflict) {
		return errs.Newf(errs.SubmissionStateInvalid, "Somebody has asked for this already. Agree, or take it back.")
	}
	return err
}

// AgreeTakedown is the second half, by somebody else: the item is withdrawn.
func (a *Service) AgreeTakedown(ctx context.Context, kind catalog.Kind, id string) error {
	return a.endTakedown(ctx, kind, id, func(tx *store.Tx, item marketdb.Item, t marketdb.Takedown) error {
		if t.AskedBy == core.Acting(ctx).UserID {
			return errs.New(errs.PermissionDenied, "Another person has to agree to what you have asked for.")
		}
		if err := canBeTakenDown(item); err != nil {
			return err
		}
		return a.withdrawItem(ctx, tx, core.Acting(ctx), item, marketdb.Withdrawal{Note: t.Note})
	})
}

// DropTakedown takes the wish back; anybody in charge may.
func (a *Service) DropTakedown(ctx context.Context, kind catalog.Kind, id string) error {
	return a.endTakedown(ctx, kind, id, func(tx *store.Tx, item marketdb.Item, _ marketdb.Takedown) error {
		return tx.AddEvent(core.NewAuditEvent(tx, core.Acting(ctx), core.AuditEntry{Owner: item.Owner, Action: "item.takedown_dropped", Kind: kind, ItemID: id, Status: "ok"}))
	})
}

func (a *Service) endTakedown(ctx context.Context, kind catalog.Kind, id string, end func(*store.Tx, marketdb.Item, marketdb.Takedown) error) error {
	return a.decideItem(ctx, kind, id, func(tx *store.Tx, item marketdb.Item) error {
		t, err := tx.TakeTakedown(kind, id)
		if errors.Is(err, sqldb.ErrNotFound) {
			return errs.Newf(errs.NotFound, "Nobody has asked to take %s down.", id)
		}
		if err != nil {
			return err
		}
		return end(tx, item, t)
	})
}

// BulkResult is what came of one of several decisions.
type BulkResult struct {
	SubmissionID string `json:"submission_id"`
	Approved     bool   `json:"approved"`
	Problem      string `json:"problem"` // "" when it was approved
}

// ApproveHarmless approves those of several submissions in which the scan found nothing and that reach nothing more than what
// is published; each is a transaction of its own, and the others are left as they are.
func (a *Service) ApproveHarmless(ctx context.Context, ids []string) ([]BulkResult, error) {
	out := make([]BulkResult, 0, len(ids))
	for _, id := range ids {
		problem, err := a.approveHarmless(ctx, id)
		if e, known := errs.As(err); known {
			problem = e.Message
		} else if err != nil {
			return out, err
		}
		out = append(out, BulkResult{id, problem == "", problem})
	}
	return out, nil
}

func (a *Service) approveHarmless(ctx context.Context, id string) (problem string, err error) {
	if err := a.MayDecide(ctx, id); err != nil {
		return "", err
	}
	d, err := a.Review(ctx, id)
	if err != nil {
		return "", err
	}
	gains := d.Beyond
	if d.PublishedAs == "" && d.Document.Reach != nil { // a first version gains all that it reaches
		gains = d.Document.Reach.Beyond(disclosure.Reach{})
	}
	if d.RiskLevel != "low" || d.Document.Reach == nil || len(d.Scan.Evidence) > 0 || len(gains) > 0 || len(d.Labels) > 0 || d.MaintainerIsMember {
		return "Look at this one by itself: it has findings, labels or permissions that are new.", nil
	}
	_, err = a.Approve(ctx, id, "", false)
	return "", err
}
