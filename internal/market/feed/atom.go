package feed

import (
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// atomMost is how many items an Atom feed shows, newest first.
const atomMost = 50

// AtomFeed is a feed for feed readers (RFC 4287). Times are RFC 3339.
type AtomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"` // "" when nothing was ever
	Links   []AtomLink  `xml:"link"`
	Author  AtomAuthor  `xml:"author"`
	Entries []AtomEntry `xml:"entry"`
}

// AtomLink leads to what a feed or an entry is about.
type AtomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

// AtomAuthor is who a feed or an entry is by.
type AtomAuthor struct {
	Name string `xml:"name"`
}

// AtomEntry is one of a feed's entries.
type AtomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Link       AtomLink       `xml:"link"`
	Author     *AtomAuthor    `xml:"author"` // nil: the feed's
	Categories []AtomCategory `xml:"category"`
	Summary    string         `xml:"summary"`
}

// AtomCategory is a tag of an entry.
type AtomCategory struct {
	Term string `xml:"term,attr"`
}

// never is the time of a feed in which nothing was ever.
const never = "1970-01-01T00:00:00Z"

// Document writes the feed, without the characters that XML 1.0 has no way to write.
func (f AtomFeed) Document() ([]byte, error) {
	f.Title, f.Updated, f.Entries = xmlText(f.Title), max(f.Updated, never), slices.Clone(f.Entries)
	for i := range f.Entries {
		e := &f.Entries[i]
		e.Title, e.Summary = xmlText(e.Title), xmlText(e.Summary)
	}
	body, err := xml.MarshalIndent(f, "", "  ")
	return append([]byte(xml.Header), body...), err
}

// Atom writes rows as a feed (RFC 4287): an entry for each item's newest version. self is the feed's own address and page that of
// the page that shows the same; base is the server's.
func Atom(rows []*Row, title, self, page, base string) ([]byte, error) {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *Row) int {
		if c := b.Published.Compare(a.Published); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	out := AtomFeed{
		ID: self, Title: title + " · Stoa", Author: AtomAuthor{"Stoa"},
		Links: []AtomLink{{"self", "application/atom+xml", self}, {"alternate", "text/html", page}},
	}
	for i, r := range rows[:min(len(rows), atomMost)] {
		at := r.Published.UTC().Format(time.RFC3339)
		if i == 0 {
			out.Updated = at
		}
		e := AtomEntry{
			// The id of an entry stays with its version for good, on whichever address the server is reached.
			ID: "urn:stoa:" + url.PathEscape(r.ID) + ":" + url.PathEscape(r.Version), Title: r.Title + " " + r.Version, Updated: at,
			Link: AtomLink{"alternate", "text/html", Page(base, r)}, Author: &AtomAuthor{xmlText(byline(r))}, Summary: r.describe(),
		}
		for _, tag := range r.Tags {
			e.Categories = append(e.Categories, AtomCategory{xmlText(tag)})
		}
		out.Entries = append(out.Entries, e)
	}
	return out.Document()
}

// byline is who an item is by.
func byline(r *Row) string {
	switch {
	case r.Owner != "":
		return r.Owner
	case r.Maintainer != "":
		return r.Maintainer
	}
	return "Stoa"
}

// xmlText is a text without the characters that XML 1.0 has no way to write.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s)
}
