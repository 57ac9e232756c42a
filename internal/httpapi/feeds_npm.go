package httpapi

import (
	"net/http"
	"strings"

	"stoa/internal/market/card"
	"stoa/internal/market/feed"
	"stoa/internal/platform/errs"
)

var errNoFeedPackage = errs.New(errs.NotFound, "There is no such package here.")

func (s *Server) mountNPM() {
	packages, tarballs := s.feed("application/json", npmPackage), s.feed("application/octet-stream", npmTarball)
	s.mux.HandleFunc("GET /feeds/npm/{path...}", func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.PathValue("path"), ".tgz") {
			tarballs.ServeHTTP(w, req)
			return
		}
		packages.ServeHTTP(w, req)
	})
}

// npmSlug reads @stoa/owner--name.
func npmSlug(name string) (string, error) {
	slug, ok := strings.CutPrefix(name, feed.NPMScope+"/")
	if !ok || strings.Contains(slug, "/") {
		return "", errNoFeedPackage
	}
	return slug, nil
}

func npmPackage(f *feedCall) ([]byte, error) {
	slug, err := npmSlug(f.PathValue("path"))
	if err != nil {
		return nil, err
	}
	cards, err := f.server.app.FeedCards(f.Context(), f.caller, slug)
	if err != nil {
		return nil, err
	}
	body := feed.NPMPackage(cards, f.base+"/feeds/npm")
	if body == nil {
		return nil, errNoFeedPackage
	}
	return body, nil
}

func npmTarball(f *feedCall) ([]byte, error) {
	name, file, _ := strings.Cut(f.PathValue("path"), "/-/")
	slug, err := npmSlug(name)
	if err != nil {
		return nil, err
	}
	version := strings.TrimSuffix(strings.TrimPrefix(file, slug+"-"), ".tgz")
	var c *card.Card
	if c, err = f.server.app.FeedCard(f.Context(), f.caller, slug, version); err != nil {
		return nil, err
	}
	if version == "" || feed.NPMFile(c) != file {
		return nil, errNoFeedPackage
	}
	return feed.NPMTarball(c), nil
}
