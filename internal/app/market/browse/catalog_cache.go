package browse

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ranking"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// How far behind another process's changes this one may be.
const (
	itemPoll       = 500 * time.Millisecond
	engagementPoll = 5 * time.Second
	// pollOverlap re-reads a little of the past of the counters, since transactions of other processes do not commit
	// in the order of their times, and a replica may be behind. Reading a row twice does no harm.
	pollOverlap = 5*time.Second + store.MostReplicaDelay
	// engagementReload is how often all counters are read, for those that took longer than the overlap to commit, or whose
	// node's clock is behind.
	engagementReload = 10 * time.Minute
)

// catalogCache is the catalog in memory: an index of each kind of item, and rendered texts as far as they
// fit. The store remains the truth; this process's own changes are put here as they commit, other
// processes' are read from the store.
type catalogCache struct {
	store     *store.Store
	clock     clock.Clock
	templates *catalog.Index
	packs     *catalog.Index
	texts     *otter.Cache[textKey, []byte] // a detail is catalog.Compact
	documents *otter.Cache[documentKey, *CachedVersion]
	// changes counts changed items, so that a text read before a change is not kept after it.
	changes uint64
	keeping sync.RWMutex // held while a text is kept, and whole while texts are dropped
	// seen is the number of the newest change that was read from the store; all up to it are shown.
	seen    int64
	reading sync.Mutex // held while changes are read from the store
	// newest has the change number of each item that was shown since the last reading, so that a reading which began before a
	// change of this process does not show what was before it.
	newest map[int64]int64
	order  sync.Mutex // held while an item is shown, and for seen
	owners sync.Map   // members who have, or had, an item that only they see
	gone   sync.Map   // withdrawn versions, as ItemFacts has them, of the items that have any, by seq
	ready  chan struct{}
	failed atomic.Pointer[string]
	again  atomic.Bool // the store is another, and all of it is to be read
	words  [2]spelling // of templates and of packs
}

// textKey names a rendered text: the item's seq, its language's place in PageLocales and whether it is
// the item's own page. One number, because a list looks up fifty.
type textKey uint64

func newTextKey(seq int64, locale string, detail bool) textKey {
	key := textKey(seq)<<3 | textKey(max(0, slices.Index(PageLocales, locale)))<<1
	if detail {
		key |= 1
	}
	return key
}

type documentKey struct {
	seq     int64
	version string
}

// CachedVersion is a version ready to be installed.
type CachedVersion struct {
	Document  catalog.Document
	Artifacts []marketdb.Artifact
}

func newCatalogCache(s *store.Store, now clock.Clock, budget uint64) *catalogCache {
	return &catalogCache{
		store: s, clock: now, templates: catalog.New(), packs: catalog.New(), ready: make(chan struct{}), newest: map[int64]int64{},
		texts: otter.Must(&otter.Options[textKey, []byte]{
			MaximumWeight: budget * 3 / 4,
			Weigher:       func(_ textKey, text []byte) uint32 { return uint32(len(text)) + 96 },
		}),
		documents: otter.Must(&otter.Options[documentKey, *CachedVersion]{
			MaximumWeight: budget / 4,
			Weigher:       func(_ documentKey, d *CachedVersion) uint32 { return d.weight() },
		}),
	}
}

// weight estimates the memory of a parsed document, in bytes.
func (d *CachedVersion) weight() uint32 {
	n := 1024
	for _, t := range d.Document.Locales {
		n += len(t.Title) + len(t.Description) + len(t.Prompt)
	}
	for _, x := range d.Document.Examples {
		for _, l := range x.Lines {
			n += len(l.Content)
		}
	}
	if d.Document.Pack != nil {
		for _, s := range d.Document.Pack.Sections {
			n += len(s)
		}
	}
	return uint32(n)
}

func (s *catalogCache) Index(kind catalog.Kind) *catalog.Index {
	if kind == catalog.KindProfilePack {
		return s.packs
	}
	return s.templates
}

// wait returns when the catalog has been read from the store.
func (s *catalogCache) wait(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	default:
	}
	select {
	case <-s.ready:
		return nil
	case <-ctx.Done():
		return errs.New(errs.ServiceUnavailable, "The catalog is still being read. Try again in a moment.")
	}
}

