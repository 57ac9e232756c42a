package httpapi_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

// Requests that come at once do not pass a quota together, on either engine, with packages in an object store, and on three
// nodes.
func TestQuotasHoldForRequestsAtOnce(t *testing.T) {
	const most, many = 3, 10
	limits := core.Quotas{
		core.QuotaDrafts: most, core.QuotaPending: most, core.QuotaNotes: most, core.QuotaNoteBytes: 1000, core.QuotaInstalls: most, core.QuotaStudySessions: most, core.QuotaVerifications: most,
	}
	calls := []struct {
		kind core.QuotaKind
		send func(c *apitest.Client, n int) *apitest.Reply
	}{
		{core.QuotaDrafts, func(c *apitest.Client, n int) *apitest.Reply { return importSetup(c, t, fmt.Sprint("persona-", n)) }},
		{core.QuotaPending, func(c *apitest.Client, n int) *apitest.Reply {
			return c.Post("/api/templates/submit", m{"template_id": fmt.Sprint("letters/n", n), "prompt": "You write letters."})
		}},
		{core.QuotaNotes, func(c *apitest.Client, n int) *apitest.Reply {
			return c.Post("/api/knowledge/ingest", m{"documents": []m{{"path": fmt.Sprint("n", n, ".md"), "text": fmt.Sprint("# Note ", n, "\n\nText.\n")}}})
		}},
		{core.QuotaInstalls, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/templates/install", m{"template_id": translator, "install_options": m{"force_reinstall": true}})
		}},
		{core.QuotaStudySessions, func(c *apitest.Client, _ int) *apitest.Reply {
			return c.Post("/api/knowledge/session/execute", m{"actionLimit": 1})
		}},
		{core.QuotaVerifications, func(c *apitest.Client, _ int) *apitest.Reply {
			return send(c, operationOf("verifyCapability"), m{})
		}},
	}
	race := func(t *testing.T, s *apitest.Server) {
		at := func(c *apitest.Client, send func(c *apitest.Client, n int) *apitest.Reply) (taken int) {
			t.Helper()
			replies := make([]*apitest.Reply, many)
			var wait sync.WaitGroup
			for n := range replies {
				wait.Go(func() { replies[n] = send(c, n) })
			}
			wait.Wait()
			for _, r := range replies {
				switch {
				case r.Status == 200:
					taken++
				case r.Code() != "quota_exceeded" && r.Code() != "rate_limited":
					t.Errorf("%d %s", r.Status, r.Body)
				}
			}
			return taken
		}
		bob, cyn := s.As(t, "bob"), s.As(t, "cyn")
		for _, call := range calls {
			if n := at(bob, call.send); n != most {
				t.Errorf("%s: %d of %d at once are taken, want %d", call.kind, n, many, most)
			}
			if used, _ := quotaOf(t, bob, call.kind); used != most {
				t.Errorf("%s: %d are used, want %d", call.kind, used, most)
			}
		}
		save := func(c *apitest.Client, n int) *apitest.Reply {
			return c.Post(templateDrafts, m{"draft_id": fmt.Sprint("draft-", n), "revision": 0, "prompt": "You write letters."})
		}
		if n := at(cyn, save); n != most {
			t.Errorf("template drafts: %d of %d at once are taken, want %d", n, many, most)
		}
		long := func(c *apitest.Client, n int) *apitest.Reply {
			return c.Post("/api/knowledge/ingest", m{"documents": []m{{"path": fmt.Sprint("n", n, ".md"), "text": "# Note\n\n" + strings.Repeat("Text. ", 100)}}})
		}
		if n := at(cyn, long); n != 1 {
			t.Errorf("note_bytes: %d of %d at once are taken, want 1", n, many)
		}
		if r := cyn.Post("/api/knowledge/ingest", m{"documents": []m{{"path": "other.md", "text": "# Note\n\n" + strings.Repeat("Text. ", 150)}}}); r.Str("data.kind") != "note_bytes" {
			t.Errorf("note_bytes: %d %s", r.Status, r.Body)
		}
	}
	apitest.EachStore(t, quotas(limits), race)
	apitest.OnNodes(t, quotas(limits), race)
}
