package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/platform/account"
	"stoa/internal/platform/store"
)

// withToken is a client that calls with a new API token of a member.
func withToken(t *testing.T, s *apitest.Server, userID, scope string) *apitest.Client {
	t.Helper()
	c := s.Nobody(t)
	c.Token = s.As(t, userID).Post("/api/account/tokens", m{"label": "a program", "scope": scope}).OK(t).Str("data.token")
	return c
}

// tellsOnly are the POST routes that a token for reading may call, beside all GETs.
var tellsOnly = []string{
	"checkSubmission", "previewProfilePack", "queryKnowledge", "compareQueryBackends", "listMisconceptions", "querySessionHistory", "refreshMemberInstallations", "refreshMemberTasks", "refreshMemberTransfers",
	"buildLearningPath", "planStudySession", "planPlacement", "generatePromptBundle", "compareTrials",
}

// needs is what a token must be for, said here once more on its own.
func needs(op apitest.Operation) string {
	switch {
	case op.Role == "public":
		return ""
	case strings.HasPrefix(op.Path, "/api/account"):
		return "session"
	case op.ID == "verifyCapability":
		return "write" // a GET that keeps what it finds
	case op.Method == "GET" || slices.Contains(tellsOnly, op.ID):
		return "read"
	}
	if slices.Contains([]string{"submitTemplate", "importProfilePack", "submitProfilePack"}, op.ID) {
		return "publish"
	}
	return "write"
}

// kept writes out what reading must not change: everything but what is written about reading itself.
func kept(t *testing.T, s *apitest.Server) string {
	t.Helper()
	var tables []string
	for _, table := range store.Registry {
		if table.Backup && !table.Traffic && !slices.Contains([]string{"audit_event", "engagement", "api_token", "transfer_job", "quota_use", "sign_in_source", "session"}, table.Name) {
			tables = append(tables, table.Name)
		}
	}
	return s.Rows(t, tables...)
}

// Every route under a token of each scope: what it is not for is refused and changes nothing, and what is for reading changes
// nothing either.
func TestTokensMayDoWhatTheyAreFor(t *testing.T) {
	heavy(t)
	apitest.Each(t, apitest.Options{SignupOpen: true, Anonymous: true}, func(t *testing.T, s *apitest.Server) {
		for _, scope := range []string{"read", "publish", "write"} {
			c := withToken(t, s, "ada", scope)
			c.Get("/api/templates").OK(t) // its first use is written down
			for _, op := range apitest.Operations() {
				if op.ID == "login" || op.ID == "loginWithPasskey" || op.ID == "signup" || op.ID == "exchangeToken" || op.ID == "logout" {
					continue // of everybody; a token makes no difference
				}
				need := needs(op)
				refused := need == "session" || need != "" && scope != "write" && need != scope
				values := prepared(t, s, op, "ada")
				before := kept(t, s)
				whole := ""
				if refused {
					whole = s.Rows(t)
				}
				r := send(c, op, values)
				switch {
				case refused && (r.Status != 403 || r.Str("data.required_scope") != need || s.Rows(t) != whole):
					t.Errorf("%s with a token to %s: %d %s, want 403 and nothing changed: %s", op.ID, scope, r.Status, r.Body, firstDifference(whole, s.Rows(t)))
				case !refused && r.Status != 200:
					t.Errorf("%s with a token to %s: %d %s", op.ID, scope, r.Status, r.Body)
				case scope == "read" && kept(t, s) != before:
					t.Errorf("%s has changed something for a token to read:\n%s", op.ID, firstDifference(before, kept(t, s)))
				}
			}
		}
	})
}

func TestAPITokens(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		r := ada.Post("/api/account/tokens", m{"label": "laptop"}).OK(t)
		token, id := r.Str("data.token"), r.Str("data.token_id")
		if r.Str("data.scope") != "read" || !account.IsAPIToken(token) {
			t.Fatalf("%s", r.Body)
		}
		if s.Count(t, "api_token WHERE token_hash = '"+token+"'") != 0 || strings.Contains(s.Rows(t), token) || strings.Contains(s.Log(), token) {
			t.Error("the token itself is kept")
		}
		program := s.Nobody(t)
		program.Token = token
		program.Get("/api/preferences").OK(t)
		if list := ada.Get("/api/account/tokens").OK(t); strings.Contains(string(list.Body), token) || list.Str("data.tokens.0.last_used_at") == "" {
			t.Errorf("%s", list.Body)
		}
		s.Nobody(t).With("Cookie", "stoa_session="+token).Get("/api/preferences").Want(t, 401, "unauthorized")
		// Another member's cannot be revoked, nor found.
		if bobs := s.As(t, "bob").Post("/api/account/tokens/revoke", m{"token_id": id}).OK(t); bobs.At("data.revoked") != false {
			t.Errorf("%s", bobs.Body)
		}
		program.Get("/api/preferences").OK(t)
		if done := ada.Post("/api/account/tokens/revoke", m{"token_id": id}).OK(t); done.At("data.revoked") != true {
			t.Errorf("%s", done.Body)
		}
		program.Get("/api/preferences").Want(t, 401, "unauthorized")

		short := s.Nobody(t)
		short.Token = ada.Post("/api/account/tokens", m{"label": "short", "expires_in_days": 1}).OK(t).Str("data.token")
		s.Clock.Advance(24*time.Hour - time.Second)
		short.Get("/api/preferences").OK(t)
		s.Clock.Advance(time.Second)
		short.Get("/api/preferences").Want(t, 401, "unauthorized")
		if err := s.App.SweepOnce(t.Context()); err != nil || s.Count(t, "api_token") != 0 {
			t.Errorf("an expired token is still there: %v", err)
		}
		ada = s.As(t, "ada")
		for range 50 {
			ada.Post("/api/account/tokens", m{"label": "many"}).OK(t)
		}
		ada.Post("/api/account/tokens", m{"label": "too many"}).Want(t, 409, "quota_exceeded")
		ada.Post("/api/account/tokens", m{"label": "x", "scope": "session"}).Want(t, 422, "invalid_request")
	})
}

// A member who is shut out is so with their tokens too, and letting them in again brings none back.
func TestTokensEndWithTheMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := withToken(t, s, "ada", "write")
		c.Get("/api/preferences").OK(t)
		for _, disabled := range []bool{true, false} {
			if err := s.App.SetMemberDisabled(t.Context(), "ada", disabled); err != nil {
				t.Fatal(err)
			}
			s.Clock.Advance(3 * time.Second) // what is held in memory may be two seconds old
			c.Get("/api/preferences").Want(t, 401, "unauthorized")
		}
	})
}
