package llm_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/llm"
)

const secret = "sk-the-key"

func model(t *testing.T, h http.HandlerFunc) *llm.Model {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	m, err := llm.New(s.URL+"/v1", "small", secret)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestChatAndEmbed(t *testing.T) {
	m := model(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("authorization %q", r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/v1/chat/completions":
			fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"yes"}}]}`)
		case "/v1/embeddings":
			fmt.Fprint(w, `{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}]}`)
		default:
			t.Errorf("asked %s", r.URL.Path)
		}
	})
	if got, err := m.Chat(t.Context(), "be brief", "well?"); err != nil || got != "yes" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := m.Embed(t.Context(), []string{"a", "b"}); err != nil || got.Vectors[0][0] != 1 || got.Vectors[1][1] != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestFaultsTellNothingElse: whatever a server does, the error has a kind and names the server that was asked, and neither
// the key nor what the server said.
func TestFaultsTellNothingElse(t *testing.T) {
	slow := make(chan struct{})
	defer close(slow)
	for name, c := range map[string]struct {
		does  http.HandlerFunc
		code  string
		later bool
	}{
		"500": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "at /home/me: "+secret, 500) }, "refused", true},
		"401": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"bad key `+secret+`"}}`, http.StatusUnauthorized)
		}, "refused", false},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere.example/", http.StatusTemporaryRedirect)
		}, "bad_reply", false},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>"+secret) }, "bad_reply", false},
		"empty":   {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }, "bad_reply", false},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for range 20 << 4 {
				if _, err := fmt.Fprint(w, `"`+strings.Repeat("x", 64<<10)); err != nil {
					return
				}
			}
		}, "bad_reply", false},
		"slow": {func(_ http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // only then the server sees that nobody waits any more
			select {
			case <-slow:
			case <-r.Context().Done():
			}
		}, "timeout", true},
	} {
		t.Run(name, func(t *testing.T) {
			m := model(t, c.does)
			ctx := t.Context()
			if name == "slow" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 50*time.Millisecond)
				defer cancel()
			}
			_, err := m.Chat(ctx, "", "well?")
			var f *llm.Fault
			if !errors.As(err, &f) || f.Code != c.code || f.Later != c.later {
				t.Fatalf("%#v, want %s", err, c.code)
			}
			for _, word := range []string{secret, "/home", "elsewhere"} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("%q tells %s", err, word)
				}
			}
			if !strings.Contains(err.Error(), "127.0.0.1:") {
				t.Errorf("%q does not tell whom was asked", err)
			}
			if _, err = m.Embed(ctx, []string{"a"}); !errors.As(err, &f) {
				t.Errorf("embedding: %v", err)
			}
		})
	}
	gone, err := llm.New("http://127.0.0.1:1/v1", "small", "")
	if err != nil {
		t.Fatal(err)
	}
	var f *llm.Fault
	if _, err := gone.Chat(t.Context(), "", "well?"); !errors.As(err, &f) || f.Code != "unreachable" || f.Text != "connection refused to 127.0.0.1:1" {
		t.Errorf("%#v", err)
	}
	unknown := model(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":"x"}`, http.StatusNotFound) })
	if _, err := unknown.Chat(t.Context(), "", "well?"); !errors.As(err, &f) || f.Status != 404 || !strings.Contains(f.Text, "knows no model small (status 404)") {
		t.Errorf("%#v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, base := range []string{"", "ollama", "file:///etc/passwd", "http://me:word@host/v1", "http://"} {
		if _, err := llm.New(base, "small", ""); err == nil {
			t.Errorf("%q is taken", base)
		}
	}
	if _, err := llm.New("http://host/v1", "", ""); err == nil {
		t.Error("no name is taken")
	}
}
