package httpapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/accounts"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/submission"
	"stoa/internal/platform/account"
)

// secret marks everything that is bob's; nobody else may ever see it.
const secret = "bobs-own-session"

// bobsThings gives bob one of everything.
func bobsThings(t *testing.T, s *apitest.Server) {
	t.Helper()
	bob := s.As(t, "bob")
	bob.Post("/api/trial", m{"template_id": coach, "session_id": secret}).OK(t)
	s.Clock.Advance(2 * time.Hour)
	if err := s.App.SweepOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	bob = s.As(t, "bob")
	bob.With("X-Request-Id", secret).Post("/api/templates/install", m{"template_id": coach, "session_id": secret}).OK(t)
	bob.With("X-Request-Id", secret).Post("/api/trial", m{"template_id": translator, "session_id": secret}).OK(t)
	bob.Post("/api/preferences/mode", m{"mode": "inline_execution"}).OK(t)
	bob.Post(templateDrafts, m{"draft_id": "of-bob", "revision": 0, "title": secret, "prompt": secret}).OK(t)
	bob.Get("/api/runtime-request-trace").OK(t)
	draft := s.Draft(t, "bob", secret+".json", apitest.Setup(t, secret))
	pack := s.SubmitPack(t, "bob", submit.PackInput{ArtifactID: draft, PackID: "bob/" + secret, Title: secret})
	template := s.SubmitPackage(t, "bob", submit.TemplateInput{TemplateID: "bob/" + secret, ChangeNote: secret}, apitest.TemplatePackage(t, "bob/"+secret, "1.0.0", secret, nil))
	bob.Get("/api/member/submissions/package/download", "submission_id", template).OK(t)
	bob.Get("/api/member/profile-pack/submissions/export/download", "submission_id", pack).OK(t)
	s.SubmitPackage(t, "bob", submit.TemplateInput{TemplateID: "bob/plain", Prompt: secret, Options: submission.UploadOptions{IdempotencyKey: secret}}, nil)
	bobs.Store(s, map[string]string{"import_id": draft, "artifact_id": draft, "pack": pack, "template": template, "draft_id": "of-bob"})
}

// bobs are the ids of what bob was given, by server.
var bobs sync.Map

// ofBob is op about something of bob's.
func ofBob(s *apitest.Server, op apitest.Operation) string {
	ids, _ := bobs.Load(s)
	name := things[op.ID]
	if name == "submission_id" {
		name = "template"
		if strings.Contains(op.ID, "ProfilePack") {
			name = "pack"
		}
	}
	return ids.(map[string]string)[name]
}

// What is another member's cannot be touched by naming it, by nobody who has the public API alone.
func TestThingsOfAnotherMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bobsThings(t, s)
		ada := s.As(t, "ada")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		inCharge(t, s, "rita", "reviewer")
		inCharge(t, s, "otto", "operator")
		callers := map[string]*apitest.Client{"a member": ada, "a reviewer": s.As(t, "rita"), "an operator": s.As(t, "otto")}
		before := s.Rows(t)
		for who, c := range callers {
			for _, op := range apitest.Operations() {
				name := things[op.ID]
				if name == "" {
					continue
				}
				in := input(op)
				in[name] = ofBob(s, op)
				r := send(c, op, in)
				if name == "draft_id" { // an id that its member made: of anybody else it is another one
					r.Want(t, 404, "template_draft_not_found")
					continue
				}
				if r.Status != 403 || r.Code() != "permission_denied" || strings.Contains(string(r.Body), secret) {
					t.Errorf("%s as %s: %d %s", op.ID, who, r.Status, r.Body)
				}
			}
		}
		ids, _ := bobs.Load(s)
		ada.Get("/api/profile-pack/catalog/compare", "pack_id", starter, "base_artifact_id", ids.(map[string]string)["artifact_id"]).Want(t, 403, "permission_denied")
		s.Nobody(t).Get("/api/profile-pack/catalog/compare", "pack_id", starter, "base_artifact_id", draft).Want(t, 401, "unauthorized")
		ada.Get("/api/profile-pack/catalog/compare", "pack_id", starter, "base_artifact_id", draft).OK(t)
		if after := s.Rows(t); after != before {
			t.Errorf("a refused request has changed rows:\n%s", firstDifference(before, after))
		}
		for _, path := range []string{"/api/member/submissions", "/api/member/profile-pack/submissions", "/api/member/profile-pack/imports", "/api/member/transfers", "/api/member/tasks", "/api/notifications"} {
			if r := ada.Get(path).OK(t); strings.Contains(string(r.Body), secret) {
				t.Errorf("%s shows what is bob's: %s", path, r.Body)
			}
		}
	})
}

