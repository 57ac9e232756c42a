package review

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// decideVersion withdraws or restores one version of an own item; versions are all of it, newest first. alone is false when that is
// to be done with the whole item: no version is named, or it is the last that stands.
func (a *Service) decideVersion(ctx context.Context, tx *store.Tx, c core.Caller, item marketdb.Item, versions []marketdb.Version, in WithdrawInput) (_ marketdb.Item, alone bool, err error) {
	if in.Version == "" {
		return item, false, nil
	}
	at := slices.IndexFunc(versions, func(v marketdb.Version) bool { return v.Version == in.Version })
	if at < 0 {
		return item, true, errs.Newf(errs.NotFound, "There is no version %s of %s.", in.Version, in.ItemID)
	}
	w, gone := item.Facts.WithdrawnVersions[in.Version]
	out := item.Visibility == catalog.Withdrawn
	switch last := len(versions)-len(item.Facts.WithdrawnVersions) == 1; {
	case in.Withdrawn == gone:
		return item, gone || !out, nil // a version that stands in an item that does not is put back with it
	case !in.Withdrawn && out:
		return item, true, errs.Newf(errs.SubmissionStateInvalid, "All of %s is withdrawn. Put it back first, then this version.", in.ItemID)
	case in.Withdrawn && (last || out || item.Visibility == catalog.Private):
		return item, false, nil
	}
	action := "item.version_restored"
	if in.Withdrawn {
		action, w = "item.version_withdrawn", marketdb.Withdrawal{At: clock.Micros(tx.Now), Note: strings.TrimSpace(in.Note), ByAuthor: c.UserID == item.Owner, ByMirror: in.byMirror}
		if item.Facts.WithdrawnVersions == nil {
			item.Facts.WithdrawnVersions = map[string]marketdb.Withdrawal{}
		}
		item.Facts.WithdrawnVersions[in.Version] = w
	} else {
		delete(item.Facts.WithdrawnVersions, in.Version)
	}
	if item, err = a.showNewest(ctx, tx, item, versions); err != nil {
		return item, true, err
	}
	if in.Withdrawn {
		if err := tellOfVersion(ctx, tx, item, in.Version, w); err != nil {
			return item, true, err
		}
	}
	return item, true, tx.AddEvent(core.NewAuditEvent(tx, c, core.AuditEntry{
		Owner: item.Owner, Action: action, Kind: item.Kind, ItemID: item.ItemID, Status: "ok",
		Detail: map[string]any{"version": in.Version, "note": w.Note, "latest": item.Version},
	}))
}

// showNewest makes the newest version that stands the one that the catalog shows.
func (a *Service) showNewest(ctx context.Context, tx *store.Tx, item marketdb.Item, versions []marketdb.Version) (marketdb.Item, error) {
	newest := versions[slices.IndexFunc(versions, func(v marketdb.Version) bool {
		_, gone := item.Facts.WithdrawnVersions[v.Version]
		return !gone
	})]
	if newest.Version == item.Version {
		return item, a.showChanged(ctx, tx, item)
	}
	d, err := tx.Document(ctx, item.Seq, newest.Version)
	if err != nil {
		return item, err
	}
	sent, err := tx.Submission(ctx, newest.SubmissionID)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
		return item, err
	}
	r := release{document: d, owner: item.Owner, visibility: item.Visibility, channel: item.SourceChannel, note: sent.ReviewNote, republish: item.Facts.Republish}
	r.fill(tx, &item)
	item.PublishedAt = newest.PublishedAt
	if err := tx.UpdateItem(&item); err != nil {
		return item, err
	}
	if err := a.Index(ctx, tx, item, &d); err != nil {
		return item, err
	}
	return item, a.show(ctx, tx, item)
}

// tellOfVersion tells whoever has a withdrawn version which one replaces it.
func tellOfVersion(ctx context.Context, tx *store.Tx, item marketdb.Item, version string, w marketdb.Withdrawal) error {
	message := fmt.Sprintf("Version %s of %s, which you have installed, was withdrawn. The reason: %s What you have stays yours. Version %s is the newest that stands: "+
		"take that one instead on the page, with `stoa install %s`, or in your bot with `stoa update %s`.", version, item.ItemID, w.Note, item.Version, item.ItemID, item.ItemID)
	return tellOf(tx, w, core.About{ItemID: item.ItemID, Kind: item.Kind}, message, func(after string) ([]string, error) {
		return tx.InstallersOf(ctx, item.Seq, version, after, core.SweepBatch)
	})
}

func withdrawnLines(item marketdb.Item, versions []marketdb.Version) []catalog.WithdrawnLine {
	out := []catalog.WithdrawnLine{}
	for _, v := range versions {
		if w, gone := item.Facts.WithdrawnVersions[v.Version]; gone {
			out = append(out, withdrawnLine(v.Version, w))
		}
	}
	return out
}

func withdrawnLine(version string, w marketdb.Withdrawal) catalog.WithdrawnLine {
	return catalog.WithdrawnLine{Version: version, At: clock.Text(clock.FromMicros(w.At)), Note: w.Note}
}
