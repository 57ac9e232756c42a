package market

import (
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/market/feed"
	"stoa/internal/platform/store"
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
func (a *Market) rowForm() string { return feedRowForm + " " + a.Version }

func (a *Market) makeFeedRow(ctx context.Context, i store.Item) (*feed.Row, error) {
	c, err := a.makeCard(ctx, i.Seq, store.Version{Version: i.Version, PublishedAt: i.PublishedAt})
	if err != nil {
		return nil, err
	}
	return feed.RowOf(c), nil
}

func (a *Market) keptFeedRows(ctx context.Context) (map[int64]keptFeedRow, error) {
	all := map[int64]keptFeedRow{}
	err := a.Store.FeedRows(ctx, a.rowForm(), func(r store.FeedRow) {
		row := &feed.Row{}
		if json.Unmarshal(r.Body, row) == nil {
			all[r.Seq] = keptFeedRow{r.Version, row}
		}
	})
	return all, err
}

// keepFeedRows keeps the rows that are not kept yet, for the next start.
func (a *Market) keepFeedRows(ctx context.Context) error {
	form, kept := a.rowForm(), map[int64]string{}
	if err := a.Store.FeedRows(ctx, form, func(r store.FeedRow) { kept[r.Seq] = r.Version }); err != nil {
		return err
	}
	var fresh []*feed.Row
	a.feeds.reading.Lock()
	for _, r := range a.feeds.all {
		if kept[r.Seq] != r.Version {
			fresh = append(fresh, r)
		}
	}
	a.feeds.reading.Unlock()
	if len(fresh) < feedRowLeast {
		return nil
	}
	for batch := range slices.Chunk(fresh, feedRowBatch) {
		err := a.Store.Write(ctx, func(tx *store.Tx) error {
			for _, r := range batch {
				text, err := json.Marshal(r.Lasting())
				if err != nil {
					return err
				}
				if err := tx.PutFeedRow(form, store.FeedRow{Seq: r.Seq, Version: r.Version, Body: text}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
