package browse

import (
	"context"
	"errors"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// PageLocales are the languages that the pages, and so the rendered texts, come in.
var PageLocales = []string{"en-US", "zh-CN", "ja-JP"}

// reader runs reads of the catalog: store.Store.Catalog, or Primary.
type reader func(context.Context, func(store.Queries) error) error

// reader is what a caller reads with. What only its owner sees is never read from a replica.
func (a *Service) reader(c core.Caller) reader {
	if _, private := a.CatalogState(c); private {
		return a.Store.Primary
	}
	return a.Store.Catalog
}

// listings gives the rendered list entries of the items in one language, from memory where it can.
// What is gone from the store meanwhile is left nil.
func (s *catalogCache) listings(ctx context.Context, read reader, seqs []int64, locale string) ([][]byte, error) {
	texts := make([][]byte, len(seqs))
	var missing []int64
	for i, seq := range seqs {
		if text, ok := s.texts.GetIfPresent(newTextKey(seq, locale, false)); ok {
			texts[i] = text
		} else {
			missing = append(missing, seq)
		}
	}
	if len(missing) == 0 {
		return texts, nil
	}
	before := s.changed()
	found := make(map[int64][]byte, len(missing))
	err := read(ctx, func(q store.Queries) error {
		return q.Listings(ctx, missing, locale, func(seq int64, text []byte) { found[seq] = text })
	})
	if err != nil {
		return nil, err
	}
	for seq, text := range found {
		s.keep(newTextKey(seq, locale, false), text, before)
	}
	for i, seq := range seqs {
		if texts[i] == nil {
			texts[i] = found[seq]
		}
	}
	return texts, nil
}

// detail gives the rendered page of one item in one language, or store.ErrNotFound. The text is the caller's to change, with
// spare room behind it, and may be given to Recycle. The index is not older than the text when it returns: else a page would
// name a version and its digest whose package, for half a second, is not the latest yet.
func (s *catalogCache) detail(ctx context.Context, read reader, seq int64, locale string, spare int) (text []byte, err error) {
	key := newTextKey(seq, locale, true)
	if text, ok := s.texts.GetIfPresent(key); ok {
		kept := catalog.Compact(text)
		return kept.Detail(pageMemory(kept.Len() + spare))
	}
	var changeNo int64
	before := s.changed()
	err = read(ctx, func(q store.Queries) (err error) {
		text, changeNo, err = q.Detail(ctx, seq, locale)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.keep(key, catalog.CompactOf(text), before)
	return slices.Grow(text, spare), s.reach(ctx, seq, changeNo)
}

func (s *catalogCache) changed() uint64 {
	s.keeping.RLock()
	defer s.keeping.RUnlock()
	return s.changes
}

// keep remembers a text that was read when the count of changes was before, unless an item has
// changed since: it could be this one.
func (s *catalogCache) keep(key textKey, text []byte, before uint64) {
	s.keeping.RLock()
	defer s.keeping.RUnlock()
	if s.changes == before {
		s.texts.Set(key, text)
	}
}

// Version gives what a version says and its packages.
func (s *catalogCache) Version(ctx context.Context, seq int64, version string) (*CachedVersion, error) {
	return s.versionBy(ctx, s.store.Primary, seq, version)
}

// standing is version of one that its author has not taken out.
func (s *catalogCache) standing(ctx context.Context, seq int64, version string) (*CachedVersion, error) {
	if _, gone := s.withdrawal(seq, version); gone {
		return nil, sqldb.ErrNotFound
	}
	return s.Version(ctx, seq, version)
}

func (s *catalogCache) versionBy(ctx context.Context, read reader, seq int64, version string) (*CachedVersion, error) {
	key := documentKey{seq, version}
	if d, ok := s.documents.GetIfPresent(key); ok {
		return d, nil
	}
	d, before := &CachedVersion{}, s.changed()
	err := read(ctx, func(q store.Queries) (err error) {
		if d.Document, err = q.Document(ctx, seq, version); err == nil {
			d.Artifacts, err = q.Artifacts(ctx, seq, version)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(d.Artifacts) == 0 {
		return nil, errors.Join(sqldb.ErrNotFound, errors.New("app: a version without a package"))
	}
	s.keeping.RLock()
	defer s.keeping.RUnlock()
	if s.changes == before { // a version never changes, but for the verdict of the scanner
		s.documents.Set(key, d)
	}
	return d, nil
}

// Artifact gives the package from one source, if the version has one.
func (d *CachedVersion) Artifact(source string) (marketdb.Artifact, bool) {
	for _, a := range d.Artifacts {
		if a.Source == source {
			return a, true
		}
	}
	return marketdb.Artifact{}, false
}
