// Package foreign mirrors servers that are not Stoa's: fakes that answer as the programs of others do by their published formats
// (the git repositories are served by git itself), with what such servers do wrong.
package foreign

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi"
	"stoa/internal/market/catalog"
	"stoa/internal/market/feed"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

type m = map[string]any

// server is somebody else's: what it answers is changed by the test.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	on    map[string]http.HandlerFunc // by path
	asked []string                    // paths with their queries
}

func serve(t testing.TB) *server {
	t.Helper()
	s := &server{on: map[string]http.HandlerFunc{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.URL.RequestURI())
		h := s.on[r.URL.Path]
		s.mu.Unlock()
		if h == nil {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) handle(path string, h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on[path] = h
}

func (s *server) says(path, kind string, body []byte) {
	s.handle(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body)
	})
}

func (s *server) json(path string, v any) { s.says(path, "application/json", text(v)) }

// times is how often a path was asked for since the last time, with any query.
func (s *server) times(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = slices.DeleteFunc(s.asked, func(a string) bool {
		before, _, _ := strings.Cut(a, "?")
		if before == path {
			n++
		}
		return before == path
	})
	return n
}

func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func skill(name, says string) string {
	return "---\nname: " + name + "\ndescription: Helps with " + name + ".\n---\n\n# " + name + "\n\n" + says + "\n"
}

func zipped(files map[string]string) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, body := range files {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(body))
		}
		if err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func start(t testing.TB, e apitest.Engine) *apitest.Server {
	return apitest.Start(t, e, apitest.Options{HTTP: func(c *httpapi.Config) { c.Feeds = httpapi.FeedNames() }})
}

func add(t testing.TB, s *apitest.Server, address, kind string) {
	t.Helper()
	v, err := s.App.AddMirror(t.Context(), review.MirrorInput{Name: "up", URL: address, Private: true})
	if err != nil || v.Kind != kind {
		t.Fatalf("%s is taken for %q, not %q: %v", address, v.Kind, kind, err)
	}
}

func synced(t testing.TB, s *apitest.Server) review.MirrorView {
	t.Helper()
	v, err := s.App.SyncMirror(t.Context(), "up")
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Log())
	}
	return v
}

// refusals are what the mirror does not take, with why.
func refusals(t testing.TB, s *apitest.Server) map[string]string {
	t.Helper()
	rows, err := s.App.MirrorRefusals(t.Context(), "up", "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, r := range rows {
		out[r.ID] = r.Reason
	}
	return out
}

// shown is an item as everybody sees it, nil when nobody does.
func shown(t testing.TB, s *apitest.Server, id string) m {
	t.Helper()
	d, err := s.App.GetProfilePackCatalogDetail(t.Context(), core.Caller{}, browse.DetailInput{PackID: id})
	if err != nil {
		return nil
	}
	var out m
	if err := json.Unmarshal(d, &out); err != nil {
		t.Fatal(err)
	}
	if inner, ok := out["pack"].(m); ok {
		return inner
	}
	return out
}

// fed are the ids of a mirror's items that are in this server's feeds.
func fed(t testing.TB, s *apitest.Server) (ids []string) {
	t.Helper()
	v, err := s.App.Feed(t.Context(), core.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Rows {
		if strings.HasPrefix(r.ID, "up/") {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// row is an item in the feeds, which the operator has said yes to.
func row(t testing.TB, s *apitest.Server, id string) *feed.Row {
	t.Helper()
	v, err := s.App.Feed(t.Context(), core.Caller{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Rows {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("%s is not in the feeds", id)
	return nil
}

func republish(t testing.TB, s *apitest.Server) {
	t.Helper()
	if ids := fed(t, s); len(ids) != 0 {
		t.Fatalf("in the feeds without the operator's yes: %v", ids)
	}
	if _, err := s.App.RepublishMirror(t.Context(), "up", true); err != nil {
		t.Fatal(err)
	}
}

func withdraw(t testing.TB, s *apitest.Server, id string) {
	t.Helper()
	if err := s.App.WithdrawItem(t.Context(), catalog.KindProfilePack, id, "not for us"); err != nil {
		t.Fatal(err)
	}
}

func expect(t testing.TB, got map[string]string, want map[string]string) {
	t.Helper()
	for id, reason := range want {
		if !strings.Contains(got[id], reason) || reason == "" {
			t.Errorf("%s: %q, should be because of %q", id, got[id], reason)
		}
	}
	for id, reason := range got {
		if want[id] == "" {
			t.Errorf("%s is refused: %s", id, reason)
		}
	}
}

func number(n int) string { return fmt.Sprintf("%03d", n) }
