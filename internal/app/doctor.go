package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/install"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

// Finding is one thing that a check found out, good or bad, and how to mend it.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"`
}

// Examine looks over the whole store: whether it can be written, whether every package has its bytes
// and they fit their digest, whether search agrees with the catalog. With repair it mends what it can.
func (a *App) Examine(ctx context.Context, repair bool) ([]Finding, error) {
	findings := []Finding{a.examineDatabase(ctx), a.examineBlobs(ctx)}
	members, err := a.examineMembers(ctx)
	if err != nil {
		return findings, err
	}
	findings = append(findings, members...)
	search, err := a.examineSearch(ctx, repair)
	if err != nil {
		return findings, err
	}
	scans, err := a.examineScans(ctx)
	if err != nil {
		return findings, err
	}
	names, err := a.examineIDs(ctx)
	if err != nil {
		return findings, err
	}
	packages, err := a.examinePackages(ctx, repair)
	return append(findings, search, scans, names, packages), err
}

func (a *App) examineDatabase(ctx context.Context) Finding {
	if err := a.store.Check(ctx); err != nil {
		return Finding{"database", false, fmt.Sprintf("cannot be written: %v", err), "free disk space, check permissions, or check that PostgreSQL takes writes"}
	}
	return Finding{Check: "database", OK: true, Detail: fmt.Sprintf("%s can be written", a.store.Engine())}
}

func (a *App) examineBlobs(ctx context.Context) Finding {
	if err := a.blobs.Check(ctx); err != nil {
		return Finding{"blobs", false, err.Error(), "free disk space, check the folder's permissions, or check the object store and its keys"}
	}
	return Finding{Check: "blobs", OK: true, Detail: "packages can be stored"}
}

func (a *App) examineSearch(ctx context.Context, repair bool) (Finding, error) {
	inStep, err := a.searchInStep(ctx)
	if err != nil {
		return Finding{}, err
	}
	if inStep {
		return Finding{Check: "search_index", OK: true, Detail: "agrees with the catalog"}, nil
	}
	if !repair {
		return Finding{"search_index", false, "does not agree with the catalog", "run `stoa doctor --repair`"}, nil
	}
	n, err := a.Reindex(ctx)
	return Finding{Check: "search_index", OK: err == nil, Detail: fmt.Sprintf("was built anew for %d items", n)}, err
}

// Reindex puts every item into the search index again and tells how many there are.
func (a *App) Reindex(ctx context.Context) (int, error) {
	var items []store.Item
	if err := a.store.ItemsAfter(ctx, store.AllItems, func(i store.Item, _ catalog.Engagement) { items = append(items, i) }); err != nil {
		return 0, err
	}
	status, err := a.store.Search().Status(ctx, a.store.Querier())
	if err != nil {
		return 0, err
	}
	write, step := a.store.Write, importBatch
	if status.Documents == 0 { // of a store that was just filled
		write, step = a.store.FillSearch, max(len(items), 1)
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
				if err := a.index(ctx, tx, item, &d); err != nil {
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

// examineIDs names the items whose ids are from before the rule for ids. They keep working.
func (a *App) examineIDs(ctx context.Context) (Finding, error) {
	var odd []string
	err := a.store.ItemsAfter(ctx, store.AllItems, func(i store.Item, _ catalog.Engagement) {
		if !ids.Item(i.ItemID) {
			odd = append(odd, fmt.Sprintf("%q", i.ItemID))
		}
	})
	if len(odd) == 0 {
		return Finding{Check: "item_ids", OK: true, Detail: "all follow the rule"}, err
	}
	shown := strings.Join(odd[:min(len(odd), 20)], ", ")
	return Finding{Check: "item_ids", OK: true, Detail: fmt.Sprintf("%d items have ids from before the rule, which may look like others; they keep working: %s", len(odd), shown)}, err
}

func (a *App) examinePackages(ctx context.Context, repair bool) (Finding, error) {
	f := Finding{Check: "packages", OK: true}
	checked, bad := 0, 0
	err := a.store.EachArtifact(ctx, func(ref store.ArtifactRef) error {
		checked++
		err := a.blobs.Verify(ctx, ref.SHA256)
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
		f.Mend = "run `stoa doctor --repair`; what stays bad must be restored from a backup"
	}
	return f, err
}

// remake builds a generated package again, over damaged bytes too.
func (a *App) remake(ctx context.Context, ref store.ArtifactRef) error {
	d, err := a.store.Document(ctx, ref.Seq, ref.Version)
	if err != nil {
		return err
	}
	r := release{document: d}
	if err := a.prepare(ctx, &r); err != nil {
		return err
	}
	return a.blobs.Verify(ctx, ref.SHA256)
}

// diskPatience is how long the pages of a database may be counted.
const diskPatience = 10 * time.Second

// DiskUse lists what fills the disk, the largest first.
func (a *App) DiskUse(ctx context.Context) ([]store.DiskUse, error) {
	ctx, cancel := context.WithTimeout(ctx, diskPatience)
	defer cancel()
	return a.store.DiskUse(ctx)
}
