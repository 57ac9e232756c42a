package review

import (
	"context"
	"fmt"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/install"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
)

// ExamineSearch tells whether the search index agrees with the items; with repair it rebuilds one that does not.
func (a *Service) ExamineSearch(ctx context.Context, repair bool) (core.Finding, error) {
	inStep, err := a.SearchInStep(ctx)
	if err != nil {
		return core.Finding{}, err
	}
	if inStep {
		return core.Finding{Check: "search_index", OK: true, Detail: "agrees with the catalog"}, nil
	}
	if !repair {
		return core.Finding{Check: "search_index", OK: false, Detail: "does not agree with the catalog", Fix: "run `stoa doctor --repair`"}, nil
	}
	n, err := a.Reindex(ctx)
	return core.Finding{Check: "search_index", OK: err == nil, Detail: fmt.Sprintf("was rebuilt for %d items", n)}, err
}

// Reindex puts every item into the search index again and tells how many there are.
func (a *Service) Reindex(ctx context.Context) (int, error) {
	var items []marketdb.Item
	if err := a.Store.ItemsAfter(ctx, marketdb.AllItems, func(i marketdb.Item, _ catalog.Engagement) { items = append(items, i) }); err != nil {
		return 0, err
	}
	status, err := a.Store.Search().Status(ctx, a.Store.Querier())
	if err != nil {
		return 0, err
	}
	write, step := a.Store.Write, importBatch
	if status.Documents == 0 { // of a store that was just filled
		write, step = a.Store.FillSearch, max(len(items), 1)
	}
	for start := 0; start < len(items); start += step {
		batch := items[start:min(start+step, len(items))]
		err := write(ctx, func(tx *store.Tx) error {
			for _, stale := range batch {
				item, err := tx.Item(ctx, stale.Kind, stale.ItemID) // it may have changed meanwhile
				if err != nil {
					return err
				}
				d, err := tx.Document(ctx, item.Seq, item.Version)
				if err != nil {
					return err
				}
				if err := a.Index(ctx, tx, item, &d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return start, err
		}
	}
	return len(items), nil
}

// ExamineIDs names the items whose ids are from before the rule for ids. They keep working.
func (a *Service) ExamineIDs(ctx context.Context) (core.Finding, error) {
	var odd []string
	err := a.Store.ItemsAfter(ctx, marketdb.AllItems, func(i marketdb.Item, _ catalog.Engagement) {
		if !ids.New(i.ItemID) {
			odd = append(odd, fmt.Sprintf("%q", i.ItemID))
		}
	})
	if len(odd) == 0 {
		return core.Finding{Check: "item_ids", OK: true, Detail: "all follow the rule"}, err
	}
	shown := strings.Join(odd[:min(len(odd), 20)], ", ")
	return core.Finding{Check: "item_ids", OK: true, Detail: fmt.Sprintf("%d items have ids from before the rule, which may look like others or are names of devices on Windows; they keep working: %s", len(odd), shown)}, err
}

// ExaminePackages tells whether every package has its bytes; with repair it rebuilds those that can be rebuilt.
func (a *Service) ExaminePackages(ctx context.Context, repair bool) (core.Finding, error) {
	f := core.Finding{Check: "packages", OK: true}
	checked, bad := 0, 0
	err := a.Store.EachArtifact(ctx, func(ref marketdb.ArtifactRef) error {
		checked++
		err := a.Blobs.Verify(ctx, ref.SHA256)
		if err == nil || errs.CodeOf(err) == errs.ServiceUnavailable {
			return err // what cannot be reached is not damaged
		}
		if repair && ref.Source == install.Built {
			if err := a.remake(ctx, ref); err == nil {
				f.Detail += fmt.Sprintf("%s %s was made again; ", ref.ItemID, ref.Version)
				return nil
			}
		}
		bad++
		f.OK = false
		if bad <= 20 {
			f.Detail += fmt.Sprintf("%s %s is missing or damaged; ", ref.ItemID, ref.Version)
		}
		return nil
	})
	f.Detail += fmt.Sprintf("%d packages checked, %d bad", checked, bad)
	if bad > 0 {
		f.Fix = "run `stoa doctor --repair`; what stays bad must be restored from a backup"
	}
	return f, err
}

// remake builds a generated package again, over damaged bytes too.
func (a *Service) remake(ctx context.Context, ref marketdb.ArtifactRef) error {
	d, err := a.Store.Document(ctx, ref.Seq, ref.Version)
	if err != nil {
		return err
	}
	r := release{document: d}
	if err := a.prepare(ctx, &r); err != nil {
		return err
	}
	return a.Blobs.Verify(ctx, ref.SHA256)
}
