package httpapi_test

import (
	"encoding/xml"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stoa/client"
	"stoa/client/contract"
	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi"
)

// publishedLines puts a template and two packs into the catalog that share tags.
func publishedLines(t *testing.T, s *apitest.Server) {
	t.Helper()
	text := func(title, description string) m {
		return m{"en-US": m{"title": title, "description": description, "prompt": "You tend plants."}}
	}
	lines := []m{
		{"id": "ada/garden", "version": "1.0.0", "maintainer": "Ada", "tags": []string{"plants", "calm"}, "locales": m{
			"en-US": m{"title": "Garden <b>", "description": "# Tends\n\n- **plants**\n- [site](https://a.example) <script>alert(1)</script> [x](javascript:alert(1))"},
			"ja-JP": m{"title": "庭", "description": "植物の世話"},
		}, "pack_type": "bot_profile_pack", "host_version": ">=4.25", "sections": m{
			"personas": m{"entries": m{"gardener": m{"system_prompt": "You tend a garden.", "begin_dialogs": []string{"How often?", strings.Repeat("Daily. ", 600)}}}},
			"plugins":  m{"rain": m{"enabled": true}},
		}},
		{
			"id": "ada/pots", "version": "1.0.0", "maintainer": "Ada", "tags": []string{"plants", "calm"}, "locales": text("Pots", "Pots alone."), "pack_type": "bot_profile_pack",
			"sections": m{"personas": m{"entries": m{"potter": m{"system_prompt": "You pot.", "begin_dialogs": []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}}, "glazer": m{"system_prompt": "You glaze.", "begin_dialogs": []string{"Blue?", "Blue."}}}}},
		},
		{"id": "bob/plough", "version": "2.0.0", "tags": []string{"plants"}, "locales": m{"en-US": m{"title": "Plough", "description": strings.Repeat("x ", 1990), "prompt": "You plough."}}},
		{"id": "bob/other", "version": "1.0.0", "tags": []string{"metal"}, "locales": m{"en-US": m{"title": "Other", "description": "", "prompt": "You weld."}}},
	}
	for _, line := range lines {
		s.Clock.Advance(time.Second)
		owner, _, _ := strings.Cut(line["id"].(string), "/")
		s.Import(t, review.ImportOptions{Owner: owner}, apitest.Line(line))
	}
}

func TestItemPage(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		publishedLines(t, s)
		nobody := s.Nobody(t)
		garden := nobody.Get("/api/market/item", "item_id", "ada/garden").OK(t)
		body := string(garden.Body)
		for _, bad := range []string{"javascript:", "<script", `"script"`} {
			if strings.Contains(body, bad) {
				t.Errorf("%q is in the page: %s", bad, body)
			}
		}
		if garden.Str("data.body.0.0") != "h3" || garden.Str("data.body.1.0") != "ul" {
			t.Errorf("the description is not read as Markdown: %.400s", body)
		}
		if garden.Str("data.examples.0.persona") != "gardener" || garden.At("data.examples.0.cut") != true || len(garden.Str("data.examples.0.messages.1.content")) != 2000 {
			t.Errorf("examples: %.300s", garden.Str("data.examples.0.messages.1.content"))
		}
		if garden.Str("data.works_with.0.name") != "AstrBot" || garden.Str("data.works_with.0.versions") != ">=4.25" || garden.Str("data.works_with.0.verdict") != "part" ||
			garden.Str("data.works_with.0.missing.0") != "plugins" || garden.At("data.works_with.0.declared") != true {
			t.Errorf("works with: %v", garden.At("data.works_with"))
		}
		if garden.Str("data.author.name") != "ada" || garden.Int("data.author.packs") != 2 || garden.Int("data.author.templates") != 0 {
			t.Errorf("author: %v", garden.At("data.author"))
		}
		if garden.Str("data.similar.0.item_id") != "ada/pots" || garden.Len("data.similar.0.shared") != 2 || garden.Str("data.similar.1.item_id") != "bob/plough" || garden.At("data.similar.2") != nil {
			t.Errorf("similar: %v", garden.At("data.similar"))
		}
		if ja := nobody.Get("/api/market/item", "item_id", "ada/garden", "locale", "ja-JP").OK(t); ja.Str("data.locale") != "ja-JP" || ja.Str("data.body.0.2") != "植物の世話" {
			t.Errorf("%.300s", ja.Body)
		}
		pots := nobody.Get("/api/market/item", "item_id", "ada/pots").OK(t)
		if pots.Len("data.examples.1.messages") != 8 || pots.At("data.examples.1.cut") != true || pots.At("data.examples.0.cut") != false {
			t.Errorf("pots: %v", pots.At("data.examples"))
		}
		other := nobody.Get("/api/market/item", "item_id", "bob/other").OK(t)
		if other.Len("data.body") != 0 || other.Len("data.similar") != 0 || other.Str("data.works_with.0.verdict") != "whole" || other.Str("data.author.name") != "bob" || other.Int("data.author.templates") != 2 {
			t.Errorf("other: %.500s", other.Body)
		}
		nobody.Get("/api/market/item", "item_id", "bob/plough").OK(t)
		nobody.Get("/api/market/item", "item_id", "no/where").Want(t, http.StatusNotFound, "not_found")
		nobody.Get("/api/market/item").Want(t, http.StatusUnprocessableEntity, "invalid_request")
		s.Private(t, "ada", "ada/secret")
		nobody.Get("/api/market/item", "item_id", "ada/secret").Want(t, http.StatusNotFound, "not_found")
		if own := s.As(t, "ada").Get("/api/market/item", "item_id", "ada/secret").OK(t); own.Int("data.author.templates")+own.Int("data.author.packs") != 3 {
			t.Errorf("an author sees what is their own: %v", own.At("data.author"))
		}

		if p, err := client.New(s.URL, client.Options{}); err != nil {
			t.Error(err)
		} else if page, err := contract.New(p).GetItemPage(t.Context(), contract.GetItemPageParams{ItemID: "ada/garden"}); err != nil || page.Author.Packs != 2 || len(page.WorksWith) == 0 {
			t.Errorf("%+v %v", page, err)
		}
		tells(t, nobody, "/api/templates", "author", "bob", "ada")
		tells(t, nobody, "/api/profile-pack/catalog", "author", "ada", "bob")
	})
}

