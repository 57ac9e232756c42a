package webhook_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/dial"
	"stoa/internal/platform/webhook"
)

// A redirect is an answer like any other: where it leads, nothing is sent.
func TestRedirectsAreNotFollowed(t *testing.T) {
	called := false
	inward := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer inward.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		outside := httptest.NewServer(http.RedirectHandler(inward.URL, status))
		err := webhook.New(dial.PublicOrLocal).Send(t.Context(), outside.URL, webhook.NewSecret(), "1", time.Unix(0, 0), []byte("{}"))
		outside.Close()
		if answered := webhook.Answered(0); !errors.As(err, &answered) || int(answered) != status || called {
			t.Errorf("%d: %v, called: %t", status, err, called)
		}
	}
}

// What goes wrong is written to the log, and an address is often all that somebody needs to write where it leads.
func TestErrorsHoldNoAddress(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close() // without an answer
		}
	}))
	defer slow.Close()
	plain, err := url.Parse(slow.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{
		"nobody there": closed.URL, "no answer": slow.URL, "no TLS": "https://" + plain.Host, "blocked": "https://169.254.169.254", "no such name": "https://name.invalid", "no address": "https://exa mple",
	} {
		for _, secret := range []string{"/services/T0/B0/hunter2secret", "/?token=hunter2secret", "/#hunter2secret"} {
			err := webhook.New(dial.PublicOrLocal).Send(t.Context(), address+secret, webhook.NewSecret(), "1", time.Unix(0, 0), []byte("{}"))
			if err == nil || strings.Contains(err.Error(), "hunter2secret") {
				t.Errorf("%s: %v", name, err)
			}
			if name == "blocked" && !errors.Is(err, dial.ErrBlocked) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
