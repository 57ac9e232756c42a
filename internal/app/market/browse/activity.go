package browse

import (
	"context"
	"errors"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// ActivityInput asks how much was used per day: one item, all items of a kind, or all.
type ActivityInput struct {
	Kind   string `json:"kind"`
	ItemID string `json:"item_id"`
	Days   int    `json:"days"` // 0 is 90
}

// Uses are the ways in which an item is used, with a count or a series of counts of each.
type Uses[T any] struct {
	Installs    T `json:"installs"`
	Trials      T `json:"trials"`
	Prompts     T `json:"prompts"`
	Packages    T `json:"packages"`
	Submissions T `json:"submissions"`
}

// of is the place of a counter, nil for one that is not shown.
func (u *Uses[T]) of(c marketdb.Counter) *T {
	switch c {
	case marketdb.Installs:
		return &u.Installs
	case marketdb.TrialRequests:
		return &u.Trials
	case marketdb.PromptGenerations:
		return &u.Prompts
	case marketdb.PackageGenerations:
		return &u.Packages
	case marketdb.CommunitySubmissions:
		return &u.Submissions
	}
	return nil
}

// Activity is how much was used on each UTC day, the oldest first, today last.
type Activity struct {
	Kind   string      `json:"kind"`
	ItemID string      `json:"item_id"`
	From   string      `json:"from"` // the first day
	To     string      `json:"to"`   // today
	Days   int         `json:"days"`
	Series Uses[[]int] `json:"series"`
	Totals Uses[int]   `json:"totals"` // of these days
}

const (
	mostDays = 90
	// activityKept is how long uses per day are kept.
	activityKept = 100 * 24 * time.Hour
)

// GetMarketActivity answers uses per day. Of the market only what everybody may see is counted.
func (a *Service) GetMarketActivity(ctx context.Context, c core.Caller, in ActivityInput) (Activity, error) {
	if in.Days == 0 {
		in.Days = mostDays
	}
	today := a.Clock().UTC().Truncate(24 * time.Hour)
	first := today.AddDate(0, 0, 1-in.Days)
	out := Activity{Kind: in.Kind, ItemID: in.ItemID, From: first.Format(time.DateOnly), To: today.Format(time.DateOnly), Days: in.Days}
	rows, err := a.activityOf(ctx, c, in, first.Unix()/86400)
	if err != nil {
		return Activity{}, err
	}
	for _, counter := range []marketdb.Counter{marketdb.Installs, marketdb.TrialRequests, marketdb.PromptGenerations, marketdb.PackageGenerations, marketdb.CommunitySubmissions} {
		*out.Series.of(counter) = make([]int, in.Days)
	}
	for _, r := range rows {
		series, at := out.Series.of(r.Counter), int(r.Day-first.Unix()/86400)
		if series == nil || at >= in.Days { // a day that began after this request did
			continue
		}
		(*series)[at] += int(r.Uses)
		*out.Totals.of(r.Counter) += int(r.Uses)
	}
	return out, nil
}

func (a *Service) activityOf(ctx context.Context, c core.Caller, in ActivityInput, since int64) ([]marketdb.Activity, error) {
	kind := catalog.Kind(in.Kind)
	if in.ItemID == "" {
		return a.Store.MarketActivity(ctx, kind, since)
	}
	if kind == "" {
		return nil, errs.Invalid("kind", "is needed with item_id: template or profile_pack")
	}
	e, err := a.find(ctx, c, kind, in.ItemID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, errs.New(errs.NotFound, "There is no published item with this id.").With("item_id", in.ItemID)
	}
	if err != nil {
		return nil, err
	}
	return a.Store.ItemActivity(ctx, e.Seq, since)
}

// SweepActivity removes counts per day whose time has passed.
func (a *Service) SweepActivity(tx *store.Tx) error {
	return tx.SweepActivity(clock.Micros(tx.Now.Add(-activityKept))/(24*time.Hour).Microseconds(), core.SweepBatch)
}
