package httpapi_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi"
	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/feed"
	"stoa/internal/market/mirror"
)

func withFeeds(t testing.TB, e apitest.Engine, names ...string) *apitest.Server {
	return apitest.Start(t, e, apitest.Options{HTTP: func(c *httpapi.Config) { c.Feeds = names }})
}

func mirrored(t testing.TB, s *apitest.Server, name, address string) review.MirrorView {
	t.Helper()
	if _, err := s.App.AddMirror(t.Context(), review.MirrorInput{Name: name, URL: address, Private: true}); err != nil {
		t.Fatal(err)
	}
	return synced(t, s, name)
}

func synced(t testing.TB, s *apitest.Server, name string) review.MirrorView {
	t.Helper()
	v, err := s.App.SyncMirror(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// downloaded is the package of an item as a member gets it, "" when there is none.
func downloaded(t testing.TB, s *apitest.Server, id string) string {
	t.Helper()
	d, err := s.App.DownloadTemplatePackage(t.Context(), core.Caller{Role: core.Member, UserID: "ada"}, browse.DownloadInput{TemplateID: id}, func(string) bool { return false })
	if err != nil {
		return ""
	}
	defer d.Content.Close()
	text, err := io.ReadAll(d.Content)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The mirror of another Stoa has its public items, byte for byte, and follows it.
func TestAStoaMirrorsAnother(t *testing.T) {
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			above, here := withFeeds(t, e, httpapi.FeedNames()...), withFeeds(t, apitest.Engines(t)[0], httpapi.FeedNames()...)
			publish(t, above, "ada", toolPack("ada/garden", "1.0.0"), poem)
			above.Private(t, "ada", "ada/secret-plan")
			mirrored(t, here, "up", above.URL)
			approveAll(t, here) // what is of high risk waits for a person
			v := synced(t, here, "up")
			public, err := above.App.Feed(t.Context(), core.Caller{})
			if err != nil || v.Kind != "stoa" || v.Published+v.Waiting != len(public.Rows) || v.Waiting != 1 || v.Refused != 0 || len(public.Rows) < 4 {
				t.Fatalf("%d public items above, %+v, %v", len(public.Rows), v, err)
			}
			for _, r := range public.Rows {
				id := "up/" + mirror.Slug("template "+r.ID, func(string) bool { return false })
				if want := downloaded(t, above, r.ID); want == "" || downloaded(t, here, id) != want {
					t.Errorf("%s: its package is not the one above", r.ID)
				}
				got, want := detailOf(t, here, id, r.Template), detailOf(t, above, r.ID, r.Template)
				for _, field := range []string{"title", "description", "version", "category"} {
					if got[field] != want[field] {
						t.Errorf("%s: %s is %v, above it is %v", r.ID, field, got[field], want[field])
					}
				}
				if got["source_channel"] != catalog.ChannelMirror || !strings.Contains(got["review_note"].(string), above.URL) {
					t.Errorf("%s does not say where it comes from: %v %v", r.ID, got["source_channel"], got["review_note"])
				}
			}
			if downloaded(t, here, "up/ada-secret-plan") != "" {
				t.Error("a private item was mirrored")
			}
			gated, err := here.App.Feed(t.Context(), core.Caller{})
			if err != nil || slices.ContainsFunc(gated.Rows, func(r *feed.Row) bool { return strings.HasPrefix(r.ID, "up/") }) {
				t.Errorf("a mirror is in the feeds without the operator's yes: %v", err)
			}
			if _, err := here.App.RepublishMirror(t.Context(), "up", true); err != nil {
				t.Fatal(err)
			}
			if open, err := here.App.Feed(t.Context(), core.Caller{}); err != nil || len(open.Rows) != len(gated.Rows)+len(public.Rows) {
				t.Errorf("with the operator's yes %d rows, without %d: %v", len(open.Rows), len(gated.Rows), err)
			}
			follows(t, above, here)
		})
	}
}