func TestTheLinkOfAnItemSaysWhatItIsAbout(t *testing.T) {
	head := "<!doctype html><html><head>\n    <title>Market · Stoa</title>\n    <meta name=\"description\" content=\"general\">\n    <meta property=\"og:title\" content=\"Market\">\n</head><body></body></html>"
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) {
		c.Feeds = httpapi.FeedNames()
		c.Pages = fs.FS(fstest.MapFS{"market.html": {Data: []byte(head)}, "placeholder.html": {Data: []byte("no")}, "missing.html": {Data: []byte("gone")}})
	}})
	publishedLines(t, s)
	s.Private(t, "ada", "ada/secret")
	page := func(path string, header ...string) string {
		res, body := feedGet(t, s, path, "", header...)
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d", path, res.StatusCode)
		}
		return string(body)
	}
	garden := page("/market?pack=ada%2Fgarden")
	for _, want := range []string{
		"<title>Garden &lt;b&gt; · Stoa</title>", `property="og:title" content="Garden &lt;b&gt;"`, `property="og:url" content="` + s.URL + `/market?pack=ada%2Fgarden"`,
		`content="` + s.URL + `/icon-512.png"`, `type="application/atom+xml"`, `href="` + s.URL + `/feeds/atom/author/ada"`, "plants",
	} {
		if !strings.Contains(garden, want) {
			t.Errorf("%s is not in %s", want, garden)
		}
	}
	for _, bad := range []string{"<script", "general", `content="Market"`} {
		if strings.Contains(garden, bad) {
			t.Errorf("%s is in %s", bad, garden)
		}
	}
	if ja := page("/market?pack=ada%2Fgarden", "Accept-Language", "ja"); !strings.Contains(ja, "<title>庭 · Stoa</title>") {
		t.Error(ja)
	}
	if plough := page("/market?item=bob%2Fplough"); len(plough) > 2200 || !strings.Contains(plough, "Plough") {
		t.Errorf("%d bytes", len(plough))
	}
	for path, title := range map[string]string{"/market?author=ada": "<title>ada · Stoa</title>", "/market?tag=plants": "<title>#plants · Stoa</title>"} {
		if !strings.Contains(page(path), title) {
			t.Errorf("%s is not of what it names", path)
		}
	}
	// The last two are words of a stranger's, whose link would show them as this server's.
	for _, path := range []string{"/market", "/market?item=no/where", "/market?item=ada/secret", "/market?pack=ada/secret", "/market?author=Your+account+is+locked.+Call+us.", "/market?tag=Call+us"} {
		if page(path) != head {
			t.Errorf("%s is not the plain page", path)
		}
	}
	if tag := page("/market?tag=%22%3E%3Cx"); strings.Contains(tag, "<x") {
		t.Error(tag)
	}
	res, _ := feedGet(t, s, "/market?pack=ada%2Fgarden", "")
	if again, _ := feedGet(t, s, "/market?pack=ada%2Fgarden", "", "If-None-Match", res.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("again: %d", again.StatusCode)
	}
}

