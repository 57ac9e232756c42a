package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/fulltext"
)

// ListInput are the filters of both catalog lists.
type ListInput struct {
	Query         string `json:"query"`
	TemplateQuery string `json:"template_query"`
	TemplateID    string `json:"template_id"`
	PackQuery     string `json:"pack_query"`
	PackID        string `json:"pack_id"`
	PackType      string `json:"pack_type"`
	Category      string `json:"category"`
	Tag           string `json:"tag"`
	SourceChannel string `json:"source_channel"`
	Maintainer    string `json:"maintainer"`
	Author        string `json:"author"`
	RiskLevel     string `json:"risk_level"`
	ReviewLabel   string `json:"review_label"`
	WarningFlag   string `json:"warning_flag"`
	Featured      string `json:"featured"`
	SortBy        string `json:"sort_by"`
	SortOrder     string `json:"sort_order"`
	Facets        bool   `json:"facets"`
	Locale        string `json:"locale"`
	Limit         int    `json:"limit"`
	Cursor        string `json:"cursor"`
}

// firstPage is how much of a catalog list comes without a limit.
const firstPage = 200

// found is what a page says of the search behind it: that a common word was cut, and the words that were searched for beside
// those that were typed, "" for none.
type found struct {
	bounded   bool
	corrected string
}

// ListTemplates answers a page of templates: what the contract calls data, rendered.
func (a *Service) ListTemplates(ctx context.Context, c core.Caller, in ListInput) (json.RawMessage, error) {
	return a.list(ctx, c, catalog.KindTemplate, "templates", in)
}

// ListProfilePackCatalog answers a page of profile packs, rendered.
func (a *Service) ListProfilePackCatalog(ctx context.Context, c core.Caller, in ListInput) (json.RawMessage, error) {
	if in.SortBy == "pack_id" {
		in.SortBy = string(catalog.SortTemplateID) // the index calls every item's id so
	}
	return a.list(ctx, c, catalog.KindProfilePack, "packs", in)
}

// CatalogState tells how far a list for this caller is still good: a stamp that changes with every
// change it could show, and whether the caller sees more than the public does.
func (a *Service) CatalogState(c core.Caller) (stamp uint64, private bool) {
	return a.Cache.templates.Generation() ^ a.Cache.packs.Generation()<<32, c.Role != core.Public && a.Cache.owns(c.UserID)
}

func (a *Service) list(ctx context.Context, c core.Caller, kind catalog.Kind, name string, in ListInput) (json.RawMessage, error) {
	if err := a.Cache.wait(ctx); err != nil {
		return nil, err
	}
	q := in.query(c)
	var about found
	if text := strings.TrimSpace(in.Query); text != "" {
		hits, err := a.search(ctx, c, kind, text)
		if err != nil {
			return nil, err
		}
		about = found{hits.Capped, hits.Corrected}
		q.Ranked = make([]int64, len(hits.Hits))
		for i, hit := range hits.Hits {
			q.Ranked[i] = hit.Seq
		}
	}
	page, err := a.Cache.Index(kind).Query(q)
	if errors.Is(err, catalog.ErrCursor) {
		return nil, errs.New(errs.InvalidCursor, "This cursor does not belong to this list. Begin again without one.")
	}
	if err != nil {
		return nil, err
	}
	return a.renderPage(ctx, a.reader(c), page, name, c.Locale, about)
}

func (in ListInput) query(c core.Caller) catalog.Query {
	q := catalog.Query{
		Filter: catalog.Filter{
			Category: in.Category, Tag: in.Tag, SourceChannel: in.SourceChannel, RiskLevel: in.RiskLevel, ReviewLabel: in.ReviewLabel,
			WarningFlag: in.WarningFlag, PackType: in.PackType, Maintainer: in.Maintainer, Owner: in.Author, Featured: featured(in.Featured),
			IDPart: FoldedPart(cmp.Or(in.TemplateID, in.PackID)), TextPart: FoldedPart(cmp.Or(in.TemplateQuery, in.PackQuery)),
		},
		Sort: catalog.Sort(in.SortBy), Order: catalog.Order(in.SortOrder), Limit: in.Limit, Cursor: in.Cursor, Facets: in.Facets,
	}
	if q.Limit == 0 {
		q.Limit = firstPage
	}
	q.Viewer = c.Viewer()
	return q
}