// WaitCatalog waits until the catalog has been read from the store.
func (a *Service) WaitCatalog(ctx context.Context) error { return a.Cache.wait(ctx) }

// follow reads the catalog and then keeps up with other processes until ctx ends.
func (s *catalogCache) follow(ctx context.Context, log *slog.Logger) {
	since := s.clock()
	for {
		err := s.load(ctx)
		if err == nil {
			break
		}
		s.fail(log, err)
		if !core.Sleep(ctx, time.Second) {
			return
		}
	}
	close(s.ready)
	engagement := since
	for tick := 1; core.Sleep(ctx, itemPoll); tick++ {
		start := s.clock()
		ctx := sqldb.Soon(ctx)
		if s.again.Load() {
			if err := s.load(ctx); err != nil {
				s.fail(log, err)
				continue
			}
			s.again.Store(false)
			s.dropAll()
		}
		if err := s.catchUp(ctx); err != nil {
			s.fail(log, err)
			continue
		}
		if tick%int(engagementPoll/itemPoll) == 0 {
			from := engagement.Add(-pollOverlap)
			if tick%int(engagementReload/itemPoll) == 0 {
				from = time.Time{}
			}
			if err := s.catchUpEngagement(ctx, from); err != nil {
				s.fail(log, err)
				continue
			}
			engagement = start
		}
		s.failed.Store(nil)
	}
}

// dropAll forgets all texts and documents.
func (s *catalogCache) dropAll() {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.changes++
	s.texts.InvalidateAll()
	s.documents.InvalidateAll()
}

func (s *catalogCache) fail(log *slog.Logger, err error) {
	problem := "The catalog cannot be read from the database."
	if s.failed.Swap(&problem) == nil {
		log.Error("catalog: reading the store", "error", err)
	}
}

func (s *catalogCache) load(ctx context.Context) error {
	var templates, packs []catalog.Entry
	var seen int64
	err := s.store.Catalog(ctx, func(q store.Queries) error {
		templates, packs, seen = templates[:0], packs[:0], 0
		return q.ItemsAfter(ctx, marketdb.AllItems, func(i marketdb.Item, e catalog.Engagement) {
			seen = max(seen, i.ChangeNo)
			s.noteFacts(i)
			if i.Visibility == catalog.Withdrawn {
				return
			}
			if i.Kind == catalog.KindTemplate {
				templates = append(templates, entry(i, e))
			} else {
				packs = append(packs, entry(i, e))
			}
		})
	})
	if err != nil {
		return err
	}
	s.order.Lock()
	defer s.order.Unlock()
	s.templates.LoadAll(each(templates))
	s.packs.LoadAll(each(packs))
	s.seen = seen
	clear(s.newest) // what was shown meanwhile is read again; another store may count from a lower number
	return nil
}

