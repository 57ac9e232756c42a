package market

import (
	"context"
	"errors"
	"slices"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/store"
)

// pageLocales are the languages that the pages, and so the rendered texts, come in.
var pageLocales = []string{"en-US", "zh-CN", "ja-JP"}

// listings gives the rendered list entries of the items in one language, from memory where it can.
// What is gone from the store meanwhile is left nil.
func (s *catalogCache) listings(ctx context.Context, seqs []int64, locale string) ([][]byte, error) {
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
	read := make(map[int64][]byte, len(missing))
	err := s.store.Listings(ctx, missing, locale, func(seq int64, text []byte) { read[seq] = text })
	if err != nil {
		return nil, err
	}
	for seq, text := range read {
		s.keep(newTextKey(seq, locale, false), text, before)
	}
	for i, seq := range seqs {
		if texts[i] == nil {
			texts[i] = read[seq]
		}
	}
	return texts, nil
}

// detail gives the rendered page of one item in one language, or store.ErrNotFound. The text is the caller's to change, with
// spare room behind it, and may be given to Recycle.
func (s *catalogCache) detail(ctx context.Context, seq int64, locale string, spare int) ([]byte, error) {
	key := newTextKey(seq, locale, true)
	if text, ok := s.texts.GetIfPresent(key); ok {
		kept := catalog.Compact(text)
		return kept.Detail(pageMemory(kept.Len() + spare))
	}
	before := s.changed()
	text, err := s.store.Detail(ctx, seq, locale)
	if err != nil {
		return nil, err
	}
	s.keep(key, catalog.CompactOf(text), before)
	return slices.Grow(text, spare), nil
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

// version gives what a version says and its packages.
func (s *catalogCache) version(ctx context.Context, seq int64, version string) (*cachedVersion, error) {
	key := documentKey{seq, version}
	if d, ok := s.documents.GetIfPresent(key); ok {
		return d, nil
	}
	document, err := s.store.Document(ctx, seq, version)
	if err != nil {
		return nil, err
	}
	artifacts, err := s.store.Artifacts(ctx, seq, version)
	if err != nil {
		return nil, err
	}
	if len(artifacts) == 0 {
		return nil, errors.Join(store.ErrNotFound, errors.New("app: a version without a package"))
	}
	d := &cachedVersion{document, artifacts}
	s.documents.Set(key, d) // a version never changes, but for the verdict of the scanner
	return d, nil
}

// artifact gives the package from one source, if the version has one.
func (d *cachedVersion) artifact(source string) (store.Artifact, bool) {
	for _, a := range d.artifacts {
		if a.Source == source {
			return a, true
		}
	}
	return store.Artifact{}, false
}
