package operate

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestWatching(t *testing.T) {
	var logged bytes.Buffer
	level := new(slog.LevelVar)
	log, flush := newLog(&logged, level)
	server := httptest.NewServer(watching(log, level, prometheus.NewRegistry()))
	defer server.Close()
	ask := func(method, path, host, body string, headers ...string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, _ := io.ReadAll(r.Body)
		return r.StatusCode, strings.TrimSpace(string(text))
	}
	for _, c := range []struct {
		method, path, host, body string
		status                   int
		text                     string
	}{
		{"GET", "/log-level", "", "", 200, "info"},
		{"PUT", "/log-level", "", "debug\n", 200, "debug"},
		{"GET", "/log-level", "localhost", "", 200, "debug"},
		{"PUT", "/log-level", "", "loud", 422, "The level is debug, info, warn or error."},
		{"PUT", "/log-level", "evil.example", "error", 403, "This listener answers under the names of its own machine."},
		{"GET", "/debug/pprof/heap?debug=1", "evil.example:80", "", 403, "This listener answers under the names of its own machine."},
		{"POST", "/log-level", "", "error", 405, "Method Not Allowed"},
	} {
		if status, text := ask(c.method, c.path, c.host, c.body); status != c.status || text != c.text {
			t.Errorf("%s %s %s: %d %q", c.method, c.path, c.host, status, text)
		}
	}
	// Pages of other sites get nothing, neither a profile nor a change.
	for _, header := range [][2]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		for _, call := range [][2]string{{"GET", "/debug/pprof/profile?seconds=1"}, {"GET", "/debug/pprof/trace"}, {"GET", "/metrics"}, {"PUT", "/log-level"}} {
			if status, text := ask(call[0], call[1], "", "error", header[0], header[1]); status != 403 {
				t.Errorf("%v with %v: %d %.100s", call, header, status, text)
			}
		}
	}
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		t.Error("the log does not follow the level")
	}
	if status, text := ask("GET", "/debug/pprof/goroutine?debug=1", "", ""); status != 200 || !strings.Contains(text, "goroutine profile") {
		t.Errorf("profile: %d %.100q", status, text)
	}
	if flush(); !strings.Contains(logged.String(), `"to":"debug"`) {
		t.Errorf("the change is not in the log: %s", logged.String())
	}
}