// approveAll looks at everything that waits for review and publishes it.
func approveAll(t testing.TB, s *apitest.Server) {
	t.Helper()
	lines, err := s.App.Reviews(t.Context(), "pending", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		s.Approve(t, l.SubmissionID)
	}
}

// follows changes what is above and looks here.
func follows(t *testing.T, above, here *apitest.Server) {
	const poem = "up/ada-poem"
	here.As(t, "bob").Post("/api/templates/install", m{"template_id": poem}).OK(t)
	if err := above.App.WithdrawItem(t.Context(), catalog.KindTemplate, "ada/poem", ""); err != nil {
		t.Fatal(err)
	}
	if downloaded(t, above, "ada/poem") != "" {
		t.Error("a withdrawn item is still there")
	}
	if v := synced(t, here, "up"); v.Gone != 1 || downloaded(t, here, poem) != "" {
		t.Errorf("what was withdrawn above is still here: %+v", v)
	}
	if told := here.As(t, "bob").Get("/api/notifications").OK(t); !strings.Contains(string(told.Body), "item_withdrawn") {
		t.Errorf("who has it was not told: %s", told.Body)
	}
	if err := above.App.RestoreItem(t.Context(), catalog.KindTemplate, "ada/poem"); err != nil {
		t.Fatal(err)
	}
	if v := synced(t, here, "up"); v.Gone != 0 || downloaded(t, here, poem) == "" {
		t.Errorf("what is back above is not here: %+v", v)
	}
	// What somebody here withdraws stays so, whatever the source says.
	if err := here.App.WithdrawItem(t.Context(), catalog.KindProfilePack, "up/ada-garden", "not for us"); err != nil {
		t.Fatal(err)
	}
	publish(t, above, "ada", toolPack("ada/garden", "1.1.0"))
	if synced(t, here, "up"); downloaded(t, here, "up/ada-garden") != "" {
		t.Error("the source's new version overrules this server's verdict")
	}
	if err := here.App.RemoveMirror(t.Context(), "up"); err != nil {
		t.Fatal(err)
	}
	if downloaded(t, here, poem) != "" {
		t.Error("an item of a removed mirror is still there")
	}
	// The mirror is made again: what went with it is back, what somebody here withdrew is not.
	mirrored(t, here, "up", above.URL)
	if v := synced(t, here, "up"); v.Refused != 1 || downloaded(t, here, poem) == "" || downloaded(t, here, "up/ada-garden") != "" {
		t.Errorf("after the mirror was made again: %+v", v)
	}
}

var poem = apitest.Line(m{"id": "ada/poem", "version": "1.0.0", "author": "Ada", "locales": m{
	"en-US": m{"title": "Poem", "description": "Writes a poem.", "prompt": "Write a poem about {{plant}}."}, "ja-JP": m{"title": "詩", "prompt": "{{plant}}の詩を書く。"},
}})

func detailOf(t testing.TB, s *apitest.Server, id string, template bool) m {
	t.Helper()
	path := "/api/profile-pack/catalog/detail?pack_id="
	if template {
		path = "/api/templates/detail?template_id="
	}
	out, ok := s.Nobody(t).Get(path + url.QueryEscape(id)).OK(t).At("data").(map[string]any)
	if !ok {
		t.Fatalf("%s has no detail", id)
	}
	if inner, nested := out["template"].(map[string]any); nested {
		return inner
	}
	if inner, nested := out["pack"].(map[string]any); nested {
		return inner
	}
	return out
}

