package httpapi

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"stoa/internal/app/accounts"
)

// atomFeed is a member's notifications for a feed reader (RFC 4287).
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  atomAuthor  `xml:"author"`
	Link    atomLink    `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary"`
}

// atomNever is the time of a feed in which nothing was ever.
const atomNever = "1970-01-01T00:00:00Z"

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
	feed := atomFeed{ID: base + accounts.FeedPath + "#" + url.PathEscape(userID), Title: "Stoa: " + userID, Updated: atomNever, Author: atomAuthor{"Stoa"}, Link: atomLink{base + "/member?view=notifications"}}
	for _, n := range all {
		feed.Updated = max(feed.Updated, n.At)
		feed.Entries = append(feed.Entries, atomEntry{ID: "urn:uuid:" + n.ID, Title: n.Target + ": " + n.Message, Updated: n.At, Link: atomLink{base + "/member?view=notifications"}, Summary: n.Message})
	}
	body, err := xml.Marshal(feed)
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	body = append([]byte(xml.Header), body...)
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
