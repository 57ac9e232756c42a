//go:build linux

package faults

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
)

// jumps are moves of a clock that somebody sets wrong and right again.
var jumps = []time.Duration{5 * time.Hour, -11 * time.Hour, 30 * time.Hour, -26 * time.Hour, 2 * time.Hour}

// Whatever the clock does, nothing is lost or done twice, nobody is locked out for hours, and no time is negative.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Import(t, review.ImportOptions{}, lines("base", len(jumps)+1))
		body := func(key string) m {
			return m{"template_id": "ada/" + key, "prompt": "You know what time it is.", "upload_options": m{"idempotency_key": key}}
		}
		first := s.As(t, "ada").Post("/api/templates/submit", body("first")).OK(t).Str("data.submission_id")
		trial := s.As(t, "ada").Post("/api/trial", m{"template_id": "base/0"}).OK(t)
		for i, jump := range append([]time.Duration{0}, jumps...) {
			before := s.As(t, "ada")
			wrong(t, s, "cyn")
			s.Clock.Advance(jump)
			// A session ends when two hours have passed, and not because the time went back.
			if r := before.Get("/api/member/tasks"); r.Status != 200 && (jump < 2*time.Hour || r.Status != 401) {
				t.Errorf("%s: %d %s", jump, r.Status, r.Body)
			}
			ada := s.As(t, "ada")
			throttled(t, s, jump)
			if again := ada.Post("/api/templates/submit", body("first")).OK(t); again.Str("data.submission_id") != first || again.At("data.idempotent_replay") != true {
				t.Errorf("%s: %s", jump, again.Body)
			}
			ada.Post("/api/templates/submit", body(fmt.Sprint("after-", i))).OK(t)
			ada.Post("/api/templates/install", m{"template_id": fmt.Sprintf("base/%d", i)}).OK(t)
			ada.With("Idempotency-Key", fmt.Sprint("session-", i)).Post("/api/knowledge/session/execute", m{"actionLimit": 1}).OK(t)
			state := ada.Get("/api/trial/status", "template_id", "base/0").OK(t)
			if left, most := state.Int("data.remaining_seconds"), trial.Int("data.ttl_seconds"); left < 0 || left > most {
				t.Errorf("%s: a trial of %d s has %d s left", jump, most, left)
			}
			if err := s.App.SweepOnce(t.Context()); err != nil {
				t.Errorf("%s: %v", jump, err)
			}
			for path, rows := range map[string]string{"/api/member/submissions": "submissions", "/api/member/installations": "installations", "/api/knowledge/session/history": "records", "/api/member/transfers": "jobs"} {
				want := i + 1
				if rows == "submissions" || rows == "jobs" {
					want++
				}
				if n := walk(t, ada, path, rows); n != want {
					t.Errorf("%s: %s has %d of %d", jump, path, n, want)
				}
			}
		}
		for _, c := range []string{"submission WHERE updated_at < created_at", "transfer_job WHERE finished_at < 0 OR started_at < 0", "installation WHERE installed_at <= 0", "request_trace WHERE duration_us < 0"} {
			if n := s.Count(t, c); n != 0 {
				t.Errorf("%d of %s", n, c)
			}
		}
	})
}

// walk counts a list's rows, two to a page, each once.
func walk(t *testing.T, c *apitest.Client, path, rows string) int {
	t.Helper()
	seen, cursor := map[string]bool{}, ""
	for range 50 {
		r := c.Get(path, "limit", "2", "cursor", cursor).OK(t)
		for i := range r.Len("data." + rows) {
			text := fmt.Sprint(r.At("data." + rows + "." + strconv.Itoa(i)))
			if seen[text] {
				t.Errorf("%s shows a row twice", path)
			}
			seen[text] = true
		}
		if cursor = r.Str("data.next_cursor"); cursor == "" {
			break
		}
	}
	return len(seen)
}

// wrong fails to sign a member in until nobody may try any more.
func wrong(t *testing.T, s *apitest.Server, userID string) {
	t.Helper()
	for range 12 {
		r := s.Nobody(t).Post("/api/login", m{"user_id": userID, "password": "wrong"})
		if r.Status == 429 {
			return
		}
		if r.Status != 401 {
			t.Errorf("%d %s", r.Status, r.Body)
		}
	}
	t.Error("nobody is throttled")
}

// throttled tries once more after a jump: ten minutes is the longest that anybody is kept waiting for a few failures.
func throttled(t *testing.T, s *apitest.Server, jump time.Duration) {
	t.Helper()
	r := s.Nobody(t).Post("/api/login", m{"user_id": "cyn", "password": "wrong"})
	wait, _ := strconv.Atoi(r.Header.Get("Retry-After"))
	if r.Status != 401 && (r.Status != 429 || wait < 1 || wait > 600) || jump == 0 && r.Status != 429 {
		t.Errorf("%s: %d, Retry-After %d", jump, r.Status, wait)
	}
}
