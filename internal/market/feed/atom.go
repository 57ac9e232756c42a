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

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Author  *atomAuthor `xml:"author"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Link       atomLink       `xml:"link"`
	Author     atomAuthor     `xml:"author"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
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
	out := atomFeed{
		ID: self, Title: xmlText(title) + " · Stoa", Updated: time.Unix(0, 0).UTC().Format(time.RFC3339), Author: &atomAuthor{"Stoa"},
		Links: []atomLink{{"self", "application/atom+xml", self}, {"alternate", "text/html", page}},
	}
	for i, r := range rows[:min(len(rows), atomMost)] {
		at := r.Published.UTC().Format(time.RFC3339)
		if i == 0 {
			out.Updated = at
		}
		kind := "pack"
		if r.Template {
			kind = "item"
		}
		e := atomEntry{
			// The id of an entry stays with its version for good, on whichever address the server is reached.
			ID: "urn:stoa:" + url.PathEscape(r.ID) + ":" + url.PathEscape(r.Version), Title: xmlText(r.Title + " " + r.Version), Updated: at,
			Link: atomLink{"alternate", "text/html", base + "/market?" + url.Values{kind: {r.ID}}.Encode()}, Author: atomAuthor{xmlText(byline(r))}, Summary: xmlText(r.describe()),
		}
		for _, tag := range r.Tags {
			e.Categories = append(e.Categories, atomCategory{xmlText(tag)})
		}
		out.Entries = append(out.Entries, e)
	}
	body, err := xml.MarshalIndent(out, "", "  ")
	return append([]byte(xml.Header), body...), err
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
