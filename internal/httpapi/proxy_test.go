package httpapi_test

import (
	"net/netip"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
)

func behindProxy(c *httpapi.Config) {
	c.Proxies = httpapi.Proxies{netip.MustParsePrefix("10.1.0.0/16")}
}

// Behind a trusted proxy the throttle counts clients, not the proxy; a stranger's headers change nothing.
func TestThrottleBehindProxies(t *testing.T) {
	apitest.Each(t, apitest.Options{HTTP: behindProxy}, func(t *testing.T, s *apitest.Server) {
		client := func(peer, forwarded string) *apitest.Client {
			return s.Nobody(t).From(peer).With("X-Forwarded-For", forwarded)
		}
		for range 10 {
			client("10.1.0.1", "198.51.100.1").Post("/api/login", wrong("ada")).Want(t, 401, "invalid_credentials")
		}
		client("10.1.0.1", "198.51.100.1").Post("/api/login", right("ada")).Want(t, 429, "rate_limited")
		client("10.1.0.2", "203.0.113.1, 198.51.100.1").Post("/api/login", right("ada")).Want(t, 429, "rate_limited")
		client("10.1.0.1", "198.51.100.2").Post("/api/login", right("ada")).OK(t)
		for i := range 10 { // a stranger who says that it is somebody else each time
			client("203.0.113.5", "198.51.100."+string(rune('3'+i%6))).Post("/api/login", wrong("bob")).Want(t, 401, "invalid_credentials")
		}
		client("203.0.113.5", "198.51.100.99").Post("/api/login", right("bob")).Want(t, 429, "rate_limited")
		client("10.1.0.1", "203.0.113.5").Post("/api/login", right("bob")).Want(t, 429, "rate_limited") // the same client either way
	})
}

func TestSecureCookieBehindProxies(t *testing.T) {
	apitest.Each(t, apitest.Options{HTTP: behindProxy}, func(t *testing.T, s *apitest.Server) {
		for peer, want := range map[string]bool{"10.1.0.1": true, "203.0.113.5": false} {
			r := s.Nobody(t).From(peer).With("X-Forwarded-Proto", "https").Post("/api/login", right("ada")).OK(t)
			if cookie := r.Header.Get("Set-Cookie"); strings.Contains(cookie, "; Secure") != want {
				t.Errorf("from %s: %s", peer, cookie)
			}
		}
	})
}
