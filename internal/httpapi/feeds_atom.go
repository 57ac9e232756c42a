package httpapi

import (
	"net/url"
	"slices"

	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

// mountAtom serves what an author publishes and what carries a tag to readers of news.
func (s *Server) mountAtom() {
	s.mux.Handle("GET /feeds/atom/author/{name...}", s.feed("application/atom+xml; charset=utf-8", func(f *feedCall) ([]byte, error) {
		name := f.PathValue("name")
		return atomOf(f, "author", name, name, func(r *feed.Row) bool { return r.Owner == name })
	}))
	s.mux.Handle("GET /feeds/atom/tag/{name...}", s.feed("application/atom+xml; charset=utf-8", func(f *feedCall) ([]byte, error) {
		name := f.PathValue("name")
		return atomOf(f, "tag", name, "#"+name, func(r *feed.Row) bool { return slices.Contains(r.Tags, name) })
	}))
}

func atomOf(f *feedCall, by, name, title string, keep func(*feed.Row) bool) ([]byte, error) {
	if name == "" {
		return nil, errs.New(errs.NotFound, "Name the "+by+" whose feed you want.")
	}
	rows := []*feed.Row{}
	for _, r := range f.view.Rows {
		if keep(r) {
			rows = append(rows, r)
		}
	}
	return feed.Atom(rows, title, atomAddress(f.base, by, name), f.base+"/market?"+url.Values{by: {name}}.Encode(), f.base)
}

func atomAddress(base, by, name string) string {
	return base + (&url.URL{Path: "/feeds/atom/" + by + "/" + name}).EscapedPath()
}

func (s *Server) feedOn(name string) bool { return slices.Contains(s.Feeds, name) }
