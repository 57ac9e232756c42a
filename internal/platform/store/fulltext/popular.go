package fulltext

import (
	"context"
	"slices"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/sqldb"
)

// MaxPopular is how many items may be marked popular.
const MaxPopular = 300

// RefreshPopular makes the given items, best first, the popular ones of an
// index; beyond MaxPopular they are ignored. A search whose answer is cut short
// looks at them besides the newest. Call it in one transaction now and then, for
// instance every hour: only items that come or go are written. Load returns the
// document of an indexed item, and false if there is none any more.
func RefreshPopular(
	ctx context.Context, q sqldb.Querier, index Index, seqs []int64,
	load func(ctx context.Context, seq int64) (search.Document, bool, error),
) error {
	want := slices.Clone(seqs[:min(len(seqs), MaxPopular)])
	slices.Sort(want)
	have, err := Seqs(ctx, q, searchPopular)
	if err != nil {
		return err
	}
	for _, seq := range have {
		if _, stays := slices.BinarySearch(want, seq); !stays {
			if err := index.SetPopular(ctx, q, seq, search.Document{}, false); err != nil {
				return err
			}
		}
	}
	for _, seq := range slices.Compact(want) {
		if _, known := slices.BinarySearch(have, seq); known {
			continue
		}
		doc, ok, err := load(ctx, seq)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := index.SetPopular(ctx, q, seq, doc, true); err != nil {
			return err
		}
	}
	return nil
}
