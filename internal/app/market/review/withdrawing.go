package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// WithdrawItem takes a published item out of the catalog and every feed and tells whoever has it installed. What they have stays
// theirs, and nothing of the item is deleted.
func (a *Service) WithdrawItem(ctx context.Context, kind catalog.Kind, id, note string) error {
	return a.decideItem(ctx, kind, id, func(tx *store.Tx, item marketdb.Item) error {
		if err := canBeTakenDown(item); err != nil {
			return err
		}
		return a.withdrawItem(ctx, tx, core.Acting(ctx), item, marketdb.Withdrawal{Note: note})
	})
}

// canBeTakenDown refuses what nobody sees. What its author took out can still be taken down: else they would put it back.
func canBeTakenDown(item marketdb.Item) error {
	if w := item.Facts.Withdrawal; item.Visibility == catalog.Community || item.Visibility == catalog.Withdrawn && w != nil && w.ByAuthor {
		return nil
	}
	return errs.Newf(errs.SubmissionStateInvalid, "%s is not seen by everybody: it is %s.", item.ItemID, item.Visibility)
}

// WithdrawInput says what a member takes out of the catalog, or puts back.
type WithdrawInput struct {
	UserID    string       `json:"user_id"`
	Kind      catalog.Kind `json:"kind"`
	ItemID    string       `json:"item_id"`
	Version   string       `json:"version"` // "" for all of it
	Withdrawn bool         `json:"withdrawn"`
	Note      string       `json:"note"`
	byMirror  bool         // a sync follows the source
}

// WithdrawResult is what stands then: Version is the latest, Withdrawn and Note are those of what was asked for.
type WithdrawResult struct {
	Kind      catalog.Kind `json:"kind"`
	ItemID    string       `json:"item_id"`
	Version   string       `json:"version"`
	Withdrawn bool         `json:"withdrawn"`
	Note      string       `json:"note"`
	// Versions are those that were taken out one by one, newest first.
	Versions []catalog.WithdrawnLine `json:"withdrawn_versions"`
}

// withdrawNoteMost bounds what an author says of a withdrawal, in bytes.
const withdrawNoteMost = 2000

// WithdrawMemberItem takes an item of the member's own, or one version of it, out of the catalog, with a word to whoever has it installed, or puts back
// what they took out themselves. What somebody in charge withdrew stays withdrawn. Again changes nothing.
func (a *Service) WithdrawMemberItem(ctx context.Context, c core.Caller, in WithdrawInput) (WithdrawResult, error) {
	userID, err := c.Allowlisted(in.UserID)
	if err != nil {
		return WithdrawResult{}, err
	}
	switch note := strings.TrimSpace(in.Note); {
	case in.ItemID == "":
		return WithdrawResult{}, errs.Invalid("item_id", "must say which item")
	case in.Withdrawn && note == "":
		return WithdrawResult{}, errs.Invalid("note", "must say why: whoever has it installed reads it")
	case len(note) > withdrawNoteMost:
		return WithdrawResult{}, errs.Invalid("note", "must be at most 2000 bytes long")
	}
	var item marketdb.Item
	out := WithdrawResult{Kind: in.Kind, ItemID: in.ItemID, Withdrawn: in.Withdrawn}
	err = a.decideItem(ctx, in.Kind, in.ItemID, func(tx *store.Tx, found marketdb.Item) error {
		if found.Owner != userID {
			return sqldb.ErrNotFound // as if it were not there
		}
		versions, err := tx.Versions(ctx, found.Seq)
		if err != nil {
			return err
		}
		alone := false
		if item, alone, err = a.decideVersion(ctx, tx, c, found, versions, in); err == nil && !alone {
			item, err = a.decideOwn(ctx, tx, c, found, in)
		}
		out.Versions = withdrawnLines(item, versions)
		return err
	})
	out.Version = item.Version
	if w := item.Facts.Withdrawal; w != nil {
		out.Note = w.Note
	} else if w, gone := item.Facts.WithdrawnVersions[in.Version]; gone {
		out.Note = w.Note
	}
	return out, err
}

// decideOwn withdraws or restores all of an own item.
func (a *Service) decideOwn(ctx context.Context, tx *store.Tx, c core.Caller, item marketdb.Item, in WithdrawInput) (marketdb.Item, error) {
	found, w := item, item.Facts.Withdrawal
	switch {
	case in.Withdrawn == (item.Visibility == catalog.Withdrawn):
		return item, nil
	case item.Visibility == catalog.Private:
		return item, errs.Newf(errs.SubmissionStateInvalid, "%s is seen by you alone; there is nobody to withdraw it from.", in.ItemID)
	case in.Withdrawn:
		w = &marketdb.Withdrawal{Note: strings.TrimSpace(in.Note), ByAuthor: true}
		item.Facts.Withdrawal = w
		return item, a.withdrawItem(ctx, tx, c, found, *w)
	case w == nil || !w.ByAuthor:
		return item, errs.Newf(errs.PermissionDenied, "%s was withdrawn by somebody in charge; they alone put it back.", in.ItemID)
	}
	item.Facts.Withdrawal = nil
	return item, a.restoreItem(ctx, tx, c, found)
}

