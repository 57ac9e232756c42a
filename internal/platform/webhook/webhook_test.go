package webhook_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
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