// A sync that is stopped in the middle goes on where it was, and asks for nothing twice when nothing has changed.
func TestAMirrorGoesOn(t *testing.T) {
	e := apitest.Engines(t)[0]
	above, here := withFeeds(t, e, httpapi.FeedNames()...), withFeeds(t, e)
	var lines []string
	for i := range 80 {
		lines = append(lines, apitest.Line(m{"id": "ines/helper-" + string(rune('a'+i/26)) + string(rune('a'+i%26)), "locales": m{"en-US": m{"title": "Helper", "prompt": "Help with a task."}}}))
	}
	above.Import(t, review.ImportOptions{}, lines...)
	var asked, most atomic.Int64
	most.Store(120)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if asked.Add(1) > most.Load() {
			panic(http.ErrAbortHandler) // the line is cut
		}
		above.Handler.ServeHTTP(w, req)
	}))
	t.Cleanup(front.Close)
	if _, err := here.App.AddMirror(t.Context(), review.MirrorInput{Name: "up", URL: front.URL, Private: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := here.App.SyncMirror(t.Context(), "up"); err == nil {
		t.Fatal("a sync whose line was cut ends well")
	}
	all, err := here.App.Mirrors(t.Context())
	if err != nil || all[0].Published < 32 || all[0].Published >= 80 || !all[0].Running || all[0].Problem == "" {
		t.Fatalf("after the line was cut: %+v %v", all, err)
	}
	had := all[0].Published
	most.Store(1 << 40)
	asked.Store(0)
	v := synced(t, here, "up")
	if left := int64(v.Published - had); v.Published < 80 || v.Running || asked.Load() > 2*left+5 {
		t.Errorf("%d requests for the %d that were left: %+v", asked.Load(), left, v)
	}
	asked.Store(0)
	if synced(t, here, "up"); asked.Load() != 1 {
		t.Errorf("%d requests when nothing has changed", asked.Load())
	}
}

// A source that takes a minute for every answer has its turn like any other, and goes on with the next one.
func TestASlowSourceKeepsNoOtherWaiting(t *testing.T) {
	e := apitest.Engines(t)[0]
	above, here := withFeeds(t, e, httpapi.FeedNames()...), withFeeds(t, e)
	var lines []string
	for i := range 80 {
		lines = append(lines, apitest.Line(m{"id": "ines/helper-" + string(rune('a'+i/26)) + string(rune('a'+i%26)), "locales": m{"en-US": m{"title": "Helper", "prompt": "Help with a task."}}}))
	}
	above.Import(t, review.ImportOptions{}, lines...)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		here.Clock.Advance(time.Minute)
		above.Handler.ServeHTTP(w, req)
	}))
	t.Cleanup(slow.Close)
	for name, address := range map[string]string{"a-slow": slow.URL, "b-other": above.URL} {
		if _, err := here.App.AddMirror(t.Context(), review.MirrorInput{Name: name, URL: address, Private: true}); err != nil {
			t.Fatal(err)
		}
	}
	var all []review.MirrorView
	for turn := range 10 {
		if err := here.App.SyncDueMirrors(t.Context()); err != nil {
			t.Fatal(err)
		}
		var err error
		if all, err = here.App.Mirrors(t.Context()); err != nil {
			t.Fatal(err)
		}
		if turn == 0 && (!all[0].Running || all[0].Problem != "" || all[0].Published < 32 || all[0].Published >= 80 || all[1].Running || all[1].Published < 80) {
			t.Errorf("after the first turn: %+v", all)
		}
		if !all[0].Running {
			break
		}
	}
	if all[0].Running || all[0].Published != all[1].Published {
		t.Errorf("at the end: %+v", all)
	}
}

// Addresses that are not public are not reached without the operator's word, by name, number or redirect.
func TestAMirrorReachesPublicAddressesOnly(t *testing.T) {
	s := withFeeds(t, apitest.Engines(t)[0])
	for _, address := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "http://[::1]:80", "http://169.254.169.254", "http://10.0.0.1", "file:///etc/passwd", "http://user:word@example.com"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := s.App.AddMirror(ctx, review.MirrorInput{Name: "up", URL: address})
		cancel()
		if err == nil {
			t.Errorf("%s was taken", address)
		}
	}
	if all, err := s.App.Mirrors(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v %v", all, err)
	}
}