func TestAtomFeeds(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) { c.Feeds = []string{"atom"} }})
	publishedLines(t, s)
	s.Private(t, "ada", "ada/secret")
	for path, want := range map[string]int{"author/ada": 2, "author/bob": 2, "tag/plants": 3, "tag/metal": 1, "author/nobody": 0} {
		res, body := feedGet(t, s, "/feeds/atom/"+path, "")
		var read struct {
			Entries []struct {
				ID string `xml:"id"`
			} `xml:"entry"`
		}
		if err := xml.Unmarshal(body, &read); err != nil || len(read.Entries) != want || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/atom+xml") {
			t.Errorf("%s: %d entries, %v, %s", path, len(read.Entries), err, res.Header.Get("Content-Type"))
		}
	}
	if res, _ := feedGet(t, s, "/feeds/atom/author/", ""); res.StatusCode != http.StatusNotFound {
		t.Errorf("nobody named: %d", res.StatusCode)
	}
}

func TestAPageNamesTheWordsOfTheBrowsersLanguageAlone(t *testing.T) {
	head := func(languages ...string) string {
		var lines strings.Builder
		for _, language := range languages {
			lines.WriteString("    <link rel=\"modulepreload\" data-language=\"" + language + "\" href=\"/assets/" + language + ".js\">\n")
		}
		return "<!doctype html><html><head>\n    <title>Market</title>\n" + lines.String() + "</head></html>"
	}
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) {
		all := &fstest.MapFile{Data: []byte(head("en-US", "ja-JP", "zh-CN"))}
		c.Pages = fstest.MapFS{"market.html": all, "learn.html": all, "missing.html": all, "placeholder.html": {Data: []byte("no")}, "assets/a.js": {Data: []byte("1")}}
	}})
	etags := map[string]bool{}
	for asked, want := range map[string]string{"": "en-US", "fr": "en-US", "ja,en;q=0.8": "ja-JP", "en;q=0.2,zh-TW": "zh-CN"} {
		for _, path := range []string{"/market", "/learn", "/no-such-page"} {
			res, body := feedGet(t, s, path, "", "Accept-Language", asked, "Accept", "text/html")
			if string(body) != head(want) || !strings.Contains(res.Header.Get("Vary"), "Accept-Language") {
				t.Errorf("%s for %q: %s, varies by %q", path, asked, body, res.Header.Get("Vary"))
			}
			etags[path+want+res.Header.Get("ETag")] = true
		}
	}
	// A language that was chosen on the pages comes before the browser's.
	if _, body := feedGet(t, s, "/market", "", "Accept-Language", "en", "Cookie", "stoa_locale=ja-JP"); string(body) != head("ja-JP") {
		t.Errorf("for somebody who chose Japanese: %s", body)
	}
	if len(etags) != 9 {
		t.Errorf("the pages of one language do not share a tag: %v", etags)
	}
	if res, _ := feedGet(t, s, "/assets/a.js", ""); res.Header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("a file varies by %q", res.Header.Get("Vary"))
	}
}

func TestAHeadingComesWithThePageWhereItIsTheRightOne(t *testing.T) {
	body := func(view string) string {
		return "<!doctype html><html><head>\n<link rel=\"modulepreload\" data-language=\"en-US\" href=\"/a.js\">\n</head><body>\n" + view + "</body></html>"
	}
	const view = "  <div class=\"first-view market\" data-language=\"en-US\"><h1>Find</h1></div>\n"
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) {
		c.Pages = fstest.MapFS{"market.html": {Data: []byte(body(view))}, "missing.html": {Data: []byte("no")}, "placeholder.html": {Data: []byte("no")}}
	}})
	for path, want := range map[string]string{"/market": body(view), "/market?view=insights": body("")} {
		if _, got := feedGet(t, s, path, "", "Accept", "text/html"); string(got) != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