// RestoreItem puts a withdrawn item back.
func (a *Service) RestoreItem(ctx context.Context, kind catalog.Kind, id string) error {
	return a.decideItem(ctx, kind, id, func(tx *store.Tx, item marketdb.Item) error {
		if item.Visibility != catalog.Withdrawn {
			return errs.Newf(errs.SubmissionStateInvalid, "%s is not withdrawn: it is %s.", id, item.Visibility)
		}
		return a.restoreItem(ctx, tx, core.Acting(ctx), item)
	})
}

func (a *Service) decideItem(ctx context.Context, kind catalog.Kind, id string, decide func(*store.Tx, marketdb.Item) error) error {
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		item, err := tx.Item(ctx, kind, id)
		if err != nil {
			return err
		}
		if by := core.Acting(ctx); by != core.Operator && by.UserID == item.Owner {
			return errs.New(errs.PermissionDenied, "Nobody decides about an item of their own.")
		}
		return decide(tx, item)
	})
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.Newf(errs.NotFound, "There is no published %s %s.", kind, id)
	}
	return err
}

func (a *Service) withdrawItem(ctx context.Context, tx *store.Tx, c core.Caller, item marketdb.Item, w marketdb.Withdrawal) error {
	w.At = clock.Micros(tx.Now)
	item.Visibility, item.Facts.Withdrawal = catalog.Withdrawn, &w
	message := item.ItemID + ", which you have installed, was withdrawn from the catalog."
	if w.Note != "" {
		message += " The reason: " + w.Note
	}
	if err := a.showChanged(ctx, tx, item); err != nil {
		return err
	}
	message += fmt.Sprintf(" What you have stays yours. Uninstall it, or take it out of your bot with `stoa apply --remove %s`, if you do not want it.", item.ItemID)
	err := tellOf(tx, w, core.About{ItemID: item.ItemID}, message, func(after string) ([]string, error) {
		return tx.Installers(ctx, item.Seq, "", after, core.SweepBatch)
	})
	if err != nil {
		return err
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: item.Owner, Action: "item.withdrawn", Kind: item.Kind, ItemID: item.ItemID, Status: "ok", Detail: map[string]any{"version": item.Version, "note": w.Note},
	}))
}

// tellOf tells those of a withdrawal whom installers lists, in batches by name.
func tellOf(tx *store.Tx, w marketdb.Withdrawal, about core.About, message string, installers func(after string) ([]string, error)) error {
	for after := ""; ; {
		users, err := installers(after)
		if err != nil {
			return err
		}
		for _, userID := range users {
			if again, err := toldAlready(tx, userID, about.ItemID, message, w); err != nil {
				return err
			} else if again {
				continue
			}
			if err := core.Notify(tx, userID, core.ToldWithdrawn, about, "%s", message); err != nil {
				return err
			}
		}
		if len(users) < core.SweepBatch {
			return nil
		}
		after = users[len(users)-1]
	}
}

// toldAlready says whether a member need not be told of a withdrawal. What somebody in charge says always reaches them; what a
// mirror's source switches back and forth, once for what they have installed.
func toldAlready(tx *store.Tx, userID, itemID, message string, w marketdb.Withdrawal) (bool, error) {
	if w.ByMirror {
		return tx.ToldSinceInstalled(userID, core.ToldWithdrawn, itemID, message)
	}
	if !w.ByAuthor {
		return false, nil
	}
	return tx.ToldSince(userID, core.ToldWithdrawn, itemID, clock.Micros(tx.Now.Add(-browse.ToldOnceIn)))
}

func (a *Service) restoreItem(ctx context.Context, tx *store.Tx, c core.Caller, item marketdb.Item) error {
	item.Visibility, item.Facts.Withdrawal = catalog.Community, nil
	if err := a.showChanged(ctx, tx, item); err != nil {
		return err
	}
	return tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: item.Owner, Action: "item.restored", Kind: item.Kind, ItemID: item.ItemID, Status: "ok", Detail: map[string]any{"version": item.Version},
	}))
}

func (a *Service) showChanged(ctx context.Context, tx *store.Tx, item marketdb.Item) error {
	if err := tx.UpdateItem(&item); err != nil {
		return err
	}
	return a.show(ctx, tx, item)
}
