// Package browse holds what members do with what is published: the catalog and its search, the page of an item, downloads,
// installations, exports, ratings and the feeds for other programs. A request reads the catalog in memory (catalog_cache.go),
// which follows the store. It embeds core and knows nothing of packages submit and review.
package browse

import (
	"context"
	"runtime"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
)

// Service are the operations on what is published.
type Service struct {
	*core.Core
	Cache       *catalogCache
	Inspections *core.FairQueue // of whoever reads texts and packages; see Inspect
	feeds       feedRows
	prompts     *promptCache
	itemFacts   *otter.Cache[itemFactsKey, *itemFacts]
}

// New makes the operations. The catalog is empty until Follow.
func New(c *core.Core) *Service {
	a := &Service{
		Core: c, Cache: newCatalogCache(c.Store, c.Clock, c.TextCacheBytes), Inspections: core.NewFairQueue(runtime.GOMAXPROCS(0) / 2),
		prompts: newPromptCache(), itemFacts: otter.Must(&otter.Options[itemFactsKey, *itemFacts]{MaximumSize: keptItemFacts}),
	}
	c.AddCheck("catalog", a.checkCatalog)
	return a
}

// Forget drops what is kept of the store in memory, which is another now.
func (a *Service) Forget() {
	a.itemFacts.InvalidateAll()
	a.Cache.again.Store(true)
}

// Follow fills the catalog from the store and keeps it in step with what other processes publish, until ctx ends.
func (a *Service) Follow(ctx context.Context) { a.Cache.follow(ctx, a.Log) }

// Inspect waits until few enough texts and packages are being read, and gives what ends the task: the rest of the machine
// is for those who look at the catalog meanwhile.
func (a *Service) Inspect(ctx context.Context, member string) (done func(), err error) {
	if err := a.Inspections.Acquire(ctx, member); err != nil {
		return nil, err
	}
	return a.Inspections.Release, nil
}
