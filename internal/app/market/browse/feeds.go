package browse

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"stoa/internal/app/core"
	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/export"
	"stoa/internal/market/feed"
	"stoa/internal/market/mirror"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// feedRows are the rows of all published items, for the feeds of other assistants. They are read when a feed is asked for the
// first time and follow the catalog from then on.
type feedRows struct {
	reading sync.Mutex
	current atomic.Pointer[feedState]
	all     map[feedKey]*feed.Row // guarded by reading
	feedWork
	first singleflight.Group
	once  sync.Once
	cards *otter.Cache[documentKey, *card.Card]
}

type feedKey struct {
	kind catalog.Kind
	id   string
}

// feedState is what the feeds show at one instant. Nothing in it changes.
type feedState struct {
	templates, packs uint64 // generations of the catalog that it was read after
	change           int64  // number of the newest change in it
	changedAt        int64  // the latest time in it, in µs
	public           []*feed.Row
	own              map[string][]*feed.Row // private items by owner
	gone             []*feed.Row            // withdrawn items
}

// feedCardBytes bounds the cards that are held in memory.
const feedCardBytes = 32 << 20

// ReadFeedsAhead reads what the feeds show once the catalog is there, so that nobody waits for it.
func (a *Service) ReadFeedsAhead(ctx context.Context) {
	if !a.FeedsAhead || a.Cache.wait(ctx) != nil {
		return
	}
	if _, err := a.feedNow(ctx); err != nil && ctx.Err() == nil {
		a.Log.Warn("feeds: could not be read ahead; the first who asks waits", "error", err)
	}
}

// FeedView is what one caller sees of the feeds. Rows are sorted by id and must not be changed.
type FeedView struct {
	Rows []*feed.Row
	// Gone are items that were withdrawn.
	Gone []*feed.Row
	// Stamp differs when what the caller sees may differ. Change grows with every change of the catalog.
	Stamp  uint64
	Change int64
	// Private is set when Rows hold what only this caller sees.
	Private bool
}

// Row finds an item by its slug.
func (v FeedView) Row(slug string) (*feed.Row, bool) {
	id, ok := card.ID(slug)
	if !ok {
		return nil, false
	}
	i, found := slices.BinarySearchFunc(v.Rows, id, func(r *feed.Row, id string) int { return strings.Compare(r.ID, id) })
	if !found {
		return nil, false
	}
	return v.Rows[i], true
}

// Feed answers what the caller sees of the feeds: everybody's items, and a member's own.
func (a *Service) Feed(ctx context.Context, c core.Caller) (FeedView, error) {
	if err := a.Cache.wait(ctx); err != nil {
		return FeedView{}, err
	}
	if err := a.firstFeeds(ctx); err != nil {
		return FeedView{}, err
	}
	s, err := a.feedNow(context.WithoutCancel(ctx))
	if err != nil {
		return FeedView{}, err
	}
	return s.view(c.Viewer()), nil
}

// view is what a member sees, or everybody when viewer is "".
func (s *feedState) view(viewer string) FeedView {
	v := FeedView{Rows: s.public, Gone: s.gone, Change: s.change}
	var stamp [16]byte
	binary.LittleEndian.PutUint64(stamp[:], uint64(s.change))
	binary.LittleEndian.PutUint64(stamp[8:], uint64(s.changedAt))
	v.Stamp = xxhash.Sum64(stamp[:])
	if own := s.own[viewer]; viewer != "" && len(own) > 0 {
		v.Private = true
		v.Stamp = xxhash.Sum64(append(stamp[:], viewer...))
		v.Rows = mergedRows(s.public, own)
	}
	return v
}