// caller is somebody who calls, and as whom that makes them act; "" is nobody at all.
type caller struct {
	name   string
	client *apitest.Client
	acts   string
	member bool // signed in, or authentication is off
}

func callers(t *testing.T, s *apitest.Server, nobodyIs string, open bool) []caller {
	t.Helper()
	expired := s.As(t, "cyn")
	s.Clock.Advance(accounts.SessionIdle)
	invalid := s.Nobody(t)
	invalid.Token = account.NewToken()
	ada := "ada"
	if open {
		ada = nobodyIs // tokens mean nothing then
	}
	return []caller{
		{"nobody", s.Nobody(t), nobodyIs, open},
		{"somebody with an invalid token", invalid, nobodyIs, open},
		{"somebody with an expired session", expired, nobodyIs, open},
		{"a disabled member", s.As(t, "dan"), nobodyIs, open},
		{"a member", s.As(t, "ada"), ada, true},
	}
}

// want says how a caller fares on a route when they name a member, or "" for none.
func (c caller) want(role, named string, open bool) (status int, code string) {
	switch {
	case role == "public" || open:
		return 200, ""
	case c.acts == "", role == "member" && !c.member:
		return 401, "unauthorized"
	case named != "" && named != c.acts:
		return 403, "permission_denied"
	}
	return 200, ""
}

func TestWhoMayDoWhat(t *testing.T) {
	heavy(t)
	modes := []struct {
		name     string
		options  apitest.Options
		nobodyIs string
	}{
		{"auth on", apitest.Options{SignupOpen: true}, ""},
		{"anonymous on", apitest.Options{SignupOpen: true, Anonymous: true}, apitest.AnonymousMember},
		{"auth off", apitest.Options{AuthOff: true}, apitest.DefaultMember},
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			apitest.Each(t, mode.options, func(t *testing.T, s *apitest.Server) {
				if !mode.options.AuthOff {
					bobsThings(t, s)
				}
				all := callers(t, s, mode.nobodyIs, mode.options.AuthOff)
				if err := s.App.SweepOnce(t.Context()); err != nil { // now, not some time while we look
					t.Fatal(err)
				}
				before := s.RowsOf(t, "bob")
				for _, op := range apitest.Operations() {
					t.Run(op.ID, func(t *testing.T) { everyCaller(t, s, op, all, mode.options.AuthOff) })
				}
				if after := s.RowsOf(t, "bob"); !mode.options.AuthOff && after != before {
					t.Errorf("something of bob's has changed:\n%s\nwas:\n%s", after, before)
				}
			})
		})
	}
}

func everyCaller(t *testing.T, s *apitest.Server, op apitest.Operation, all []caller, open bool) {
	names := []string{}
	if p, ok := op.Named("user_id"); ok && op.Role != "public" {
		names = p.Names()
	}
	if op.Role != "public" && len(names) != 3 {
		t.Errorf("%s takes a user id under %d names, want 3", op.ID, len(names))
	}
	var refused, allowed []attempt
	for i, c := range all {
		if (op.ID == "login" || op.ID == "signup") && i%4 != 0 {
			continue // a password costs time: the first and the last will do
		}
		c.client = c.client.For(t)
		attempts := []attempt{{caller: c}}
		for _, name := range names {
			attempts = append(attempts, attempt{c, name, "bob"})
			if c.acts != "" {
				attempts = append(attempts, attempt{c, name, c.acts})
			}
		}
		for _, a := range attempts {
			if status, _ := a.want(op.Role, a.named, open); status == 200 {
				allowed = append(allowed, a)
			} else {
				refused = append(refused, a)
			}
		}
	}
	if len(refused) > 0 {
		ofAda := prepared(t, s, op, "ada") // what is named is there; it is the caller who may not
		unharmed(t, s, func() {
			for _, a := range refused {
				a.try(t, s, op, open, maps.Clone(ofAda))
			}
		})
	}
	for _, a := range allowed {
		a.try(t, s, op, open, nil)
	}
}

// attempt is one call of a caller who names a member, or nobody.
type attempt struct {
	caller
	name, named string
}

func (a attempt) String() string {
	return fmt.Sprintf("%s naming %s=%q", a.caller.name, a.name, a.named)
}

