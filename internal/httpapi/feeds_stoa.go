package httpapi

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/feed"
	"stoa/internal/market/mirror"
)

// stoaPage is how many items a page of the list for other Stoas holds.
const stoaPage = 500

// mountStoa serves what another Stoa mirrors: a list of the items, their documents, and their packages as they are.
func (s *Server) mountStoa() {
	s.mux.Handle("GET /feeds/stoa/index.json", s.feed("application/json", stoaList))
	s.mux.Handle("GET /feeds/stoa/items/{file}", s.feed("application/json", stoaItem))
	s.mux.Handle("GET /feeds/stoa/packs/{slug}/{file}", s.feed("application/zip", stoaPack))
}

func stoaList(f *feedCall) ([]byte, error) {
	rows, after := f.view.Rows, f.URL.Query().Get("after")
	at, found := slices.BinarySearchFunc(rows, after, func(r *feed.Row, id string) int { return strings.Compare(r.ID, id) })
	if found {
		at++
	}
	rows = rows[at:]
	out := mirror.StoaList{Items: []mirror.StoaEntry{}}
	if len(rows) > stoaPage {
		rows = rows[:stoaPage]
		out.Next = rows[stoaPage-1].ID
	}
	for _, r := range rows {
		kind := catalog.KindProfilePack
		if r.Template {
			kind = catalog.KindTemplate
		}
		out.Items = append(out.Items, mirror.StoaEntry{ID: r.ID, Slug: r.Slug, Kind: kind, Version: r.Version, SHA256: r.SHA256, Change: r.ChangeNo})
	}
	return json.Marshal(out)
}

func stoaItem(f *feedCall) ([]byte, error) {
	slug, ok := strings.CutSuffix(f.PathValue("file"), ".json")
	if _, named := card.ID(slug); !ok || !named {
		return nil, errNoFeedFile
	}
	item, err := f.server.app.FeedDocument(f.Context(), f.caller, slug)
	if err != nil {
		return nil, err
	}
	return json.Marshal(item)
}

func stoaPack(f *feedCall) ([]byte, error) {
	version, ok := strings.CutSuffix(f.PathValue("file"), ".zip")
	if !ok {
		return nil, errNoFeedFile
	}
	d, err := f.server.app.FeedPackage(f.Context(), f.caller, f.PathValue("slug"), version)
	if err != nil {
		return nil, err
	}
	defer d.Content.Close()
	return io.ReadAll(d.Content)
}
