package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
)

// twoNodes runs a test with two servers on one database, whose clocks differ: the second is an hour ahead.
func twoNodes(t *testing.T, test func(t *testing.T, one, two *apitest.Server)) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		n := s.Node(t)
		n.Clock.Advance(time.Hour)
		test(t, s, n)
	})
}

// soon waits for what must become true within a bound of real time.
func soon(t *testing.T, within time.Duration, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(within); ; {
		if is() {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("after %s still not: %s", within, what)
		}
	}
}

// on is a client's session on another server.
func on(t *testing.T, s *apitest.Server, c *apitest.Client) *apitest.Client {
	there := s.Nobody(t)
	there.Token = c.Token
	return there
}

// What one node publishes or changes the other shows, also when its clock is behind by more than any overlap of a poll.
func TestNodesShowWhatTheOtherPublishes(t *testing.T) {
	twoNodes(t, func(t *testing.T, one, two *apitest.Server) {
		line := func(title, prompt string) string {
			return apitest.Line(m{"id": "late-news", "author": "Ines", "locales": m{"en-US": map[string]string{"title": title, "description": "News.", "prompt": prompt}}})
		}
		detail := func(s *apitest.Server) *apitest.Reply {
			return s.Nobody(t).Get("/api/templates/detail", "template_id", "late-news")
		}
		if r := detail(two); r.Status != 404 {
			t.Fatalf("%d: it is there already", r.Status)
		}
		one.Import(t, review.ImportOptions{}, line("Late news", "You bring late news."))
		soon(t, 20*time.Second, "the other node shows it", func() bool { return detail(two).Status == 200 })
		one.Import(t, review.ImportOptions{}, line("Later news", "You bring later news."))
		soon(t, 20*time.Second, "the other node shows the change", func() bool { return strings.Contains(string(detail(two).Body), "Later news") })
		// And the other way round.
		two.Import(t, review.ImportOptions{}, line("Latest news", "You bring the latest news."))
		soon(t, 20*time.Second, "the first node shows the change", func() bool { return strings.Contains(string(detail(one).Body), "Latest news") })
		if a, b := detail(one).At("data.version"), detail(two).At("data.version"); a != b || a == nil {
			t.Errorf("versions %v and %v", a, b)
		}
	})
}

// The page that a node shows and the package that it gives out are of one version, also in the moment in which the other node has
// published and this one has not caught up yet.
func TestNodesGiveOutWhatTheyShow(t *testing.T) {
	twoNodes(t, func(t *testing.T, one, two *apitest.Server) {
		bob := on(t, two, one.As(t, "bob"))
		for i, id := range []string{"first", "second", "third"} {
			line := func(prompt string) string {
				return apitest.Line(m{"id": id, "author": "Ines", "locales": m{"en-US": map[string]string{"title": "Letters", "description": "Writes.", "prompt": prompt}}})
			}
			one.Import(t, review.ImportOptions{}, line("You write."))
			soon(t, 20*time.Second, "the other node has it", func() bool {
				return bob.Do("HEAD", "/api/templates/package/download?template_id="+id, nil).Status == 200
			})
			one.Import(t, review.ImportOptions{}, line("You write long letters."))
			page := bob.Get("/api/templates/detail", "template_id", id).OK(t)
			pack := bob.Do("GET", "/api/templates/package/download?template_id="+id, nil)
			if want := page.Str("data.package_artifact.sha256"); want == "" || pack.Header.Get("ETag") != `"`+want+`"` {
				t.Errorf("%d: the page of version %v has the digest %s, the package %s", i, page.At("data.version"), want, pack.Header.Get("ETag"))
			}
			before := page.Str("data.versions.1.version")
			if r := bob.Do("GET", "/api/templates/package/download?template_id="+id+"&version="+before, nil); r.Status != 200 || r.Header.Get("ETag") != `"`+page.Str("data.versions.1.sha256")+`"` {
				t.Errorf("%d: version %s answers %d, %s", i, before, r.Status, r.Header.Get("ETag"))
			}
			if r := bob.Do("GET", "/api/templates/package/download?template_id="+id+"&version=9.9.9", nil); r.Status != 404 {
				t.Errorf("%d: a version that there is not answers %d", i, r.Status)
			}
		}
	})
}