// mergedRows joins two sorted lists; of two items with one id the first list's stays.
func mergedRows(a, b []*feed.Row) []*feed.Row {
	out := make([]*feed.Row, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].ID < b[0].ID:
			out, a = append(out, a[0]), a[1:]
		case len(a) > 0 && a[0].ID == b[0].ID:
			b = b[1:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

// feedNow gives the state of the feeds, not older than the catalog in memory.
func (a *Service) feedNow(ctx context.Context) (*feedState, error) {
	f := &a.feeds
	templates, packs := a.Cache.templates.ContentGeneration(), a.Cache.packs.ContentGeneration()
	if s := f.current.Load(); s != nil && s.templates == templates && s.packs == packs {
		return s, nil
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	s := f.current.Load()
	// Again: another request may have read meanwhile, and the state must not claim to be newer than what it was read after.
	templates, packs = a.Cache.templates.ContentGeneration(), a.Cache.packs.ContentGeneration()
	if s != nil && s.templates == templates && s.packs == packs {
		return s, nil
	}
	next := &feedState{change: marketdb.AllItems, templates: templates, packs: packs}
	if s != nil {
		next.change, next.changedAt = s.change, s.changedAt
	} else {
		f.all = map[feedKey]*feed.Row{}
	}
	var changed []marketdb.Item
	err := a.Store.Catalog(ctx, func(q store.Queries) error {
		changed = changed[:0]
		return q.ItemsAfter(ctx, next.change, func(i marketdb.Item, _ catalog.Engagement) { changed = append(changed, i) })
	})
	if err != nil {
		return nil, err
	}
	kept := map[int64]keptFeedRow{}
	if s == nil {
		if kept, err = a.keptFeedRows(ctx); err != nil {
			return nil, err
		}
	}
	rows, err := a.readFeedRows(ctx, changed, kept)
	if err != nil {
		return nil, err
	}
	for i, item := range changed {
		key := feedKey{item.Kind, item.ItemID}
		if delete(f.all, key); rows[i] != nil {
			f.all[key] = rows[i]
		}
		next.change, next.changedAt = max(next.change, item.ChangeNo), max(next.changedAt, item.ChangedAt)
	}
	next.public, next.own, next.gone = sortedRows(f.all)
	f.current.Store(next)
	return next, nil
}

// readFeedRow reads a changed item; nil for one that is in no feed. One whose package cannot be read is left out and told of in
// the log: the others go on.
func (a *Service) readFeedRow(ctx context.Context, i marketdb.Item, kept keptFeedRow) (*feed.Row, error) {
	if !inFeeds(i) {
		return nil, nil
	}
	r, err := kept.row, error(nil)
	if r == nil || kept.version != i.Version {
		r, err = a.makeFeedRow(ctx, i)
	}
	if err != nil {
		var away *sqldb.Unreachable
		if errors.As(err, &away) || ctx.Err() != nil {
			return nil, err
		}
		a.Log.Warn("feeds: an item cannot be shown to other assistants", "item", i.ItemID, "version", i.Version, "error", err)
		return nil, nil
	}
	r.Seq, r.Owner, r.Featured = i.Seq, i.Owner, i.Featured
	r.Private, r.Gone = i.Visibility == catalog.Private, i.Visibility == catalog.Withdrawn
	r.Risk, r.Labels, r.Warnings = i.RiskLevel, i.Facts.ReviewLabels, i.Facts.WarningFlags
	r.Changed, r.ChangeNo = clock.FromMicros(i.ChangedAt), i.ChangeNo
	return r, nil
}

// sortedRows parts rows by who may see them. Where a template and a pack have one id, the template is meant.
func sortedRows(all map[feedKey]*feed.Row) (public []*feed.Row, own map[string][]*feed.Row, gone []*feed.Row) {
	own = map[string][]*feed.Row{}
	for key, r := range all {
		if r.Gone {
			gone = append(gone, r)
			continue
		}
		if t := all[feedKey{catalog.KindTemplate, key.id}]; t != nil && t != r && !t.Gone && t.Private == r.Private && t.Owner == r.Owner {
			continue
		}
		if r.Private {
			own[r.Owner] = append(own[r.Owner], r)
		} else {
			public = append(public, r)
		}
	}
	byID := func(a, b *feed.Row) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(public, byID)
	public = slices.CompactFunc(public, func(a, b *feed.Row) bool { return a.ID == b.ID })
	for _, rows := range own {
		slices.SortFunc(rows, byID)
	}
	return public, own, gone
}

// FeedCards gives the cards of all versions of an item that the caller may see, oldest first.
func (a *Service) FeedCards(ctx context.Context, c core.Caller, slug string) ([]*card.Card, error) {
	r, err := a.feedRow(ctx, c, slug)
	if err != nil {
		return nil, err
	}
	versions, err := a.feedVersions(ctx, r)
	if err != nil {
		return nil, err
	}
	out := make([]*card.Card, 0, len(versions))
	for _, v := range slices.Backward(versions) {
		one, err := a.feedCard(ctx, r, v)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// FeedCard gives the card of an item's version that the caller may see; version "" is the latest.
func (a *Service) FeedCard(ctx context.Context, c core.Caller, slug, version string) (*card.Card, error) {
	r, err := a.feedRow(ctx, c, slug)
	if err != nil {
		return nil, err
	}
	if version == "" || version == r.Version {
		return a.feedCard(ctx, r, marketdb.Version{Version: r.Version, PublishedAt: clock.Micros(r.Published)})
	}
	versions, err := a.feedVersions(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.Version == version {
			return a.feedCard(ctx, r, v)
		}
	}
	return nil, errNoFeedItem
}

var errNoFeedItem = errs.New(errs.NotFound, "There is no such item here.")

func (a *Service) feedRow(ctx context.Context, c core.Caller, slug string) (*feed.Row, error) {
	v, err := a.Feed(ctx, c)
	if err != nil {
		return nil, err
	}
	r, ok := v.Row(slug)
	if !ok {
		return nil, errNoFeedItem
	}
	return r, nil
}

// FeedInstalled lists the slugs of what a member has installed, as far as they still may see it, sorted.
func (a *Service) FeedInstalled(ctx context.Context, c core.Caller) ([]string, error) {
	userID, err := c.Member("")
	if err != nil {
		return nil, err
	}
	rows, err := a.Store.Installations(ctx, userID, 0, "", feedInstalledMost)
	if err != nil {
		return nil, err
	}
	v, err := a.Feed(ctx, c)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, row := range rows {
		if r, ok := v.Row(card.Slug(row.ItemID)); ok {
			out = append(out, r.Slug)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// feedInstalledMost bounds the installed items that one feed shows.
const feedInstalledMost = 500

// FeedPackage opens the package of an item's version that the caller may see; version "" is the latest.
func (a *Service) FeedPackage(ctx context.Context, c core.Caller, slug, version string) (Download, error) {
	r, err := a.feedRow(ctx, c, slug)
	if err != nil {
		return Download{}, err
	}
	if version == "" {
		version = r.Version
	}
	if _, gone := a.Cache.withdrawal(r.Seq, version); gone {
		return Download{}, errNoFeedItem
	}
	v, err := a.Cache.versionBy(ctx, a.feedReader(r.Private), r.Seq, version)
	if errors.Is(err, sqldb.ErrNotFound) {
		return Download{}, errNoFeedItem
	}
	if err != nil {
		return Download{}, err
	}
	artifact := Preferred(v, "")
	content, err := a.artifactBytes(ctx, artifact, v)
	return Download{Content: content, Filename: pack.Filename(r.ID, version), SHA256: artifact.SHA256, Size: artifact.SizeBytes}, err
}

// feedReader is what a row's item is read with.
func (a *Service) feedReader(private bool) reader {
	if private {
		return a.Store.Primary
	}
	return a.Store.Catalog
}

func (a *Service) feedVersions(ctx context.Context, r *feed.Row) (all []marketdb.Version, err error) {
	err = a.feedReader(r.Private)(ctx, func(q store.Queries) (err error) {
		all, err = q.Versions(ctx, r.Seq)
		return err
	})
	return slices.DeleteFunc(all, func(v marketdb.Version) bool {
		_, gone := a.Cache.withdrawal(r.Seq, v.Version)
		return gone
	}), err
}

func (a *Service) feedCard(ctx context.Context, r *feed.Row, v marketdb.Version) (*card.Card, error) {
	f := &a.feeds
	f.once.Do(func() {
		f.cards = otter.Must(&otter.Options[documentKey, *card.Card]{
			MaximumWeight: feedCardBytes, Weigher: func(_ documentKey, c *card.Card) uint32 { return uint32(c.Weight()) },
		})
	})
	key := documentKey{r.Seq, v.Version}
	if c, ok := f.cards.GetIfPresent(key); ok {
		return c, nil
	}
	c, err := a.makeCard(ctx, a.feedReader(r.Private), r.Seq, v)
	if err != nil {
		return nil, err
	}
	f.cards.Set(key, c) // what a version says never changes
	return c, nil
}

// makeCard reads a version. What looks like a secret is masked: a pack that an operator imported was never asked for any.
func (a *Service) makeCard(ctx context.Context, read reader, seq int64, v marketdb.Version) (*card.Card, error) {
	version, err := a.Cache.versionBy(ctx, read, seq, v.Version)
	if err != nil {
		return nil, err
	}
	d, artifact := &version.Document, Preferred(version, "")
	sections, err := a.feedSections(ctx, version, artifact.SHA256)
	if err != nil {
		return nil, err
	}
	return card.Of(d, sections, card.Facts{Published: clock.FromMicros(v.PublishedAt).UTC(), SHA256: artifact.SHA256, Size: artifact.SizeBytes}), nil
}

// FeedDocument gives what the latest version of an item says that the caller may see, for another Stoa.
func (a *Service) FeedDocument(ctx context.Context, c core.Caller, slug string) (mirror.StoaItem, error) {
	r, err := a.feedRow(ctx, c, slug)
	if err != nil {
		return mirror.StoaItem{}, err
	}
	v, err := a.Cache.versionBy(ctx, a.feedReader(r.Private), r.Seq, r.Version)
	if err != nil {
		return mirror.StoaItem{}, err
	}
	out := mirror.StoaItem{Document: v.Document, SHA256: r.SHA256, Size: r.Size}
	out.Document.Scan, out.Document.Reach, out.Document.Origin = scan.Summary{}, nil, nil
	return out, nil
}

// FeedSearch finds the rows of a view that a text is about, best first: those with a skill of that name, then what the catalog's
// search finds, templates and packs in turn. The catalog's search knows nothing of the names of skills.
func (a *Service) FeedSearch(ctx context.Context, c core.Caller, v FeedView, text string, limit int) ([]*feed.Row, error) {
	var found [2][]*feed.Row
	for i, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} {
		result, err := a.search(ctx, c, kind, text)
		if err != nil {
			return nil, err
		}
		for _, hit := range result.Hits {
			if r, ok := v.Row(card.Slug(hit.ID)); ok && r.Seq == hit.Seq && len(found[i]) < limit {
				found[i] = append(found[i], r)
			}
		}
	}
	out := namedSkills(v.Rows, text, limit)
	for i := range limit {
		for _, rows := range found {
			if i < len(rows) && len(out) < limit && !slices.Contains(out, rows[i]) {
				out = append(out, rows[i])
			}
		}
	}
	return out, nil
}

// namedSkills finds the rows with a skill whose name has every word of a text.
func namedSkills(rows []*feed.Row, text string, limit int) []*feed.Row {
	words := feed.NameWords(text)
	var whole, part []*feed.Row
	for _, r := range rows {
		i := slices.IndexFunc(r.Skills, func(s feed.SkillRow) bool { return s.Named(words) })
		switch {
		case i < 0:
		case r.Skills[i].Name == strings.Join(words, "-") && len(whole) < limit:
			whole = append(whole, r)
		case len(part) < limit:
			part = append(part, r)
		}
	}
	return append(whole, part[:min(len(part), limit-len(whole))]...)
}

// feedSections are the sections of a pack that travel, nil for a template.
func (a *Service) feedSections(ctx context.Context, v *CachedVersion, sha256 string) (map[string]any, error) {
	if v.Document.Kind != catalog.KindProfilePack {
		return nil, nil
	}
	sections, err := a.SectionsOf(ctx, v, sha256)
	if err != nil {
		return nil, err
	}
	return a.Masked(card.Carried(sections))
}

// FeedExport writes the latest version of an item that the caller may see in another program's format. persona "" is the first
// there is; the document names the item's page on the server at base as where it comes from.
func (a *Service) FeedExport(ctx context.Context, c core.Caller, slug string, format export.Format, persona, base string) (export.Result, error) {
	r, err := a.feedRow(ctx, c, slug)
	if err != nil {
		return export.Result{}, err
	}
	v, err := a.Cache.versionBy(ctx, a.feedReader(r.Private), r.Seq, r.Version)
	if err != nil {
		return export.Result{}, err
	}
	d := &v.Document
	text, _ := d.Text(d.Fallback())
	item := export.Item{
		ID: d.ID, Version: d.Version, Kind: d.Kind, Title: text.Title, Description: text.Description, Author: d.Maintainer, Category: d.Category, Tags: d.Tags,
		URL: feed.Page(base, r), SHA256: r.SHA256, PublishedAt: clock.Text(r.Published),
	}
	if d.Kind == catalog.KindTemplate {
		item.AddTemplate(text.Prompt, nil)
	} else {
		sections, err := a.feedSections(ctx, v, r.SHA256)
		if err != nil {
			return export.Result{}, err
		}
		item.AddSections(sections)
	}
	result, err := export.Write(item, format, export.Options{Persona: persona})
	var cannot *export.Error
	if errors.As(err, &cannot) {
		return result, errs.New(errs.NotFound, cannot.Message)
	}
	return result, err
}
