package browse

import (
	"context"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/fulltext"
	"stoa/internal/platform/store/marketdb"
)

// SearchMaintenanceEvery is how often the search index is tended.
const SearchMaintenanceEvery = time.Hour

// Index puts the item where search finds it.
func (a *Service) Index(ctx context.Context, tx *store.Tx, item marketdb.Item, d *catalog.Document) error {
	return a.Store.Search().Put(ctx, tx.Querier(), item.Seq, item.Revision, searched(d))
}

// searched is what search may find of a document.
func searched(d *catalog.Document) search.Document {
	out := search.Document{Kind: searchKind(d.Kind), ID: d.ID, Keywords: append([]string{d.Category, d.Maintainer}, d.Tags...)}
	for _, tag := range d.LocaleTags() {
		text := d.Locales[tag]
		out.Titles = append(out.Titles, text.Title)
		out.Descriptions = append(out.Descriptions, text.Description)
		out.Bodies = append(out.Bodies, text.Prompt)
	}
	out.Keywords = append(out.Keywords, d.SectionNames()...)
	return out
}

func searchKind(kind catalog.Kind) search.Kind {
	if kind == catalog.KindProfilePack {
		return search.Pack
	}
	return search.Template
}

// MaintainSearch marks the most installed items in the search index, so that a word with too many hits
// still finds them, and lets the engine tidy up after the writes since the last time. It does nothing
// until the catalog is read: what is popular is not known before. One node does it for all.
func (a *Service) MaintainSearch(ctx context.Context) error {
	select {
	case <-a.Cache.ready:
	default:
		return nil
	}
	var seqs []int64
	for _, index := range []*catalog.Index{a.Cache.templates, a.Cache.packs} {
		for _, seq := range index.Popular(fulltext.MaxPopular / 2) {
			if e, ok := index.BySeq(seq); ok && e.Engagement.Installs > 0 {
				seqs = append(seqs, seq)
			}
		}
	}
	_, err := a.RunExclusive(ctx, core.JobSearch, func(d *core.Job) error {
		return d.Write(ctx, func(tx *store.Tx) error {
			err := fulltext.RefreshPopular(ctx, tx.Querier(), a.Store.Search(), seqs, func(ctx context.Context, seq int64) (search.Document, bool, error) {
				for _, index := range []*catalog.Index{a.Cache.templates, a.Cache.packs} {
					if e, ok := index.BySeq(seq); ok {
						d, err := tx.Document(ctx, seq, e.Version)
						return searched(&d), err == nil, err
					}
				}
				return search.Document{}, false, nil
			})
			if err != nil {
				return err
			}
			return a.Store.Search().Maintain(ctx, tx.Querier())
		})
	})
	return err
}