// try calls op with values, or with those that the caller needs to succeed.
func (a attempt) try(t *testing.T, s *apitest.Server, op apitest.Operation, open bool, values m) {
	t.Helper()
	if op.ID == "logout" && a.caller.name == "a member" {
		a.client = s.As(t, "ada") // the others still need theirs
	}
	if op.ID == "endOwnSessions" && !open && a.acts == "ada" && (a.named == "" || a.named == "ada") {
		defer s.Admit(t, a.client, "ada") // all of ada's are ended
	}
	status, code := a.want(op.Role, a.named, open)
	if op.ID == "signup" && open {
		status, code = 403, "signup_closed"
	}
	if open && slices.Contains([]string{"changePassword", "requestAccountDeletion", "cancelAccountDeletion", "beginPasskey", "addPasskey", "renamePasskey", "loginWithPasskey"}, op.ID) {
		status, code = 403, "permission_denied"
	}
	acts := a.acts
	if open && a.named != "" {
		acts = a.named
	}
	if values == nil {
		values = prepared(t, s, op, acts)
	}
	if a.name != "" {
		values[a.name] = a.named
	}
	r := send(a.client, op, values)
	if r.Status != status || r.Code() != code {
		t.Errorf("%s as %s: %d %s, want %d %s", op.ID, a, r.Status, r.Body, status, code)
		return
	}
	if code == "permission_denied" && r.Str("data.error") != "permission_denied" {
		t.Errorf("%s as %s: data is %v", op.ID, a, r.At("data"))
	}
	if user, ok := r.At("data.user_id").(string); ok && status == 200 && op.Role != "public" && user != acts {
		t.Errorf("%s as %s acted as %q, want %q", op.ID, a, user, acts)
	}
	if !open && strings.Contains(string(r.Body), secret) {
		t.Errorf("%s as %s shows what is bob's: %s", op.ID, a, r.Body)
	}
}

// Two ids in one request must never let the second one through.
func TestTwoUserIDsNeverReachAnotherMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bobsThings(t, s)
		before := s.RowsOf(t, "bob")
		ada := s.As(t, "ada")
		for _, op := range apitest.Operations() {
			if op.Role == "public" {
				continue
			}
			for _, two := range []m{
				{"user_id": "ada", "userId": "bob"},
				{"user_id": "bob", "userId": "ada"},
				{"userId": "ada", "learnerId": "bob"},
				{"userId": "bob", "learnerId": "ada"},
				{"user_id": nil, "userId": "bob"},
				{"User_ID": "bob"},
				{"USER_ID": "bob", "userid": "bob"},
			} {
				values := prepared(t, s, op, "ada")
				maps.Copy(values, two)
				r := send(ada, op, values)
				if strings.Contains(string(r.Body), secret) {
					t.Errorf("%s with %v shows what is bob's: %s", op.ID, two, r.Body)
				}
				if user, ok := r.At("data.user_id").(string); ok && r.Status == 200 && user != "ada" {
					t.Errorf("%s with %v acted as %s", op.ID, two, user)
				}
			}
			// The query of a POST names nobody.
			if op.Method == "POST" {
				r := ada.Do("POST", op.Path+"?user_id=bob&userId=bob", mustJSON(prepared(t, s, op, "ada")))
				if user, ok := r.At("data.user_id").(string); ok && user != "ada" {
					t.Errorf("%s acted as %s", op.ID, user)
				}
			}
		}
		if after := s.RowsOf(t, "bob"); after != before {
			t.Errorf("something of bob's has changed:\n%s\nwas:\n%s", after, before)
		}
	})
}

func TestAuthOffAnswersOnlyUnderLoopbackNames(t *testing.T) {
	apitest.Each(t, apitest.Options{AuthOff: true}, func(t *testing.T, s *apitest.Server) {
		before := s.Rows(t)
		for _, host := range []string{"evil.example", "evil.example:8106", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.7:8106", "0.0.0.0", "[::ffff:10.0.0.1]"} {
			for _, op := range apitest.Operations() {
				r := send(s.Nobody(t).With("Host", host), op, input(op))
				if r.Status != 403 || r.Code() != "permission_denied" {
					t.Errorf("%s under the name %s: %d %s", op.ID, host, r.Status, r.Body)
				}
			}
		}
		if s.Rows(t) != before {
			t.Error("a refused request changed something")
		}
		for _, host := range []string{"localhost:8106", "LOCALHOST", "127.0.0.1:1", "127.8.9.10", "[::1]:8106"} {
			s.Nobody(t).With("Host", host).Get("/api/preferences").OK(t)
		}
	})
}
