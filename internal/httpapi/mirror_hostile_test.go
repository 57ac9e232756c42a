package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi"
)

// A source gets no item that somebody else has here, though its mirror is named as what stands before theirs.
func TestAMirrorTakesNothingOver(t *testing.T) {
	e := apitest.Engines(t)[0]
	above, here := withFeeds(t, e, httpapi.FeedNames()...), withFeeds(t, e)
	publish(t, above, "ada", poem)
	here.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "ines/ada-poem", "locales": m{"en-US": m{"title": "Ours", "prompt": "Our own words."}}}))
	here.Private(t, "bob", "bob/ada-poem")
	before := detailOf(t, here, "ines/ada-poem", true)
	for _, name := range []string{"ines", "bob", "b0b", "stoa"} {
		_, err := here.App.AddMirror(t.Context(), review.MirrorInput{Name: name, URL: above.URL, Private: true})
		if err == nil {
			t.Errorf("a mirror is named %s", name)
			_, _ = here.App.SyncMirror(t.Context(), name)
		}
	}
	after := detailOf(t, here, "ines/ada-poem", true)
	if after["title"] != "Ours" || mustText(t, after) != mustText(t, before) {
		t.Errorf("the source has it now: %s", mustText(t, after))
	}
	// An item that comes later under the mirror's own name keeps its id as well.
	above.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "ada/late", "locales": m{"en-US": m{"title": "Late", "prompt": "Theirs."}}}))
	if _, err := here.App.AddMirror(t.Context(), review.MirrorInput{Name: "up", URL: above.URL, Private: true}); err != nil {
		t.Fatal(err)
	}
	here.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "up/ada-late", "locales": m{"en-US": m{"title": "Late", "prompt": "Ours."}}}))
	ours := downloaded(t, here, "up/ada-late")
	if v := synced(t, here, "up"); v.Refused != 0 || downloaded(t, here, "up/ada-late") != ours {
		t.Errorf("the source has ours: %+v", v)
	}
	if err := here.App.RemoveMirror(t.Context(), "up"); err != nil || downloaded(t, here, "up/ada-late") != ours {
		t.Errorf("ours went with the mirror: %v", err)
	}
	if _, err := here.App.AddMirror(t.Context(), review.MirrorInput{Name: "down", URL: above.URL, Private: true}); err != nil {
		t.Errorf("a name of nobody's: %v", err)
	}
}

// A source that goes back to a version that was never here, or says other words under the same one, gives a new version: what has a number
// here keeps its words.
func TestAMirrorKeepsWhatAVersionSays(t *testing.T) {
	e := apitest.Engines(t)[0]
	here := withFeeds(t, e)
	var sources []*apitest.Server
	for _, of := range []struct{ version, prompt string }{{"1.1.0", "You tell the tide."}, {"1.1.0", "You tell lies."}, {"0.5.0", "You tell old lies."}} {
		s := withFeeds(t, e, httpapi.FeedNames()...)
		for range len(sources) { // the list changes too
			s.Clock.Advance(time.Hour)
			publish(t, s, "ada", apitest.Line(m{"id": fmt.Sprint("ada/other-", len(sources)), "locales": m{"en-US": m{"title": "Other", "prompt": "You help."}}}))
		}
		publish(t, s, "ada", apitest.Line(m{"id": "ada/tide", "version": of.version, "locales": m{"en-US": m{"title": "Tide", "prompt": of.prompt}}}))
		sources = append(sources, s)
	}
	var turn atomic.Int64
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		sources[turn.Load()].Handler.ServeHTTP(w, req)
	}))
	t.Cleanup(front.Close)
	mirrored(t, here, "up", front.URL)
	here.As(t, "bob").Post("/api/templates/install", m{"template_id": "up/ada-tide"}).OK(t)
	words := map[string]string{}
	for i := range sources {
		turn.Store(int64(i))
		v := synced(t, here, "up")
		detail := detailOf(t, here, "up/ada-tide", true)
		version, prompt := detail["version"].(string), downloaded(t, here, "up/ada-tide")
		t.Logf("%+v: %s", v, version)
		if known, there := words[version]; there && known != prompt {
			t.Errorf("version %s says other words than before", version)
		}
		words[version] = prompt
		here.Clock.Advance(time.Hour)
	}
	if len(words) != 3 {
		t.Errorf("%d versions of three texts", len(words))
	}
	told := string(here.As(t, "bob").Get("/api/notifications").OK(t).Body)
	t.Logf("%.400s", told)
	turn.Store(0)
	synced(t, here, "up")
	if version := detailOf(t, here, "up/ada-tide", true)["version"]; version != "1.1.0" || downloaded(t, here, "up/ada-tide") != words["1.1.0"] {
		t.Errorf("the source is honest again, and the mirror has %v", version)
	}
}
