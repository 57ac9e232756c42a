package httpapi

import (
	"bytes"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"stoa/internal/app/core"
)

// Programs that show a link with its title and a line of text read the HTML alone and run no script. So the market's page says in
// its head what it is about when its address names an item, an author or a tag, to everybody alike: only what the public may see.

// preview is what the head of a page says.
type preview struct {
	title, description, address, feed, feedTitle string
}

var (
	headTitle = regexp.MustCompile(`<title>[^<]*</title>`)
	headTags  = regexp.MustCompile(`(?m)^\s*<meta (?:name="description"|property="og:(?:title|description|image|type)")[^>]*>\n?`)
)

const (
	longestPreview  = 300 // bytes of a description
	previewSiteName = "Stoa"
)

// sharedPage serves a page with the head of what its address names, and as it is for any other address.
func (s *Server) sharedPage(p *page) http.Handler {
	plain := s.page(p, "")
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		about, ok := s.previewOf(w.(*recorder), req)
		if !ok {
			plain.ServeHTTP(w, req)
			return
		}
		made := newFile("market.html", about.into(p.wanted(req).body))
		h := w.Header()
		h.Set("Vary", "Accept-Encoding, Accept-Language")
		h.Set("ETag", made.etag)
		h.Set("Cache-Control", "no-cache")
		if matches(req.Header.Get("If-None-Match"), made.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		writeBody(w.(*recorder), http.StatusOK, p.kind, made.body)
	})
}

func (s *Server) previewOf(w *recorder, req *http.Request) (preview, bool) {
	q := req.URL.Query()
	caller := core.Caller{Role: core.Public, Locale: matchLocale(req.Header.Get("Accept-Language"))}
	base := s.base(w, req)
	p := preview{}
	switch item, pack, author, tag := q.Get("item"), q.Get("pack"), q.Get("author"), q.Get("tag"); {
	case item != "" || pack != "":
		about, err := s.app.PreviewItem(req.Context(), caller, item, pack)
		if err != nil {
			return p, false // the page says itself that there is no such item
		}
		name, id := "item", item
		if item == "" {
			name, id = "pack", pack
		}
		p = preview{title: about.Title, description: about.Description, address: base + "/market?" + url.Values{name: {id}}.Encode()}
		if p.title == "" {
			p.title = id
		}
		if about.Owner != "" {
			p.feed, p.feedTitle = atomAddress(base, "author", about.Owner), about.Owner
		}
	// What is nobody's says nothing: else a link would show whatever words its maker likes, under the name of this server.
	case author != "" && s.app.AnyListed(author, ""):
		p = preview{title: author, address: base + "/market?" + url.Values{"author": {author}}.Encode(), feed: atomAddress(base, "author", author), feedTitle: author}
	case tag != "" && s.app.AnyListed("", tag):
		p = preview{title: "#" + tag, address: base + "/market?" + url.Values{"tag": {tag}}.Encode(), feed: atomAddress(base, "tag", tag), feedTitle: "#" + tag}
	default:
		return p, false
	}
	if !s.feedOn("atom") {
		p.feed = ""
	}
	return p, true
}

// into writes the head into a page in place of the general one.
func (p preview) into(body []byte) []byte {
	description := oneLine(p.description)
	if short := core.Truncate(description, longestPreview); short != description {
		description = short + "…"
	}
	title, description := html.EscapeString(oneLine(p.title)), html.EscapeString(description)
	var head bytes.Buffer
	tag := func(attribute, name, content string) {
		if content != "" {
			head.WriteString("\n    <meta " + attribute + `="` + name + `" content="` + content + `">`)
		}
	}
	head.WriteString("<title>" + title + " · " + previewSiteName + "</title>")
	tag("name", "description", description)
	tag("property", "og:title", title)
	tag("property", "og:description", description)
	tag("property", "og:type", "website")
	tag("property", "og:site_name", previewSiteName)
	address := html.EscapeString(p.address)
	tag("property", "og:url", address)
	base, _, _ := strings.Cut(address, "/market?")
	tag("property", "og:image", base+"/icon-512.png")
	tag("name", "twitter:card", "summary")
	head.WriteString("\n    " + `<link rel="canonical" href="` + address + `">`)
	if p.feed != "" {
		head.WriteString("\n    " + `<link rel="alternate" type="application/atom+xml" title="` + html.EscapeString(oneLine(p.feedTitle)) + `" href="` + html.EscapeString(p.feed) + `">`)
	}
	body = headTags.ReplaceAllLiteral(body, nil)
	return headTitle.ReplaceAllLiteral(body, head.Bytes())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
