package review

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/mirror"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/fetch"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// Bounds of a mirror.
const (
	mirrorItems    = 30_000
	mirrorMost     = 200_000
	mirrorEvery    = 6 * time.Hour
	mirrorLeast    = 5 * time.Minute
	mirrorsMost    = 50
	mirrorLook     = time.Minute // how often it is asked whether one is due
	mirrorTurn     = 20 * time.Minute
	mirrorAgain    = 10 * time.Minute
	mirrorIDLength = 64
)

// MirrorView is a mirror as the operator sees it.
type MirrorView struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	URL       string `json:"url"`
	Republish bool   `json:"republish"`
	Private   bool   `json:"allow_private"`
	MaxItems  int    `json:"max_items"`
	Every     string `json:"every"`
	SyncedAt  string `json:"synced_at"` // "" before the first whole sync
	NextAt    string `json:"next_at"`
	Running   bool   `json:"running"`
	Problem   string `json:"problem"`
	Published int    `json:"published"`
	Waiting   int    `json:"waiting"`
	Refused   int    `json:"refused"`
	Gone      int    `json:"gone"`
}

// MirrorRefusal says why an entry of a mirror is not in the catalog.
type MirrorRefusal struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// MirrorInput says what is to be mirrored and how. Zero values are the defaults.
type MirrorInput struct {
	Name, URL          string
	Republish, Private bool
	MaxItems           int
	Every              time.Duration
}

// AddMirror finds out what an address is and keeps it as a mirror, which is synced from then on.
func (a *Service) AddMirror(ctx context.Context, in MirrorInput) (MirrorView, error) {
	if !ids.Segment(in.Name) || len(in.Name) > mirrorIDLength || ids.Reserved(in.Name) {
		return MirrorView{}, errs.Invalid("name", "must be one segment of an id: lower-case letters, digits and single hyphens")
	}
	if _, err := a.Store.Lookalike(ctx, in.Name); err == nil {
		return MirrorView{}, errs.Invalid("name", "is a member's, whose items have it before their names, or could be taken for it")
	} else if !errors.Is(err, sqldb.ErrNotFound) {
		return MirrorView{}, err
	}
	source, err := mirror.Detect(ctx, a.fetcher(in.Private), in.URL, a.Clock())
	if err != nil {
		return MirrorView{}, errs.Newf(errs.InvalidRequest, "%s cannot be mirrored: %v", in.URL, err)
	}
	now := clock.Micros(a.Clock())
	m := marketdb.Mirror{
		Name: in.Name, Kind: string(source.Kind), URL: source.URL, Republish: in.Republish, Private: in.Private, MaxItems: mirrorItems, Every: mirrorEvery.Microseconds(),
		CreatedAt: now, NextAt: now,
	}
	if in.MaxItems > 0 {
		m.MaxItems = min(in.MaxItems, mirrorMost)
	}
	if in.Every > 0 {
		m.Every = max(in.Every, mirrorLeast).Microseconds()
	}
	err = a.Store.Write(ctx, func(tx *store.Tx) error {
		all, err := tx.Mirrors(ctx)
		if err != nil {
			return err
		}
		if len(all) >= mirrorsMost {
			return errs.Newf(errs.InvalidRequest, "There are %d mirrors, which is as many as there can be.", mirrorsMost)
		}
		for _, known := range all {
			if known.Name == m.Name {
				return errs.Newf(errs.InvalidRequest, "There is a mirror %s already; it is of %s.", known.Name, known.URL)
			}
		}
		if used, err := tx.NamespaceUsed(ctx, m.Name, catalog.ChannelMirror); err != nil {
			return err
		} else if used {
			return errs.Invalid("name", "stands before the names of items that are here already")
		}
		return tx.PutMirror(m)
	})
	if err != nil {
		return MirrorView{}, err
	}
	return a.mirrorView(ctx, m)
}

