package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/store"
)

func quotas(q core.Quotas) apitest.Options {
	return apitest.Options{App: func(c *core.Config) { c.Quotas = q }}
}

// quotaOf is what the API says of one kind.
func quotaOf(t *testing.T, c *apitest.Client, kind core.QuotaKind) (used, limit int) {
	t.Helper()
	r := c.Get("/api/member/quotas").OK(t)
	for i := range r.Len("data.quotas") {
		if at := fmt.Sprintf("data.quotas.%d.", i); r.Str(at+"kind") == string(kind) {
			return r.Int(at + "used"), r.Int(at + "limit")
		}
	}
	t.Fatalf("there is no quota of %s: %s", kind, r.Body)
	return 0, 0
}

// Of every kind, so much is taken and not more; what is refused leaves no row, and another member is not touched by it.
func TestQuotasHold(t *testing.T) {
	most := core.Quotas{
		core.QuotaDrafts: 2, core.QuotaPending: 2, core.QuotaNotes: 3, core.QuotaImports: 4, core.QuotaSubmissions: 4, core.QuotaInstalls: 2, core.QuotaStudySessions: 2,
		core.QuotaObservations: 3, core.QuotaTutorReplies: 2, core.QuotaSnapshots: 2, core.QuotaPlanChecks: 2, core.QuotaVerifications: 2, core.QuotaRemediations: 2,
	}
	note := func(n int) m {
		return m{"id": fmt.Sprint("n", n), "path": fmt.Sprint("n", n, ".md"), "text": fmt.Sprint("# Note ", n, "\n\nText.\n")}
	}
	calls := []struct {
		kind   core.QuotaKind
		status int
		send   func(c *apitest.Client, n int) *apitest.Reply
	}{
		{core.QuotaDrafts, 409, func(c *apitest.Client, n int) *apitest.Reply { return importSetup(c, t, fmt.Sprint("persona-", n)) }},
		{core.QuotaPending, 409, func(c *apitest.Client, n int) *apitest.Reply {
			return c.Post("/api/templates/submit", m{"template_id": fmt.Sprint("letters/n", n), "prompt": "You write letters."})
		}},
		{core.QuotaNotes, 409, func(c *apitest.Client, n int) *apitest.Reply {
			return c.Post("/api/knowledge/ingest", m{"documents": []m{note(n)}})
		}},
		{core.QuotaInstalls, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/templates/install", m{"template_id": translator, "install_options": m{"force_reinstall": true}})
		}},
		{core.QuotaStudySessions, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/knowledge/session/execute", m{"actionLimit": 1})
		}},
		{core.QuotaObservations, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/knowledge/mastery/diagnose", m{"observations": []m{{"atomId": limits, "outcome": "correct"}}})
		}},
		{core.QuotaTutorReplies, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/knowledge/tutor/action", m{"atomId": limits})
		}},
		{core.QuotaSnapshots, 429, func(c *apitest.Client, _ int) *apitest.Reply { return c.Post("/api/knowledge/quality/snapshot", m{}) }},
		{core.QuotaPlanChecks, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/knowledge/session/plan/evaluate", m{})
		}},
		{core.QuotaVerifications, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return send(c, operationOf("verifyCapability"), m{})
		}},
		{core.QuotaRemediations, 429, func(c *apitest.Client, _ int) *apitest.Reply {
			return send(c, operationOf("recordRemediation"), m{})
		}},
	}
	apitest.Each(t, quotas(most), func(t *testing.T, s *apitest.Server) {
		bob, cyn := s.As(t, "bob"), s.As(t, "cyn")
		for _, call := range calls {
			limit := int(most[call.kind])
			for n := range limit {
				if r := call.send(bob, n); r.Status != 200 {
					t.Fatalf("%s, number %d: %d %s", call.kind, n+1, r.Status, r.Body)
				}
			}
			if used, is := quotaOf(t, bob, call.kind); used != limit || is != limit {
				t.Errorf("%s: the quota page says %d of %d, want %d of %d", call.kind, used, is, limit, limit)
			}
			before := rowsButFailures(t, s)
			r := call.send(bob, limit)
			code := map[int]string{409: "quota_exceeded", 429: "rate_limited"}[call.status]
			if r.Status != call.status || r.Code() != code || r.Str("data.kind") != string(call.kind) || r.Int("data.limit") != limit {
				t.Errorf("%s, one too many: %d %s", call.kind, r.Status, r.Body)
			}
			if retry := r.Header.Get("Retry-After"); (call.status == 429) != (retry != "") {
				t.Errorf("%s: Retry-After is %q", call.kind, retry)
			}
			if after := rowsButFailures(t, s); after != before {
				t.Errorf("%s: the refused request left something:\n%s", call.kind, firstDifference(before, after))
			}
			if r := call.send(cyn, 0); r.Status != 200 {
				t.Errorf("%s: another member is refused too: %d %s", call.kind, r.Status, r.Body)
			}
		}
		s.Clock.Advance(24 * time.Hour)
		bob = s.As(t, "bob")
		if r := bob.Post("/api/knowledge/session/execute", m{"actionLimit": 1}); r.Status != 200 {
			t.Errorf("on the next day: %d %s", r.Status, r.Body)
		}
		bob.Post("/api/knowledge/ingest", m{"deletedDocuments": []m{{"documentId": "n0"}}}).OK(t)
		if r := bob.Post("/api/knowledge/ingest", m{"documents": []m{note(9)}}); r.Status != 200 {
			t.Errorf("after a deletion there is no place for a note: %d %s", r.Status, r.Body)
		}
	})
}