// FoldedPart is a text filter as the catalog and the lists of submissions compare it.
func FoldedPart(text string) string { return search.Fold(strings.TrimSpace(text)) }

// featured reads the filter; anything it does not know is no filter.
func featured(text string) *bool {
	yes, no := true, false
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "1", "yes", "on":
		return &yes
	case "false", "0", "no", "off":
		return &no
	}
	return nil
}

func (a *Service) search(ctx context.Context, c core.Caller, kind catalog.Kind, text string) (search.Result, error) {
	if search.ParseQuery(text).Empty() {
		return search.Result{}, nil
	}
	viewer, index := c.Viewer(), a.Cache.Index(kind)
	lookup := func(seq int64) (search.Candidate, bool) {
		e, ok := index.BySeq(seq)
		if !ok || !e.VisibleTo(viewer) {
			return search.Candidate{}, false
		}
		return search.Candidate{ID: e.ID, FoldedTitles: e.FoldedTitles, Installs: e.Engagement.Installs}, true
	}
	var result search.Result
	err := a.reader(c)(ctx, func(q store.Queries) (err error) {
		result, err = fulltext.SearchForgiving(ctx, q.Querier(), a.Store.Search(), text, searchKind(kind), lookup, func() *search.Vocabulary { return a.Cache.vocabulary(kind) })
		return err
	})
	return result, err
}

func (a *Service) renderPage(ctx context.Context, read reader, page catalog.Page, name, locale string, about found) (json.RawMessage, error) {
	seqs := make([]int64, len(page.Hits))
	for i, hit := range page.Hits {
		seqs[i] = hit.Seq
	}
	texts, err := a.Cache.listings(ctx, read, seqs, locale)
	if err != nil {
		return nil, err
	}
	size := 256
	for _, text := range texts {
		size += len(text) + liveRoom
	}
	out := pageMemory(size)
	out = append(out, `{"`...)
	out = append(out, name...)
	out = append(out, `":[`...)
	count := 0
	for i, text := range texts {
		if text == nil {
			continue
		}
		if count > 0 {
			out = append(out, ',')
		}
		out = catalog.AppendLive(out, text, page.Hits[i])
		count++
	}
	out = append(out, `],"count":`...)
	out = strconv.AppendInt(out, int64(count), 10)
	out = append(out, `,"total":`...)
	out = strconv.AppendInt(out, int64(page.Total), 10)
	out = append(out, `,"total_is_lower_bound":`...)
	out = strconv.AppendBool(out, about.bounded)
	out = append(out, `,"next_cursor":"`...)
	out = append(out, page.NextCursor...) // base64url, see catalog
	out = append(out, '"')
	if about.corrected != "" {
		text, err := json.Marshal(about.corrected)
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"corrected_query":`...), text...)
	}
	if page.Facets != nil {
		facets, err := json.Marshal(facetMap(page.Facets))
		if err != nil {
			return nil, err
		}
		out = append(append(out, `,"facets":`...), facets...)
	}
	return append(out, '}'), nil
}

// pages holds the memory of rendered pages, of lists and of single items, that nobody needs any more. A page of 50 takes some
// 40 KB; built again for each request it would be nearly all that the collector has to do.
var pages sync.Pool

// The sizes of memory worth holding on to, in bytes: less would not do for a page.
const (
	leastPage   = 16 << 10
	longestPage = 512 << 10
)

func pageMemory(size int) []byte {
	if old, ok := pages.Get().(*[]byte); ok && cap(*old) >= size {
		return (*old)[:0]
	}
	return make([]byte, 0, max(size, leastPage))
}

// Recycle takes back what ListTemplates, GetTemplateDetail and the like of profile packs rendered, once nothing reads it any
// more.
func (a *Service) Recycle(page json.RawMessage) {
	if cap(page) >= leastPage && cap(page) <= longestPage {
		memory := []byte(page)
		pages.Put(&memory)
	}
}

// FacetValue is a value and how many items carry it.
type FacetValue struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

func facetMap(facets []catalog.Facet) map[string][]FacetValue {
	out := make(map[string][]FacetValue, len(facets))
	for _, f := range facets {
		values := make([]FacetValue, len(f.Values))
		for i, v := range f.Values {
			values[i] = FacetValue{v.Value, v.Count}
		}
		out[f.Name] = values
	}
	return out
}