// Mirrors lists all mirrors.
func (a *Service) Mirrors(ctx context.Context) ([]MirrorView, error) {
	all, err := a.Store.Mirrors(ctx)
	out := make([]MirrorView, 0, len(all))
	for _, m := range all {
		v, err := a.mirrorView(ctx, m)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, err
}

// MirrorRefusals lists what a mirror does not take, by the source's ids, after one.
func (a *Service) MirrorRefusals(ctx context.Context, name, after string, limit int) ([]MirrorRefusal, error) {
	rows, err := a.Store.MirrorEntries(ctx, name, marketdb.MirrorRefused, after, 0, limit)
	out := make([]MirrorRefusal, 0, len(rows))
	for _, e := range rows {
		out = append(out, MirrorRefusal{e.UpstreamID, e.Reason})
	}
	return out, err
}

// RepublishMirror decides whether a mirror's items are in the feeds.
func (a *Service) RepublishMirror(ctx context.Context, name string, republish bool) (MirrorView, error) {
	var m marketdb.Mirror
	err := a.mirrorJob(ctx, name, func(d *core.Job, found marketdb.Mirror) error {
		m = found
		m.Republish = republish
		if err := d.Write(ctx, func(tx *store.Tx) error { return tx.PutMirror(m) }); err != nil {
			return err
		}
		return a.eachMirrored(ctx, d, m.Name, 0, func(tx *store.Tx, _ marketdb.MirrorEntry, item marketdb.Item) error {
			if item.ItemID == "" || item.Facts.Republish == republish {
				return nil // there is no item of an entry that is refused
			}
			item.Facts.Republish = republish
			return a.showChanged(ctx, tx, item)
		})
	})
	if err != nil {
		return MirrorView{}, err
	}
	return a.mirrorView(ctx, m)
}

// RemoveMirror ends a mirror; its items are withdrawn.
func (a *Service) RemoveMirror(ctx context.Context, name string) error {
	return a.mirrorJob(ctx, name, func(d *core.Job, m marketdb.Mirror) error {
		err := a.eachMirrored(ctx, d, m.Name, 0, func(tx *store.Tx, _ marketdb.MirrorEntry, item marketdb.Item) error {
			if item.Visibility != catalog.Community {
				return nil
			}
			return a.withdrawItem(ctx, tx, core.Operator, item, marketdb.Withdrawal{Note: "The mirror " + m.Name + " was removed.", ByMirror: true})
		})
		if err != nil {
			return err
		}
		return d.Write(ctx, func(tx *store.Tx) error { return tx.RemoveMirror(m.Name) })
	})
}

// eachMirrored carries do out for the items of a mirror, a batch in each transaction; before is as in store.MirrorEntries.
func (a *Service) eachMirrored(ctx context.Context, d *core.Job, name string, before int64, do func(*store.Tx, marketdb.MirrorEntry, marketdb.Item) error) error {
	for after := ""; ; {
		rows, err := a.Store.MirrorEntries(ctx, name, "", after, before, importBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		err = d.Write(ctx, func(tx *store.Tx) error {
			for _, e := range rows {
				item, err := tx.Item(ctx, e.Kind, e.ItemID)
				if err != nil && !errors.Is(err, sqldb.ErrNotFound) {
					return err
				}
				if err := do(tx, e, item); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after = rows[len(rows)-1].UpstreamID
	}
}

// mirrorJob does work on a mirror while no other node does any on one.
func (a *Service) mirrorJob(ctx context.Context, name string, work func(*core.Job, marketdb.Mirror) error) error {
	did, err := a.RunExclusive(ctx, core.JobMirror, func(d *core.Job) error {
		m, err := a.Store.Mirror(ctx, name)
		if errors.Is(err, sqldb.ErrNotFound) {
			return errs.Newf(errs.NotFound, "There is no mirror %s.", name)
		}
		if err != nil {
			return err
		}
		return work(d, m)
	})
	if err == nil && !did {
		err = errs.New(errs.ServiceUnavailable, "A mirror is being synced by the server. Try again in a moment.")
	}
	return err
}

func (a *Service) mirrorView(ctx context.Context, m marketdb.Mirror) (MirrorView, error) {
	counts, err := a.Store.MirrorCounts(ctx, m.Name)
	v := MirrorView{
		Name: m.Name, Kind: m.Kind, URL: m.URL, Republish: m.Republish, Private: m.Private, MaxItems: m.MaxItems, Every: (time.Duration(m.Every) * time.Microsecond).String(),
		NextAt: clock.Text(clock.FromMicros(m.NextAt)), Running: m.Running, Problem: m.Problem,
		Published: counts[marketdb.MirrorPublished], Waiting: counts[marketdb.MirrorWaiting], Refused: counts[marketdb.MirrorRefused], Gone: counts[marketdb.MirrorGone],
	}
	if m.SyncedAt > 0 {
		v.SyncedAt = clock.Text(clock.FromMicros(m.SyncedAt))
	}
	return v, err
}

// fetcher gets documents for a mirror.
func (a *Service) fetcher(private bool) mirror.Fetcher { return fetch.New(private) }

// SyncMirrors keeps the mirrors up to date until ctx ends.
func (a *Service) SyncMirrors(ctx context.Context) {
	for core.Sleep(ctx, mirrorLook) {
		if err := a.SyncDueMirrors(ctx); err != nil && ctx.Err() == nil {
			a.Log.Error("mirrors", "error", err)
		}
	}
}

// SyncDueMirrors syncs the mirrors whose time has come, each for one turn.
func (a *Service) SyncDueMirrors(ctx context.Context) error {
	all, err := a.Store.Mirrors(ctx)
	now := clock.Micros(a.Clock())
	for _, m := range all {
		if m.NextAt <= now {
			_, problem := a.syncMirror(ctx, m.Name, mirrorTurn)
			if e, ok := errs.As(problem); problem != nil && (!ok || e.Code != errs.InvalidRequest) {
				err = errors.Join(err, problem)
			}
		}
	}
	return err
}
