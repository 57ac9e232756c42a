package member

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/client"
)

// A server that was away is told with the next contact, the latest state of each item once, and no other server.
func TestOutbox(t *testing.T) {
	var away atomic.Bool
	away.Store(true)
	var mu sync.Mutex
	var heard []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			panic(http.ErrAbortHandler)
		}
		body, _ := io.ReadAll(r.Body)
		var in struct {
			ID string `json:"template_id"`
		}
		_ = json.Unmarshal(body, &in)
		mu.Lock()
		heard = append(heard, path.Base(r.URL.Path)+" "+in.ID)
		mu.Unlock()
		if in.ID == "gone" {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"ok":false,"error":{"code":"member_installation_not_found","message":"no"}}`)
			return
		}
		if in.ID == "withdrawn" { // an item that is no longer in the catalog
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"ok":false,"error":{"code":"template_not_installable","message":"no"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"ok":true,"data":{"status":"installed","version":"1"}}`)
	}))
	defer s.Close()
	server, err := client.New(s.URL, client.Options{Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "deep", "outbox.json")
	ctx := context.Background()
	if err := tell(ctx, file, server, []notice{{s.URL, "a", false}, {s.URL, "b", false}, {"https://other.example", "c", false}}); err == nil {
		t.Error("a server that is away was told")
	}
	if err := tell(ctx, file, nil, []notice{{s.URL, "a", true}, {s.URL, "gone", true}, {s.URL, "withdrawn", false}}); err != nil {
		t.Error(err)
	}
	away.Store(false)
	if err := tell(ctx, file, server, nil); err != nil {
		t.Error(err)
	}
	told := func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(heard, ", ")
	}
	if got := told(); got != "install b, uninstall a, uninstall gone, install withdrawn" {
		t.Error(got)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "server") != 1 {
		t.Errorf("%s %v", text, err)
	}
	if err := tell(ctx, file, server, nil); err != nil || told() != "install b, uninstall a, uninstall gone, install withdrawn" {
		t.Error("told twice", err, told())
	}
}