// catchUp reads what has changed, and shows it once all of it is read.
func (s *catalogCache) catchUp(ctx context.Context) error {
	type changed struct {
		item       marketdb.Item
		engagement catalog.Engagement
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	seen := s.upTo(0)
	var all []changed
	err := s.store.Catalog(ctx, func(q store.Queries) error {
		all = all[:0]
		return q.ItemsAfter(ctx, seen, func(i marketdb.Item, e catalog.Engagement) { all = append(all, changed{i, e}) })
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		s.Put(c.item, c.engagement)
		seen = max(seen, c.item.ChangeNo)
	}
	s.order.Lock()
	defer s.order.Unlock()
	s.seen = seen
	maps.DeleteFunc(s.newest, func(_, changeNo int64) bool { return changeNo <= s.seen })
	return nil
}

// upTo is the number of the newest change of an item that is surely shown.
func (s *catalogCache) upTo(seq int64) int64 {
	s.order.Lock()
	defer s.order.Unlock()
	return max(s.seen, s.newest[seq])
}

// reach shows a change of an item that another process made, at once when it is not shown yet.
func (s *catalogCache) reach(ctx context.Context, seq, changeNo int64) error {
	if changeNo <= s.upTo(seq) {
		return nil
	}
	return s.catchUp(ctx)
}

// catchUpEngagement reads the counters that have changed since a time. They only grow, so that it does no harm to read some of a moment ago.
// Rankings may fall: they are those of the primary.
func (s *catalogCache) catchUpEngagement(ctx context.Context, since time.Time) error {
	err := s.store.Catalog(ctx, func(q store.Queries) error {
		return q.EngagementChangedSince(ctx, clock.Micros(since), func(seq int64, e catalog.Engagement) {
			s.templates.SetEngagement(seq, e)
			s.packs.SetEngagement(seq, e)
		})
	})
	if err != nil {
		return err
	}
	return s.store.RankingChangedSince(ctx, clock.Micros(since), s.setRanking)
}

// setRanking shows an item's ranking as it was counted.
func (s *catalogCache) setRanking(seq int64, c ranking.Counts) {
	s.templates.SetRanking(seq, c)
	s.packs.SetRanking(seq, c)
}

// Put shows a changed item, unless a later change of it is shown. Its old texts go first: whoever sees the index's new
// generation must not find them any more, or a list made of them would pass for the newest.
func (s *catalogCache) Put(i marketdb.Item, e catalog.Engagement) {
	s.order.Lock()
	defer s.order.Unlock()
	if i.ChangeNo < s.newest[i.Seq] {
		return
	}
	s.newest[i.Seq] = i.ChangeNo
	s.noteFacts(i)
	s.drop(i.Seq)
	s.documents.Invalidate(documentKey{i.Seq, i.Version})
	if i.Visibility == catalog.Withdrawn {
		s.Index(i.Kind).Remove(i.Seq)
		return
	}
	s.Index(i.Kind).Upsert(entry(i, e))
}

func (s *catalogCache) drop(seq int64) {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.changes++
	for _, locale := range PageLocales {
		s.texts.Invalidate(newTextKey(seq, locale, false))
		s.texts.Invalidate(newTextKey(seq, locale, true))
	}
}

func (s *catalogCache) noteFacts(i marketdb.Item) {
	if i.Visibility == catalog.Private {
		s.owners.Store(i.Owner, true)
	}
	if len(i.Facts.WithdrawnVersions) > 0 {
		s.gone.Store(i.Seq, i.Facts.WithdrawnVersions)
	} else {
		s.gone.Delete(i.Seq)
	}
}

// withdrawal says why a version of an item was taken out, if it was.
func (s *catalogCache) withdrawal(seq int64, version string) (marketdb.Withdrawal, bool) {
	versions, _ := s.gone.Load(seq)
	of, _ := versions.(map[string]marketdb.Withdrawal)
	w, gone := of[version]
	return w, gone
}

// owns tells whether a member may see more than the public does.
func (s *catalogCache) owns(userID string) bool {
	_, ok := s.owners.Load(userID)
	return ok
}

func entry(i marketdb.Item, e catalog.Engagement) catalog.Entry {
	return catalog.Entry{
		Seq: i.Seq, ID: i.ItemID, Version: i.Version, Category: i.Category, Maintainer: i.Maintainer, SourceChannel: i.SourceChannel,
		RiskLevel: i.RiskLevel, PackType: i.PackType, Owner: i.Owner, Tags: i.Facts.Tags, ReviewLabels: i.Facts.ReviewLabels,
		WarningFlags: i.Facts.WarningFlags, FoldedTitles: i.Facts.FoldedTitles, FoldedID: search.Fold(i.ItemID), Names: i.Facts.Names, Featured: i.Featured,
		Private: i.Visibility == catalog.Private, PublishedAt: i.PublishedAt, Engagement: e, Ranking: i.Ranking,
	}
}

func each(entries []catalog.Entry) func(func(catalog.Entry) bool) {
	return func(yield func(catalog.Entry) bool) {
		for _, e := range entries {
			if !yield(e) {
				return
			}
		}
	}
}

// checkCatalog tells whether the catalog in memory can be asked.
func (a *Service) checkCatalog(context.Context) core.HealthPart {
	if problem := a.Cache.failed.Load(); problem != nil {
		return core.Unhealthy(*problem)
	}
	select {
	case <-a.Cache.ready:
		return core.Healthy
	default:
		return core.HealthPart{OK: true, State: "loading", Problem: "The catalog is being read; lists answer as soon as it is there."}
	}
}

// Reread drops what is kept of one version, whose document is another now.
func (s *catalogCache) Reread(seq int64, version string) {
	s.documents.Invalidate(documentKey{seq, version})
}
