package market

import (
	"context"
	"errors"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// WithdrawItem takes a published item out of the catalog and every feed and tells whoever has it installed. What they have stays
// theirs, and nothing of the item is deleted.
func (a *Market) WithdrawItem(ctx context.Context, kind catalog.Kind, id, note string) error {
	return a.decideItem(ctx, kind, id, func(tx *store.Tx, item store.Item) error {
		if item.Visibility != catalog.Community {
			return errs.Newf(errs.SubmissionStateInvalid, "%s is not seen by everybody: it is %s.", id, item.Visibility)
		}
		return a.withdrawItem(ctx, tx, core.Acting(ctx), item, note)
	})
}

// RestoreItem puts a withdrawn item back.
func (a *Market) RestoreItem(ctx context.Context, kind catalog.Kind, id string) error {
	return a.decideItem(ctx, kind, id, func(tx *store.Tx, item store.Item) error {
		if item.Visibility != catalog.Withdrawn {
			return errs.Newf(errs.SubmissionStateInvalid, "%s is not withdrawn: it is %s.", id, item.Visibility)
		}
		return a.restoreItem(ctx, tx, core.Acting(ctx), item)
	})
}

func (a *Market) decideItem(ctx context.Context, kind catalog.Kind, id string, decide func(*store.Tx, store.Item) error) error {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		item, err := tx.Item(ctx, kind, id)
		if err != nil {
			return err
		}
		return decide(tx, item)
	})
	if errors.Is(err, store.ErrNotFound) {
		return errs.Newf(errs.NotFound, "There is no published %s %s.", kind, id)
	}
	return err
}

func (a *Market) withdrawItem(ctx context.Context, tx *store.Tx, c core.Caller, item store.Item, note string) error {
	item.Visibility = catalog.Withdrawn
	if err := a.showChanged(ctx, tx, item); err != nil {
		return err
	}
	for after := ""; ; {
		users, err := tx.Installers(ctx, item.Seq, "", after, core.SweepBatch)
		if err != nil {
			return err
		}
		for _, userID := range users {
			if err := core.Notify(tx, userID, core.ToldWithdrawn, core.About{ItemID: item.ItemID}, "%s was withdrawn from the catalog. %s", item.ItemID, note); err != nil {
				return err
			}
		}
		if len(users) < core.SweepBatch {
			break
		}
		after = users[len(users)-1]
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: item.Owner, Action: "item.withdrawn", Kind: item.Kind, ItemID: item.ItemID, Status: "ok", Detail: map[string]any{"version": item.Version, "note": note},
	}))
}

func (a *Market) restoreItem(ctx context.Context, tx *store.Tx, c core.Caller, item store.Item) error {
	item.Visibility = catalog.Community
	if err := a.showChanged(ctx, tx, item); err != nil {
		return err
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: item.Owner, Action: "item.restored", Kind: item.Kind, ItemID: item.ItemID, Status: "ok", Detail: map[string]any{"version": item.Version},
	}))
}

func (a *Market) showChanged(ctx context.Context, tx *store.Tx, item store.Item) error {
	if err := tx.UpdateItem(&item); err != nil {
		return err
	}
	return a.show(ctx, tx, item)
}