// The formats of others, as this program's own feeds write them for unmodified clients, are read back.
func TestMirrorsReadTheFormsOfOthers(t *testing.T) {
	e := apitest.Engines(t)[0]
	for _, c := range []struct{ feed, path, kind, id string }{
		{"skills", "", "agent-skills", "up/watering"},
		{"clawhub", "", "clawhub", "up/ada-garden-watering"},
		{"mcp-registry", "/feeds/mcp", "mcp-registry", "up/local-stoa-ada-garden-weather"},
		{"astrbot", "/feeds/astrbot/plugins.json", "astrbot", "up/ada-stoa-ada-garden"},
	} {
		t.Run(c.feed, func(t *testing.T) {
			above, here := withFeeds(t, e, c.feed), withFeeds(t, e, httpapi.FeedNames()...)
			publish(t, above, "ada", toolPack("ada/garden", "1.0.0"))
			v := mirrored(t, here, "up", above.URL+c.path)
			refused, _ := here.App.MirrorRefusals(t.Context(), "up", "", 10)
			waiting, _ := here.App.Reviews(t.Context(), "pending", "", 10)
			t.Logf("%+v %v %v", v, refused, waiting)
			if _, err := here.App.RepublishMirror(t.Context(), "up", true); err != nil {
				t.Fatal(err)
			}
			rows, err := here.App.Feed(t.Context(), core.Caller{})
			if err != nil || v.Kind != c.kind {
				t.Fatal(v.Kind, err)
			}
			r, ok := rows.Row(card.Slug(c.id))
			if !ok {
				t.Fatalf("%s is not there", c.id)
			}
			if len(r.Skills)+len(r.Servers) == 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

// What a source says that its item reaches and can do, and the links that it gives, are not believed.
func TestAMirrorWorksOutWhatAnItemReaches(t *testing.T) {
	e := apitest.Engines(t)[0]
	above, here := withFeeds(t, e, httpapi.FeedNames()...), withFeeds(t, e, httpapi.FeedNames()...)
	publish(t, above, "ada", toolPack("ada/garden", "1.0.0"), poem)
	var forged atomic.Int64 // a mirror reads several items at once
	liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, above.URL+r.URL.RequestURI(), nil)
		if err != nil {
			t.Error(err)
			return
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK || !strings.Contains(r.URL.Path, "/feeds/stoa/items/") {
			w.WriteHeader(res.StatusCode)
			_, _ = io.Copy(w, res.Body)
			return
		}
		var item map[string]any
		if err := json.NewDecoder(res.Body).Decode(&item); err != nil {
			t.Error(err)
		}
		document := item["document"].(map[string]any)
		document["homepage"], document["reach"] = "javascript:alert(1)", m{}
		if p, ok := document["pack"].(map[string]any); ok {
			p["derived"], p["plugin_compat"] = []string{}, strings.Repeat("x", 5000)
			document["change_note"], document["tags"] = strings.Repeat("x", 5000), []string{"garden", strings.Repeat("x", 5000)}
			if p["contents"] != nil && document["id"] != "ada/garden" {
				t.Error("another pack with contents than the test's")
			}
			forged.Add(1)
		} else {
			document["category"] = "no\x07name"
		}
		_, _ = w.Write(mustJSON(item))
	}))
	defer liar.Close()
	mirrored(t, here, "up", liar.URL)
	approveAll(t, here)
	if forged.Load() == 0 {
		t.Fatal("no pack was read")
	}
	if v := synced(t, here, "up"); v.Refused == 0 {
		t.Errorf("what has no proper name is not refused: %+v", v)
	}
	got, want := detailOf(t, here, "up/ada-garden", false), detailOf(t, above, "ada/garden", false)
	if reach := mustText(t, got["reach"]); !strings.Contains(reach, `"command.exec"`) || !strings.Contains(reach, `"WEATHER_API_KEY"`) {
		t.Errorf("it reaches %s", reach)
	}
	if mustText(t, got["capabilities"]) != mustText(t, want["capabilities"]) {
		t.Errorf("it can do %s, by its bytes %s", mustText(t, got["capabilities"]), mustText(t, want["capabilities"]))
	}
	if len(mustText(t, got)) > 20_000 {
		t.Errorf("its detail has %d bytes", len(mustText(t, got)))
	}
	if link, _ := got["homepage"].(string); strings.Contains(link, "script") || !strings.HasPrefix(link, liar.URL) {
		t.Errorf("it links to %q", link)
	}
}
