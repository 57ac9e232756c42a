package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/market/feed"
)

// notificationFeed sends a member's feed to whoever has its address: the token stands in the query, which no log has.
func (s *Server) notificationFeed(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	userID, all, err := s.app.FeedOf(req.Context(), req.URL.Query().Get("token"))
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	rec.userID = userID
	base := s.base(rec, req)
	page := feed.AtomLink{Href: base + "/member?view=notifications"}
	out := feed.AtomFeed{ID: base + accounts.FeedPath + "#" + url.PathEscape(userID), Title: "Stoa: " + userID, Author: feed.AtomAuthor{Name: "Stoa"}, Links: []feed.AtomLink{page}}
	for _, n := range all {
		out.Updated = max(out.Updated, n.At)
		out.Entries = append(out.Entries, feed.AtomEntry{ID: "urn:uuid:" + n.ID, Title: n.Target + ": " + n.Message, Updated: n.At, Link: feed.AtomLink{Href: base + core.About{ItemID: n.Target, Kind: n.ItemKind, SubmissionID: n.SubmissionID}.Page()}, Summary: n.Message})
	}
	body, err := out.Document()
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/atom+xml; charset=utf-8")
	h.Set("Cache-Control", "private, max-age=60")
	h.Set("ETag", `"`+strconv.FormatUint(xxhash.Sum64(body), 16)+`"`)
	if req.Header.Get("If-None-Match") == h.Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(body)
}
