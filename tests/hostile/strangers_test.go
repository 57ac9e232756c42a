package hostile

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/httpapi"
	"stoa/internal/platform/account"
)

func init() {
	alone("M2", "guesses at the console count with those where members sign in", apitest.Options{}, guessesAtConsole)
	alone("H5", "beginning to sign in from everywhere is kept at a fixed rate, and who is known gets through", apitest.Options{HTTP: func(c *httpapi.Config) { c.PublicURL = "https://stoa.example" }}, begunSignIns)
	alone("H5", "attempts that are refused anyway write nothing", apitest.Options{SignupOpen: true, App: func(c *core.Config) { c.SignupsPerHour = 5 }}, refusedAttempts)
	alone("H5", "the log has strangers' requests at a fixed rate, and members' all", apitest.Options{HTTP: func(c *httpapi.Config) { c.StrangersLinesPerSecond = 20 }}, loggedStrangers)
}

// guessesAtConsole guesses a reviewer's password at the console from many addresses.
func guessesAtConsole(t *testing.T, s *apitest.Server) {
	if err := s.App.GrantRole(t.Context(), "ada", "reviewer"); err != nil {
		t.Fatal(err)
	}
	console, err := s.Handler.NewConsole(nil)
	if err != nil {
		t.Fatal(err)
	}
	signIn := func(from, password string) int {
		text, err := json.Marshal(m{"user_id": "ada", "password": password})
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/console/api/login", strings.NewReader(string(text)))
		req.RemoteAddr = from + ":1234"
		req.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		console.ServeHTTP(rec, req)
		return rec.Code
	}
	if got := signIn("198.51.100.7", apitest.Password); got != 200 {
		t.Fatal(got)
	}
	statuses := map[int]int{}
	for i := range some(40, 400) {
		statuses[signIn(fmt.Sprintf("203.0.113.%d", i%200), fmt.Sprintf("guess number %d", i))]++
	}
	if statuses[401] != 20 || len(statuses) != 2 {
		t.Errorf("guesses at the console: %v, want 20 looked at", statuses)
	}
	s.Nobody(t).From("192.0.2.9").Post("/api/login", password("ada", "one more")).Want(t, 429, "rate_limited")
	if got := signIn("198.51.100.7", apitest.Password); got != 200 {
		t.Errorf("the reviewer is kept out of the console where she signed in before: %d", got)
	}
}

func begunSignIns(t *testing.T, s *apitest.Server) {
	home := s.Nobody(t).From("198.51.100.7")
	home.Post("/api/login", password("ada", apitest.Password)).OK(t)
	begun := map[string]int{}
	for i := range 400 {
		begun[s.Nobody(t).From(fmt.Sprintf("203.0.%d.%d", i/250, i%250)).Post("/api/login/passkey/begin", m{}).Code()]++
	}
	if n := s.Count(t, "passkey_attempt"); n != 200 || begun["rate_limited"] != 200 {
		t.Errorf("%d attempts are kept, %v", n, begun)
	}
	if n := s.Count(t, "login_throttle"); n > 210 {
		t.Errorf("%d windows are kept", n)
	}
	home.Post("/api/login/passkey/begin", m{}).OK(t)
}

func refusedAttempts(t *testing.T, s *apitest.Server) {
	from := s.Nobody(t).From("203.0.113.5")
	tries := map[string]func(i int) *apitest.Reply{
		"one member": func(int) *apitest.Reply { return from.Post("/api/login", password("ada", "a wrong one")) },
		"many members": func(i int) *apitest.Reply {
			return from.Post("/api/login", password(fmt.Sprintf("m%d", i), "a wrong one"))
		},
		"made-up links": func(i int) *apitest.Reply { return from.Post("/api/login", m{"sign_in_token": fmt.Sprint(i)}) },
		"sign-ups from everywhere": func(i int) *apitest.Reply {
			return s.Nobody(t).From(fmt.Sprintf("198.51.%d.%d", i/200, i%200)).Post("/api/signup", password(fmt.Sprintf("new-%d", i), apitest.Password))
		},
		"passwords that are too long": func(i int) *apitest.Reply {
			return s.Nobody(t).From(fmt.Sprintf("192.0.2.%d", i%200)).Post("/api/login", password("bob", strings.Repeat("密", account.MaxPasswordLength)))
		},
	}
	for name, try := range tries {
		for i := range 130 {
			try(i)
		}
		before := s.Rows(t, "login_throttle", "account", "audit_event")
		for i := range 20 {
			if r := try(1000 + i); r.Status < 400 {
				t.Errorf("%s: %d", name, r.Status)
			}
		}
		if s.Rows(t, "login_throttle", "account", "audit_event") != before {
			t.Errorf("%s: refused attempts are written down", name)
		}
	}
}

func loggedStrangers(t *testing.T, s *apitest.Server) {
	ada := s.As(t, "ada")
	for i := range 300 {
		s.Nobody(t).From(fmt.Sprintf("203.0.113.%d", i%200)).Do([]string{"GET", "HEAD"}[i%2], fmt.Sprintf("/api/nothing-%d", i), nil)
	}
	for range 150 {
		ada.Get("/api/preferences").OK(t)
	}
	of := func(path string) int { return strings.Count(s.Log(), path) }
	if n := of("/api/nothing-"); n != 100 {
		t.Errorf("%d lines of strangers", n)
	}
	if n := of("/api/preferences"); n != 150 {
		t.Errorf("%d of 150 lines of a member", n)
	}
	s.Clock.Advance(1e9)
	s.Nobody(t).Get("/api/nothing-more")
	if !strings.Contains(s.Log(), `"requests":200`) && !strings.Contains(s.Log(), "requests=200") {
		t.Errorf("the log does not say how many were left out: %.300s", s.Log()[max(0, len(s.Log())-600):])
	}
}
