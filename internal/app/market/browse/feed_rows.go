package browse

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/internal/app/core"
	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/feed"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// feedRowForm changes with what RowOf says of the same card.
const feedRowForm = "1"

// Kept rows are written in batches, and not for a few: those are made again sooner than they are written.
const (
	feedRowBatch = 500
	feedRowLeast = 100
)

// keptFeedRow is what an earlier process of this program worked out of a version.
type keptFeedRow struct {
	version string
	row     *feed.Row
}

// rowForm names who worked a row out. The program's version is in it, since another may mask more.
func (a *Service) rowForm() string { return feedRowForm + " " + a.Version }

func (a *Service) makeFeedRow(ctx context.Context, i marketdb.Item) (*feed.Row, error) {
	c, err := a.makeCard(ctx, a.feedReader(i.Visibility == catalog.Private), i.Seq, marketdb.Version{Version: i.Version, PublishedAt: i.PublishedAt})
	if err != nil {
		return nil, err
	}
	return feed.RowOf(c), nil
}

func (a *Service) keptFeedRows(ctx context.Context) (map[int64]keptFeedRow, error) {
	all := map[int64]keptFeedRow{}
	err := a.Store.Catalog(ctx, func(q store.Queries) error {
		return q.FeedRows(ctx, a.rowForm(), func(r marketdb.FeedRow) {
			row := &feed.Row{}
			if json.Unmarshal(r.Body, row) == nil {
				all[r.Seq] = keptFeedRow{r.Version, row}
			}
		})
	})
	return all, err
}

// readFeedRows reads the rows of changed items, nil for those that are in no feed. After an upgrade that is every package there
// is, which takes a while: half of the machine is left to others, and what is done is kept as it goes, for the next start.
func (a *Service) readFeedRows(ctx context.Context, changed []marketdb.Item, kept map[int64]keptFeedRow) ([]*feed.Row, error) {
	rows, fresh := make([]*feed.Row, len(changed)), 0
	for _, i := range changed {
		if k := kept[i.Seq]; inFeeds(i) && (k.row == nil || k.version != i.Version) {
			fresh++
		}
	}
	a.feeds.begin(fresh, a.Clock())
	keep := a.FeedsAhead && fresh >= feedRowLeast
	if keep {
		a.Log.Info("feeds: items are prepared for other assistants", "items", fresh)
	}
	for at := 0; at < len(changed); at += feedRowBatch {
		end := min(at+feedRowBatch, len(changed))
		reading, together := errgroup.WithContext(ctx)
		reading.SetLimit(max(1, runtime.GOMAXPROCS(0)/2))
		for i := at; i < end; i++ {
			reading.Go(func() (err error) {
				rows[i], err = a.readFeedRow(together, changed[i], kept[changed[i].Seq])
				return err
			})
		}
		if err := reading.Wait(); err != nil {
			return nil, err
		}
		made := slices.DeleteFunc(slices.Clone(rows[at:end]), func(r *feed.Row) bool { return r == nil || kept[r.Seq].row == r })
		a.feeds.done.Add(int64(len(made)))
		if !keep || len(made) == 0 {
			continue
		}
		if err := a.keepFeedRows(ctx, made); err != nil {
			a.Log.Warn("feeds: what was read could not be kept; the next start reads it again", "error", err)
			keep = false
		}
	}
	return rows, nil
}

func (a *Service) keepFeedRows(ctx context.Context, rows []*feed.Row) error {
	form := a.rowForm()
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		for _, r := range rows {
			text, err := json.Marshal(r.Lasting())
			if err != nil {
				return err
			}
			if err := tx.PutFeedRow(form, marketdb.FeedRow{Seq: r.Seq, Version: r.Version, Body: text}); err != nil {
				return err
			}
		}
		return nil
	})
}

// inFeeds tells whether an item may be in a feed at all. One that was withdrawn was seen by everybody before; a feed whose format
// has a word for it tells that it is gone.
func inFeeds(i marketdb.Item) bool {
	return (i.SourceChannel != catalog.ChannelMirror || i.Facts.Republish) &&
		card.Slug(i.ItemID) != "" // an id from before the rule, which other programs could not name
}

// feedPatience is how long a request waits for the first reading of the feeds before it is asked to come again.
const feedPatience = 5 * time.Second

// feedWork is how far a reading of the feeds is.
type feedWork struct {
	total, done atomic.Int64
	since       atomic.Int64 // in µs
}

func (w *feedWork) begin(total int, now time.Time) {
	w.done.Store(0)
	w.total.Store(int64(total))
	w.since.Store(clock.Micros(now))
}

// wait is about how long the reading goes on, from what it has done so far.
func (w *feedWork) wait(now time.Time) time.Duration {
	done, total := w.done.Load(), w.total.Load()
	if done == 0 {
		return feedPatience
	}
	spent := time.Duration(clock.Micros(now)-w.since.Load()) * time.Microsecond
	return min(max(spent*time.Duration(total-done)/time.Duration(done), time.Second), time.Minute)
}

// firstFeeds reads the feeds when nobody has yet, and waits for them as long as a client does without complaint.
func (a *Service) firstFeeds(ctx context.Context) error {
	f := &a.feeds
	if f.current.Load() != nil {
		return nil
	}
	read := f.first.DoChan("", func() (any, error) {
		return a.feedNow(context.WithoutCancel(ctx)) // whoever asked first may go away; the next one is glad of it
	})
	late := time.NewTimer(feedPatience)
	defer late.Stop()
	select {
	case got := <-read:
		return got.Err
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return &errs.Error{
			Code: errs.ServiceUnavailable, RetryAfter: f.wait(a.Clock()),
			Message: fmt.Sprintf("The feeds are being prepared: %d of %d items are done. Try again in a moment.", f.done.Load(), f.total.Load()),
		}
	}
}

// ExamineFeeds tells how many items are prepared for the feeds of this program's version.
func (a *Service) ExamineFeeds(ctx context.Context) (core.Finding, error) {
	f := core.Finding{Check: "feeds", OK: true}
	kept := map[int64]string{}
	if err := a.Store.FeedRows(ctx, a.rowForm(), func(r marketdb.FeedRow) { kept[r.Seq] = r.Version }); err != nil {
		return f, err
	}
	total, ready := 0, 0
	err := a.Store.ItemsAfter(ctx, marketdb.AllItems, func(i marketdb.Item, _ catalog.Engagement) {
		if inFeeds(i) {
			total++
			if kept[i.Seq] == i.Version {
				ready++
			}
		}
	})
	f.Detail = fmt.Sprintf("%d of %d items are prepared", ready, total)
	if total-ready >= feedRowLeast {
		f.Detail += "; a running server with feeds prepares the others and answers 503 with Retry-After in feeds until then"
	}
	return f, err
}
