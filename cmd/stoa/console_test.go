package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"

	"stoa/internal/cli/operate"
)

// A setting is said to come from where somebody wrote it; a default that nobody wrote is a default.
func TestSettingsInForceSayWhereTheyComeFrom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stoa.yaml")
	if err := os.WriteFile(path, []byte("draft_keep: 24h\nquota:\n  drafts: 7\nlog-level: info\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := operate.ReadSettings(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("STOA_TRACE_KEEP", "12h")
	args := []string{"serve", "--listen=127.0.0.1:0", "--metrics-listen", "off"}
	parser, err := kong.New(&commandLine{}, kong.Resolvers(file))
	if err != nil {
		t.Fatal(err)
	}
	k, err := parser.Parse(args)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][2]string{}
	for _, s := range operate.InForce(k, operate.Given{Args: args, File: file}) {
		found[s.Name] = [2]string{s.Value, s.Source}
	}
	for name, want := range map[string][2]string{
		"listen": {"127.0.0.1:0", "flag"}, "metrics-listen": {"off", "flag"}, "trace-keep": {"12h0m0s", "environment"},
		"draft-keep": {"24h0m0s", "file"}, "quota.drafts": {"7", "file"}, "log-level": {"info", "file"}, // written, though it is the default
		"quota.notes": {"20000", "default"}, "auth.mode": {"required", "default"}, "package-keep": {"720h0m0s", "default"}, "public-url": {"", "default"},
	} {
		if found[name] != want {
			t.Errorf("%s is %v, want %v", name, found[name], want)
		}
	}
}

// On the loopback the console answers under the names of its own machine: a page whose name was bent to 127.0.0.1 gets nothing.
func TestTheConsoleAnswersUnderItsOwnNames(t *testing.T) {
	inside := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for host, want := range map[string]int{
		"127.0.0.1:8108": 204, "localhost:8108": 204, "localhost": 204, "[::1]:8108": 204, "evil.example:8108": 403, "evil.example": 403, "127.0.0.1.evil.example:8108": 403, "10.0.0.1:8108": 403, "": 403,
	} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console", nil)
		req.Host = host
		w := httptest.NewRecorder()
		if operate.ConsoleAt(true, inside).ServeHTTP(w, req); w.Code != want {
			t.Errorf("%q: %d", host, w.Code)
		}
		w = httptest.NewRecorder()
		if operate.ConsoleAt(false, inside).ServeHTTP(w, req); w.Code != 204 {
			t.Errorf("%q of a listener that others reach: %d", host, w.Code)
		}
	}
}
