package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/render"
	"stoa/internal/market/catalog"
	"stoa/internal/market/trial"
	"stoa/internal/market/works"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/sqldb"
)

// ItemPageInput names an item.
type ItemPageInput struct {
	ItemID string `json:"item_id"`
}

// ItemPage is what an item's page says beside its detail.
type ItemPage struct {
	ItemID    string          `json:"item_id"`
	Kind      catalog.Kind    `json:"kind"`
	Version   string          `json:"version"`
	Locale    string          `json:"locale"`   // of the description
	Body      []render.Node   `json:"body"`     // the description, read as Markdown
	Pictures  []Picture       `json:"pictures"` // that came with the package
	Examples  []Exchange      `json:"examples"`
	WorksWith []works.Program `json:"works_with"`
	Author    ItemAuthor      `json:"author"`
	Similar   []SimilarItem   `json:"similar"`
}

// Exchange is an example conversation that the author gave a persona, or recorded.
type Exchange struct {
	Persona      string         `json:"persona"`
	Messages     []catalog.Line `json:"messages"`
	Cut          bool           `json:"cut"`           // there is more of it
	RecordedWith string         `json:"recorded_with"` // the model that answered; "" when the author wrote it
}

// ItemAuthor is the account that published an item, "" for the operator, and how much it published that the caller may see.
type ItemAuthor struct {
	Name      string `json:"name"`
	Templates int    `json:"templates"`
	Packs     int    `json:"packs"`
}

