package fetch_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/dial"
	"stoa/internal/platform/fetch"
)

// A catalog's server that answers, redirects, and refuses.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/list":
			w.Header().Set("ETag", `"one"`)
			if r.Header.Get("If-None-Match") == `"one"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, "0123456789")
		case "/moved":
			http.Redirect(w, r, "/list", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/inward":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func TestGet(t *testing.T) {
	s := server(t)
	c := fetch.New(true)
	got, err := c.Get(t.Context(), s.URL+"/moved", "", 10)
	if err != nil || string(got.Body) != "0123456789" || got.ETag != `"one"` {
		t.Fatalf("%q %q: %v", got.Body, got.ETag, err)
	}
	if same, err := c.Get(t.Context(), s.URL+"/list", got.ETag, 10); err != nil || !same.NotModified || same.Body != nil {
		t.Errorf("not modified: %+v, %v", same, err)
	}
	if _, err := c.Get(t.Context(), s.URL+"/list", "", 9); !errors.Is(err, fetch.ErrTooLarge) {
		t.Errorf("a document that is too large: %v", err)
	}
	var status *fetch.StatusError
	if _, err := c.Get(t.Context(), s.URL+"/busy", "", 10); !errors.As(err, &status) || !status.TooMany() || status.RetryAfter != 7*time.Second {
		t.Errorf("a busy server: %v", err)
	}
	if _, err := c.Get(t.Context(), s.URL+"/none", "", 10); !errors.As(err, &status) || status.TooMany() {
		t.Errorf("no document: %v", err)
	}
	for _, path := range []string{"/round", "/file"} {
		if _, err := c.Get(t.Context(), s.URL+path, "", 10); err == nil {
			t.Errorf("%s was followed", path)
		}
	}
}

// Nothing that a stranger's address, name or redirect leads to is reached on this machine or in its network, and a cloud's
// metadata not even where private addresses are allowed.
func TestNothingPrivateIsReached(t *testing.T) {
	s := server(t)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		if _, err := fetch.New(false).Get(t.Context(), "http://"+host+port+"/list", "", 10); !errors.Is(err, dial.ErrBlocked) {
			t.Errorf("%s: %v", host, err)
		}
	}
	if _, err := fetch.New(true).Get(t.Context(), s.URL+"/inward", "", 10); !errors.Is(err, dial.ErrBlocked) {
		t.Errorf("a redirect to a cloud's metadata: %v", err)
	}
	for _, address := range []string{"ftp://example.org/x", "http://user:word@example.org/", "file:///etc/passwd", "http:opaque", "//example.org", "https://"} {
		if fetch.Check(address) == nil {
			t.Errorf("%s is taken", address)
		}
	}
}