func TestNodesShareSessions(t *testing.T) {
	twoNodes(t, func(t *testing.T, one, two *apitest.Server) {
		here := one.As(t, "ada")
		there := on(t, two, here)
		there.Get("/api/member/tasks").OK(t)
		here.Post("/api/logout", m{}).OK(t)
		two.Clock.Advance(2 * time.Second)
		there.Get("/api/member/tasks").Want(t, 401, "unauthorized")
	})
}

// The same request on both nodes at once has one effect.
func TestNodesShareIdempotency(t *testing.T) {
	twoNodes(t, func(t *testing.T, one, two *apitest.Server) {
		here := one.As(t, "ada")
		there := on(t, two, here)
		zip := apitest.TemplatePackage(t, "ada/once", "1.0.0", "You come once.", nil)
		body := m{"template_id": "ada/once", "package_name": "once.zip", "package_base64": apitest.Base64(zip), "upload_options": m{"idempotency_key": "once"}}
		ids := make([]string, 8)
		together(len(ids), func(i int) {
			ids[i] = []*apitest.Client{here, there}[i%2].Post("/api/templates/submit", body).OK(t).Str("data.submission_id")
		})
		for _, id := range ids {
			if id == "" || id != ids[0] {
				t.Fatalf("%q", ids)
			}
		}
		if n := one.Count(t, "submission WHERE item_id = 'ada/once'"); n != 1 {
			t.Errorf("%d submissions", n)
		}
		// The transfer is one job, and both show it.
		for _, c := range []*apitest.Client{here, there} {
			if r := c.Get("/api/member/transfers").OK(t); r.Int("data.count") != 1 {
				t.Errorf("%s", r.Body)
			}
		}
	})
}

func TestNodesShareInstallations(t *testing.T) {
	twoNodes(t, func(t *testing.T, one, two *apitest.Server) {
		two.Clock.Advance(-time.Hour) // counters are followed by time, and only looked at whole every ten minutes
		here := one.As(t, "ada")
		there := on(t, two, here)
		together(8, func(i int) {
			[]*apitest.Client{here, there}[i%2].Post("/api/templates/install", m{"template_id": translator}).OK(t)
		})
		if n := one.Count(t, "installation WHERE user_id = 'ada'"); n != 1 {
			t.Errorf("%d installations", n)
		}
		for _, s := range []*apitest.Server{one, two} {
			soon(t, 30*time.Second, "one use is counted on both nodes", func() bool {
				return s.Nobody(t).Get("/api/templates/detail", "template_id", translator).Int("data.engagement.installs") == 1
			})
		}
	})
}

// Notes that one node takes in the other answers from at once.
func TestNodesShareNotes(t *testing.T) {
	twoNodes(t, func(t *testing.T, one, two *apitest.Server) {
		here := one.As(t, "bob")
		there := on(t, two, here)
		ask := func(c *apitest.Client) string {
			return string(c.Post("/api/knowledge/query", m{"query": "what do zeugmas yoke"}).OK(t).Body)
		}
		for _, c := range []*apitest.Client{here, there} {
			if strings.Contains(ask(c), "zeugma yokes") {
				t.Fatal("it is known already")
			}
		}
		note := func(c *apitest.Client, content string) {
			c.Post("/api/knowledge/ingest", m{"documents": []any{m{"documentId": "zeugma", "sourcePath": "style/zeugma.md", "content": "# Zeugma\n\n" + content + "\n"}}}).OK(t)
		}
		note(here, "A zeugma yokes two nouns to one verb.")
		if !strings.Contains(ask(there), "two nouns") {
			t.Error("the other node does not know the note")
		}
		note(there, "A zeugma yokes several words to one.")
		if got := ask(here); !strings.Contains(got, "several words") || strings.Contains(got, "two nouns") {
			t.Errorf("the first node does not know the change: %s", got)
		}
	})
}
