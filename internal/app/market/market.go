// Package market holds the operations on what members share: the catalog and its search, drafts and submissions, review
// and publishing, installations, trials and downloads. A request reads the catalog in memory (catalog_cache.go), which follows the
// store; a publishing transaction (publish.go) writes both. It embeds core and knows no other subject.
package market

import (
	"context"
	"runtime"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
)

// Market are the operations on what members share.
type Market struct {
	*core.Core
	diffs             *otter.Cache[diffKey, compared]
	scanWanted        chan struct{} // something is to be scanned
	inspections       *core.FairQueue
	uploadsInProgress uploadsInProgress
	feeds             feedRows
	cache             *catalogCache
	prompts           *promptCache
	talks             talks
	built             *builtPacks
	itemFacts         *otter.Cache[itemFactsKey, *itemFacts]
}

// New makes the operations of the market. Its catalog is empty until Follow.
func New(c *core.Core) *Market {
	a := &Market{
		Core: c, diffs: otter.Must(&otter.Options[diffKey, compared]{MaximumSize: keptDiffs}), scanWanted: make(chan struct{}, 1),
		inspections: core.NewFairQueue(runtime.GOMAXPROCS(0) / 2), cache: newCatalogCache(c.Store, c.Clock, c.TextCacheBytes), prompts: newPromptCache(),
		built: newBuiltPacks(c.Clock), itemFacts: otter.Must(&otter.Options[itemFactsKey, *itemFacts]{MaximumSize: keptItemFacts}),
	}
	c.AddCheck("catalog", a.checkCatalog)
	return a
}

// Forget drops what is kept of the store in memory, which is another now.
func (a *Market) Forget() {
	a.diffs.InvalidateAll()
	a.built.forget("")
	a.itemFacts.InvalidateAll()
	a.cache.again.Store(true)
}

// Follow fills the catalog from the store and keeps it in step with what other processes publish, until ctx ends.
func (a *Market) Follow(ctx context.Context) { a.cache.follow(ctx, a.Log) }