// importSetup brings in a bot's configuration with a persona of that name.
func importSetup(c *apitest.Client, t testing.TB, persona string) *apitest.Reply {
	return c.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": base64.StdEncoding.EncodeToString(apitest.Setup(t, persona))})
}

func operationOf(id string) apitest.Operation {
	return apitest.Operations()[slices.IndexFunc(apitest.Operations(), func(op apitest.Operation) bool { return op.ID == id })]
}

// rowsButFailures are all rows but those that say that something failed.
func rowsButFailures(t *testing.T, s *apitest.Server) string {
	var tables []string
	for _, table := range store.Registry {
		if table.Backup && !table.Traffic && table.Name != "transfer_job" && table.Name != "audit_event" {
			tables = append(tables, table.Name)
		}
	}
	return s.Rows(t, tables...)
}

// Two drafts of the same file share their bytes, and the one that stays can be read when the other is deleted.
func TestDraftsOfOneFileShareTheirBytes(t *testing.T) {
	apitest.Each(t, quotas(core.Quotas{core.QuotaDraftBytes: 1200}), func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		var ids []string
		for range 6 {
			ids = append(ids, importSetup(bob, t, "gardener").OK(t).Str("data.import_id"))
		}
		size := bob.Get("/api/member/profile-pack/imports").OK(t).Int("data.imports.0.size_bytes")
		if used, _ := quotaOf(t, bob, core.QuotaDraftBytes); used != size || 6*size < 1200 {
			t.Errorf("%d bytes used by six drafts of %d", used, size)
		}
		for _, id := range ids[1:] {
			bob.Do("DELETE", "/api/member/profile-pack/imports/"+id, nil).OK(t)
		}
		if r := bob.Post("/api/profile-pack/preview", m{"artifact_id": ids[0]}); r.Status != 200 {
			t.Errorf("the bytes went with another draft: %d %s", r.Status, r.Body)
		}
		for n := 0; ; n++ {
			r := importSetup(bob, t, strings.Repeat("x", 50+n))
			if r.Status == 200 && n < 10 {
				continue
			}
			if r.Code() != "quota_exceeded" || r.Str("data.kind") != "draft_bytes" {
				t.Errorf("other bytes, number %d: %d %s", n, r.Status, r.Body)
			}
			return
		}
	})
}

// A loop of requests of any kind writes no more than the budgets allow, and gets its turn again as time passes; signing out
// always works.
func TestWritesAreBounded(t *testing.T) {
	apitest.Each(t, quotas(core.Quotas{core.QuotaWrites: 60, core.QuotaWriteBytes: 1 << 20}), func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		install := func(c *apitest.Client) *apitest.Reply {
			return c.Post("/api/templates/install", m{"template_id": translator, "install_options": m{"force_reinstall": true}})
		}
		for range 200 {
			if r := install(bob); r.Status != 200 && (r.Status != 429 || r.Code() != "rate_limited" || r.Str("data.kind") != "writes" || r.Header.Get("Retry-After") != "60") {
				t.Fatalf("%d %s, Retry-After %q", r.Status, r.Body, r.Header.Get("Retry-After"))
			}
		}
		if n := s.Count(t, "audit_event WHERE owner = 'bob' AND action = 'template.installed'"); n != 60 {
			t.Errorf("%d installations, want 60", n)
		}
		bob.Get("/api/preferences").OK(t)
		install(s.As(t, "cyn")).OK(t)
		s.Clock.Advance(2 * time.Minute)
		for n, want := range []int{200, 200, 429} {
			if r := install(bob); r.Status != want {
				t.Errorf("two minutes later, number %d: %d %s", n, r.Status, r.Body)
			}
		}
		bob.Post("/api/logout", m{}).OK(t)

		cyn := s.As(t, "cyn")
		text := strings.Repeat("A passage of some length, which is written down. ", 2000) // 98 KB
		n, refused := 0, false
		for ; n < 40 && !refused; n++ {
			r := cyn.Post("/api/knowledge/ingest", m{"documents": []m{{"id": "n", "path": "n.md", "text": fmt.Sprint("# N\n\n", n, text)}}})
			refused = r.Code() == "rate_limited" && r.Str("data.kind") == "write_bytes"
		}
		if !refused || n < 3 || n > 12 {
			t.Errorf("1 MiB of writes was used up after %d notes of 98 KB: %v", n, refused)
		}
	})
}

// A preference that is so already is not written again.
func TestSettingWhatIsSetWritesNothing(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		for path, in := range map[string]m{"/api/preferences/observe": {"enabled": true}, "/api/preferences/mode": {"mode": "inline_execution"}, "/api/preferences/recipient": {"recipient": ""}} {
			first := bob.Post(path, in).OK(t)
			before := s.Rows(t)
			if again := bob.Post(path, in).OK(t); string(again.Body) != string(first.Body) || s.Rows(t) != before {
				t.Errorf("%s wrote again: %s", path, again.Body)
			}
		}
	})
}

// The newest sign-ins stay.
func TestSessionsOfAMemberAreBounded(t *testing.T) {
	apitest.Each(t, quotas(core.Quotas{core.QuotaSessions: 3}), func(t *testing.T, s *apitest.Server) {
		for range 6 {
			s.Clock.Advance(time.Second)
			s.Nobody(t).Post("/api/login", m{"user_id": "bob", "password": apitest.Password}).OK(t)
		}
		if n := s.Count(t, "session WHERE user_id = 'bob'"); n != 3 {
			t.Errorf("%d sessions", n)
		}
	})
}
