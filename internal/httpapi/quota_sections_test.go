package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

// A member has so many sections of notes and not more, however few notes they are in. What is refused changes nothing, and a
// note may always become shorter.
func TestNoteSectionsAreBounded(t *testing.T) {
	note := func(name string, sections int) m {
		return m{"path": name + ".md", "text": "# " + name + "\n\nText.\n" + strings.Repeat("\n## Part\n\nText.\n", sections-1)}
	}
	apitest.Each(t, quotas(core.Quotas{core.QuotaNoteSections: 10}), func(t *testing.T, s *apitest.Server) {
		bob, cyn := s.As(t, "bob"), s.As(t, "cyn")
		send := func(c *apitest.Client, notes ...m) *apitest.Reply {
			return c.Post("/api/knowledge/ingest", m{"documents": notes})
		}
		send(bob, note("a", 4), note("b", 5)).OK(t)
		before := rowsButFailures(t, s)
		for what, notes := range map[string][]m{
			"a new note": {note("c", 2)}, "a note that becomes longer": {note("a", 6)}, "many": {note("c", 1), note("d", 1000), note("e", 1000)},
		} {
			r := send(bob, notes...)
			if r.Status != 409 || r.Code() != "quota_exceeded" || r.Str("data.kind") != "note_sections" || r.Int("data.limit") != 10 {
				t.Errorf("%s: %d %s", what, r.Status, r.Body)
			}
		}
		if after := rowsButFailures(t, s); after != before {
			t.Errorf("the refused requests left something:\n%s", firstDifference(before, after))
		}
		if used, limit := quotaOf(t, bob, core.QuotaNoteSections); used != 9 || limit != 10 {
			t.Errorf("the quota page says %d of %d", used, limit)
		}
		send(bob, note("c", 1)).OK(t)
		send(bob, note("a", 2)).OK(t)
		send(bob, note("b", 7)).OK(t)
		if r := send(bob, note("d", 1)); r.Code() != "quota_exceeded" {
			t.Errorf("one too many: %d %s", r.Status, r.Body)
		}
		send(cyn, note("a", 10)).OK(t)
	})
}

// An answer to an ingest lists atoms with no more text than it may, and says so.
func TestIngestAnswersAreBounded(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		bob := s.As(t, "bob")
		var notes []m
		for i := range 20 {
			notes = append(notes, m{"path": fmt.Sprint(i, ".md"), "text": fmt.Sprint("# Note ", i, "\n\n") + strings.Repeat("A sentence that says something. ", 2000)})
		}
		r := bob.Post("/api/knowledge/ingest", m{"documents": notes}).OK(t)
		if len(r.Body) > 1<<20 || !r.At("data.summary.truncated").(bool) || r.Len("data.atoms") == 0 || r.Len("data.atoms") > 10 || r.Int("data.summary.activeAtoms") != 20 {
			t.Errorf("%d bytes, %d atoms: %.300s", len(r.Body), r.Len("data.atoms"), r.Body)
		}
		n := s.Count(t, "idempotency WHERE user_id = 'bob' AND (LENGTH(answer) > 65536 OR LENGTH(packed) > 65536)")
		if n != 0 {
			t.Errorf("%d kept answers are large", n)
		}
	})
}
