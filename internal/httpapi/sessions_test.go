package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/accounts"
	"stoa/internal/dbtest"
)

func TestSessionsEndWhenIdle(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		used, idle := s.As(t, "ada"), s.As(t, "ada")
		for range 5 {
			s.Clock.Advance(accounts.SessionIdle - time.Second)
			used.Get("/api/preferences").OK(t)
		}
		idle.Get("/api/preferences").Want(t, 401, "unauthorized")
		s.Clock.Advance(accounts.SessionIdle - time.Microsecond)
		used.Get("/api/preferences").OK(t)
		s.Clock.Advance(accounts.SessionIdle)
		used.Get("/api/preferences").Want(t, 401, "unauthorized")
		if err := s.App.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := s.Count(t, "session"); n != 0 {
			t.Errorf("%d sessions are left after their end", n)
		}
	})
}

func TestSessionsEndAfterThirtyDays(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		end := dbtest.Epoch.Add(accounts.SessionMax)
		for s.Clock.Now().Add(119 * time.Minute).Before(end) {
			s.Clock.Advance(119 * time.Minute)
			ada.Get("/api/preferences").OK(t)
		}
		s.Clock.Advance(end.Sub(s.Clock.Now()) - time.Microsecond)
		r := ada.Get("/api/ui/capabilities").OK(t)
		if r.Str("data.session_expires_at") != "2026-04-01T09:00:00.000Z" {
			t.Errorf("expires at %s", r.Str("data.session_expires_at"))
		}
		s.Clock.Advance(time.Microsecond)
		ada.Get("/api/preferences").Want(t, 401, "unauthorized")
	})
}

func TestLogoutEndsOneSession(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		one, other := s.As(t, "ada"), s.As(t, "ada")
		one.Get("/api/preferences").OK(t)
		r := one.Post("/api/logout", m{}).OK(t)
		if r.At("data.signed_out") != true || !strings.Contains(r.Header.Get("Set-Cookie"), "Max-Age=0") {
			t.Errorf("logout: %s %v", r.Body, r.Header)
		}
		one.Get("/api/preferences").Want(t, 401, "unauthorized")
		if r := one.Do("POST", "/api/logout", nil).OK(t); r.At("data.signed_out") != false {
			t.Errorf("again: %s", r.Body)
		}
		other.Get("/api/preferences").OK(t)
	})
}

// What an operator does to a member holds within two seconds, on every node.
func TestAnOperatorEndsSessions(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ctx := t.Context()
		for name, act := range map[string]func() error{
			"passwd":  func() error { return s.App.SetMemberPassword(ctx, "ada", "another long password") },
			"disable": func() error { return s.App.SetMemberDisabled(ctx, "ada", true) },
			"enable":  func() error { return s.App.SetMemberDisabled(ctx, "ada", false) },
		} {
			if err := s.App.SetMemberDisabled(ctx, "ada", false); err != nil {
				t.Fatal(err)
			}
			ada, bob := s.As(t, "ada"), s.As(t, "bob")
			ada.Get("/api/preferences").OK(t)
			if err := act(); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(2 * time.Second)
			if r := ada.Get("/api/preferences"); r.Status != 401 {
				t.Errorf("after %s: %d", name, r.Status)
			}
			bob.Get("/api/preferences").OK(t)
		}
	})
}

func TestCookies(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		r := s.Nobody(t).Post("/api/login", right("ada")).OK(t)
		set, err := http.ParseSetCookie(r.Header.Get("Set-Cookie"))
		if err != nil {
			t.Fatal(err)
		}
		if set.Name != "stoa_session" || set.Value != r.Str("token") || !set.HttpOnly || set.SameSite != http.SameSiteStrictMode || set.Path != "/" || set.Domain != "" {
			t.Errorf("cookie: %+v", set)
		}
		browser := s.Nobody(t).With("Cookie", "stoa_session="+set.Value)
		browser.Get("/api/preferences").OK(t)
		mode := m{"mode": "inline_execution"}
		for _, h := range []struct{ site, origin string }{{"same-origin", s.URL}, {"none", ""}, {"", s.URL}, {"", ""}} {
			browser.With("Sec-Fetch-Site", h.site).With("Origin", h.origin).Post("/api/preferences/mode", mode).OK(t)
		}
		unharmed(t, s, func() {
			for _, h := range []struct{ site, origin string }{{"cross-site", "https://evil.example"}, {"same-site", "https://sub.example"}, {"", "https://evil.example"}, {"", "null"}} {
				for _, op := range withBody() {
					b := browser.With("Sec-Fetch-Site", h.site).With("Origin", h.origin)
					b.Do(op.Method, op.Path, mustJSON(input(op))).Want(t, 403, "permission_denied")
				}
			}
		})
		// An Authorization header counts, and the cookie behind it does not.
		browser.With("Authorization", "Bearer nonsense").Get("/api/preferences").Want(t, 401, "unauthorized")
		if r := s.Nobody(t).Post("/api/login", wrong("ada")); r.Header.Get("Set-Cookie") != "" {
			t.Error("a failed login set a cookie")
		}
	})
}

func TestRequestsPerSecond(t *testing.T) {
	apitest.Each(t, apitest.Options{RequestsPerSecond: 2}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		for range 4 {
			ada.Get("/api/preferences").OK(t)
		}
		if r := ada.Get("/api/preferences").Want(t, 429, "rate_limited"); r.Header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %q", r.Header.Get("Retry-After"))
		}
		ada.Get("/api/health").OK(t)
		bob.Get("/api/preferences").OK(t)
		s.Clock.Advance(500 * time.Millisecond)
		ada.Get("/api/preferences").OK(t)
		ada.Get("/api/preferences").Want(t, 429, "rate_limited")
	})
}