// SimilarItem is another item with tags or the category of this one.
type SimilarItem struct {
	Kind        catalog.Kind `json:"kind"`
	ItemID      string       `json:"item_id"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Shared      []string     `json:"shared"` // tags that both have
}

// Bounds of what a page shows of an item.
const (
	MostExchanges   = 3
	MostMessages    = 8
	LongestMessage  = 2_000 // bytes
	mostSimilar     = 6
	mostSimilarTags = 12
	similarPerTag   = 40
	longestSimilar  = 200 // bytes of a description
	keptItemFacts   = 2_000
)

// itemFacts are those parts of an ItemPage that never change for a version and a language.
type itemFacts struct {
	locale   string
	body     []render.Node
	pictures []Picture
	examples []Exchange
	works    []works.Program
}

type itemFactsKey struct {
	seq                       int64
	version, locale, examples string
}

// GetItemPage answers what the page of an item shows beside its detail. It costs as much as writing the item in a few formats the
// first time, and is kept.
func (a *Service) GetItemPage(ctx context.Context, c core.Caller, in ItemPageInput) (ItemPage, error) {
	if in.ItemID == "" {
		return ItemPage{}, errs.Invalid("item_id", "is missing")
	}
	e, kind, err := a.findAny(ctx, c, in.ItemID)
	if err != nil {
		return ItemPage{}, notThere(err, in.ItemID)
	}
	facts, err := a.itemFactsOf(ctx, c, e)
	if err != nil {
		return ItemPage{}, notThere(err, in.ItemID)
	}
	out := ItemPage{
		ItemID: e.ID, Kind: kind, Version: e.Version, Locale: facts.locale, Body: facts.body, Pictures: facts.pictures, Examples: facts.examples,
		WorksWith: facts.works, Author: a.authorOf(c, e.Owner),
	}
	out.Similar, err = a.similar(ctx, c, e)
	return out, err
}

func notThere(err error, id string) error {
	if errors.Is(err, sqldb.ErrNotFound) {
		return errs.New(errs.NotFound, "There is no such published item.").With("item_id", id)
	}
	return err
}

func (a *Service) itemFactsOf(ctx context.Context, c core.Caller, e catalog.Entry) (*itemFacts, error) {
	v, err := a.Cache.versionBy(ctx, a.reader(c), e.Seq, e.Version)
	if err != nil {
		return nil, err
	}
	key := itemFactsKey{e.Seq, e.Version, c.Locale, v.Document.ExamplesDigest()}
	if f, ok := a.itemFacts.GetIfPresent(key); ok {
		return f, nil
	}
	done, err := a.Inspect(ctx, c.UserID)
	if err != nil {
		return nil, err
	}
	defer done()
	item, err := a.Exportable(ctx, v, c.Locale)
	if err != nil {
		return nil, err
	}
	var sections map[string]any
	host := ""
	if p := v.Document.Pack; p != nil {
		host = p.HostVersion
		if sections, err = a.SectionsOf(ctx, v, Preferred(v, "").SHA256); err != nil {
			return nil, err
		}
	}
	text, locale := v.Document.Text(c.Locale)
	personas := trial.Personas(&item)
	trial.Recorded(personas, v.Document.Examples)
	f := &itemFacts{locale: locale, examples: exchanges(personas), works: works.Of(item, sections, host)}
	body, _ := render.Note(text.Description, render.Options{Links: render.NoLinks{}}) // a description is far below what would be cut
	found, _, err := a.packagePictures(ctx, v, "")
	if err != nil {
		return nil, err
	}
	f.pictures = append([]Picture{}, found...)
	f.body = append([]render.Node{}, body...)
	lowerHeadings(f.body)
	a.itemFacts.Set(key, f)
	return f, nil
}

// lowerHeadings makes the first level the third: above it stand the item's title and the heading of the section.
func lowerHeadings(nodes []render.Node) {
	for _, n := range nodes {
		e, ok := n.(*render.Element)
		if !ok {
			continue
		}
		if len(e.Tag) == 2 && e.Tag[0] == 'h' && e.Tag[1] >= '1' && e.Tag[1] <= '6' {
			e.Tag = "h" + string(min(e.Tag[1]+2, '6'))
		}
		lowerHeadings(e.Children)
	}
}

func exchanges(personas []trial.Persona) []Exchange {
	out := []Exchange{}
	for _, p := range personas {
		if len(p.Examples) == 0 || len(out) == MostExchanges {
			continue
		}
		x := Exchange{Persona: p.Name, Cut: p.Cut || len(p.Examples) > MostMessages, RecordedWith: p.RecordedWith}
		for _, m := range p.Examples[:min(MostMessages, len(p.Examples))] {
			if short := core.Truncate(m.Content, LongestMessage); short != m.Content {
				m.Content, x.Cut = short, true
			}
			x.Messages = append(x.Messages, m)
		}
		out = append(out, x)
	}
	return out
}

func (a *Service) authorOf(c core.Caller, owner string) ItemAuthor {
	out := ItemAuthor{Name: owner}
	if owner == "" {
		return out
	}
	count := func(kind catalog.Kind) int {
		page, err := a.Cache.Index(kind).Query(catalog.Query{Filter: catalog.Filter{Owner: owner}, Limit: 1, Viewer: c.Viewer()})
		if err != nil {
			return 0 // a query without a cursor has no errors
		}
		return page.Total
	}
	out.Templates, out.Packs = count(catalog.KindTemplate), count(catalog.KindProfilePack)
	return out
}

// similar finds what shares tags with an item, rare tags first; of items that share as much those with the higher score.
func (a *Service) similar(ctx context.Context, c core.Caller, e catalog.Entry) ([]SimilarItem, error) {
	type candidate struct {
		kind   catalog.Kind
		seq    int64
		weight float64
		shared []string
	}
	found := map[int64]*candidate{}
	order := []*candidate{}
	for _, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} {
		for _, tag := range e.Tags[:min(len(e.Tags), mostSimilarTags)] {
			page, err := a.Cache.Index(kind).Query(catalog.Query{Filter: catalog.Filter{Tag: tag}, Sort: catalog.SortInstalls, Limit: similarPerTag, Viewer: c.Viewer()})
			if err != nil {
				return nil, err
			}
			for _, hit := range page.Hits {
				if hit.Seq == e.Seq {
					continue
				}
				one := found[hit.Seq]
				if one == nil {
					one = &candidate{kind: kind, seq: hit.Seq}
					found[hit.Seq], order = one, append(order, one)
				}
				one.weight += 1 / math.Log2(2+float64(page.Total))
				one.shared = append(one.shared, tag)
			}
		}
	}
	slices.SortStableFunc(order, func(x, y *candidate) int { return cmp.Compare(y.weight, x.weight) })
	order = order[:min(mostSimilar, len(order))]
	out := []SimilarItem{}
	seqs := make([]int64, len(order))
	for i, one := range order {
		seqs[i] = one.seq
	}
	texts, err := a.Cache.listings(ctx, a.reader(c), seqs, c.Locale)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		var listing struct {
			TemplateID  string `json:"template_id"`
			PackID      string `json:"pack_id"`
			Title       string `json:"title"`
			Description string `json:"description"`
		}
		if text == nil {
			continue // withdrawn meanwhile
		}
		if err := json.Unmarshal(text, &listing); err != nil {
			return nil, err
		}
		out = append(out, SimilarItem{
			Kind: order[i].kind, ItemID: cmp.Or(listing.TemplateID, listing.PackID), Title: listing.Title,
			Description: core.Truncate(strings.TrimSpace(listing.Description), longestSimilar), Shared: order[i].shared,
		})
	}
	return out, nil
}
