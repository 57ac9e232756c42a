package browse

import (
	"context"
	"encoding/json"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/learning/render"
	"stoa/internal/market/catalog"
)

// ItemPreview is what a link to an item says of it to programs that run no script.
type ItemPreview struct {
	Title, Owner string
	Description  string // words alone, without Markdown
}

// PreviewItem answers for a template's id, or for a profile pack's where that is "".
func (a *Service) PreviewItem(ctx context.Context, c core.Caller, template, pack string) (ItemPreview, error) {
	var detail json.RawMessage
	var err error
	if template != "" {
		detail, err = a.GetTemplateDetail(ctx, c, DetailInput{TemplateID: template})
	} else {
		detail, err = a.GetProfilePackCatalogDetail(ctx, c, DetailInput{PackID: pack})
	}
	if err != nil {
		return ItemPreview{}, err
	}
	var about struct {
		Title       string `json:"title"`
		Description string `json:"description"`
		Owner       string `json:"owner"`
	}
	if err := json.Unmarshal(detail, &about); err != nil {
		return ItemPreview{}, err
	}
	body, _ := render.Note(about.Description, render.Options{Links: render.NoLinks{}})
	var words strings.Builder
	wordsOf(body, &words)
	return ItemPreview{about.Title, about.Owner, strings.Join(strings.Fields(words.String()), " ")}, nil
}

// AnyListed says whether everybody sees an item of an author, or with a tag; "" asks for neither.
func (a *Service) AnyListed(author, tag string) bool {
	for _, kind := range []catalog.Kind{catalog.KindTemplate, catalog.KindProfilePack} {
		page, err := a.Cache.Index(kind).Query(catalog.Query{Filter: catalog.Filter{Owner: author, Tag: tag}, Limit: 1})
		if err == nil && page.Total > 0 {
			return true
		}
	}
	return false
}

// wordsOf writes the words of nodes with a space around what stands on lines of its own.
func wordsOf(nodes []render.Node, into *strings.Builder) {
	for _, n := range nodes {
		switch n := n.(type) {
		case string:
			into.WriteString(n)
		case *render.Element:
			switch n.Tag {
			case "em", "strong", "a", "code", "del", "mark", "span", "sub", "sup", "u":
				wordsOf(n.Children, into)
			default:
				into.WriteByte(' ')
				wordsOf(n.Children, into)
				into.WriteByte(' ')
			}
		}
	}
}
