package astrbot

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode"

	"stoa/internal/market/apply"
)

// What stands at a bot's address may be anything: it gets the key that was meant for it, and nothing more from us.
func TestAHostileBot(t *testing.T) {
	const key = "abk_this-is-the-key"
	var elsewhere []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere = append(elsewhere, r.Header.Get("X-API-Key"))
	}))
	defer other.Close()
	rows := func(one string, n int) string {
		return `{"status":"ok","data":{"personas":[` + strings.Repeat(one+",", n) + one + `]}}`
	}
	said := func(status int, message string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			text, err := json.Marshal(map[string]string{"status": "error", "message": message})
			if err != nil {
				panic(err)
			}
			w.WriteHeader(status)
			_, _ = w.Write(text)
		}
	}
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   Problem
	}{
		"an answer without end": {func(w http.ResponseWriter, _ *http.Request) {
			part := []byte(strings.Repeat("[", 1<<20))
			for {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, Nonsense},
		"a bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			part := make([]byte, 1<<20)
			for range 256 {
				if _, err := z.Write(part); err != nil {
					return
				}
			}
			_ = z.Close()
		}, Nonsense},
		"a redirect with the body":    {http.RedirectHandler(other.URL, http.StatusTemporaryRedirect).ServeHTTP, Redirects},
		"a redirect":                  {http.RedirectHandler(other.URL+"/x", http.StatusFound).ServeHTTP, Redirects},
		"a page":                      {text("<!doctype html><script>alert(1)</script>"), Nonsense},
		"millions of nothing":         {text(rows("{}", 3<<20)), Nonsense},
		"nested deeply":               {text(`{"status":"ok","data":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`), Nonsense},
		"names that are none":         {text(rows(`{"persona_id":7}`, 1)), Nonsense},
		"control characters":          {said(200, "\x1b[2J\x1b]0;x\x07\u202eok\r\nDone: 1 made\u0085"+strings.Repeat("long ", 1000)), Refused},
		"the key, said back":          {said(401, "the key "+key+" is wrong"), BadKey},
		"the key within other signs":  {said(403, "no\x00"+key+"\u200b"), NoScope},
		"an envelope of another kind": {text(`{"status":{"a":1},"data":[]}`), Nonsense},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.answer)
			defer s.Close()
			b, err := New(s.URL, key, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Read(t.Context(), []apply.Key{{Kind: apply.KindPersona, ID: "x"}})
			var e *Error
			if !errors.As(err, &e) || e.Problem != c.want {
				t.Fatalf("%v", err)
			}
			if n := len([]rune(e.Message)); n > 500 || strings.Contains(e.Message, key) || strings.ContainsFunc(e.Message, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
				t.Errorf("%d characters: %q", n, e.Message)
			}
		})
	}
	if len(elsewhere) > 0 {
		t.Errorf("another server was called with %q", elsewhere)
	}
	// A number of a million digits costs nothing, and an id with a way out of its place reaches nothing but its own field.
	s := httptest.NewServer(text(rows(`{"persona_id":"../../x","system_prompt":"p","sort_order":1e999999999}`, 0)))
	defer s.Close()
	b, err := New(s.URL, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := apply.Key{Kind: apply.KindPersona, ID: "../../x"}
	if got, err := b.Read(t.Context(), []apply.Key{id}); err == nil && len(got) > 1 || err != nil && len(err.Error()) > 500 {
		t.Errorf("%v %v", got, err)
	}
}
