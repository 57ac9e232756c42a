package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
)

const templateDrafts = "/api/member/template-drafts"

// What is written on one machine is there on the next, and who writes on what another machine has saved since is told.
func TestTemplateDraftsAreKeptForTheirMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		written := m{
			"draft_id": "one", "revision": 0, "template_id": "ada/", "version": "0.1", "title": "Harbour", "description": "Ships.", "category": "life", "tags": []string{"sea"},
			"change_note": "first", "prompt": "You write of the harbour at sk-live-4242424242424242.", "visibility": "private", "scan_mode": "strict", "replace_existing": true,
		}
		first := ada.Post(templateDrafts, written).OK(t)
		if first.Int("data.revision") != 1 {
			t.Errorf("a first save is revision %v", first.At("data.revision"))
		}
		read := ada.Get(templateDrafts + "/one").OK(t)
		for field, want := range written {
			if field == "revision" || field == "tags" {
				continue
			}
			if got := read.At("data." + field); got != want {
				t.Errorf("%s is read as %v, was written as %v", field, got, want)
			}
		}
		// The answer was lost: the same again is the same draft.
		if got := ada.Post(templateDrafts, written).OK(t).Int("data.revision"); got != 1 {
			t.Errorf("the same texts again are revision %d", got)
		}
		s.Clock.Advance(time.Minute)
		desk := m{"draft_id": "one", "revision": 1, "title": "Harbour", "prompt": "Written at the desk."}
		if got := ada.Post(templateDrafts, desk).OK(t).Int("data.revision"); got != 2 {
			t.Errorf("a second save is revision %d", got)
		}
		late := ada.Post(templateDrafts, m{"draft_id": "one", "revision": 1, "prompt": "Written on the train."}).Want(t, 409, "template_draft_changed")
		if late.Int("data.revision") != 2 {
			t.Errorf("the answer names revision %v", late.At("data.revision"))
		}
		ada.Post(templateDrafts, m{"draft_id": "one", "revision": 0, "prompt": "Written as a new one."}).Want(t, 409, "template_draft_changed")
		ada.Post(templateDrafts, m{"draft_id": "two", "revision": 3, "prompt": "Of a draft that is gone."}).Want(t, 409, "template_draft_changed")
		if got := ada.Get(templateDrafts + "/one").OK(t).Str("data.prompt"); got != "Written at the desk." {
			t.Errorf("the draft was overwritten: %q", got)
		}

		// Of another member the same id is another draft.
		bob.Get(templateDrafts+"/one").Want(t, 404, "template_draft_not_found")
		bob.Do("DELETE", templateDrafts+"/one", nil).Want(t, 404, "template_draft_not_found")
		bob.Get(templateDrafts, "user_id", "ada").Want(t, 403, "permission_denied")
		s.Clock.Advance(time.Minute)
		bob.Post(templateDrafts, m{"draft_id": "one", "revision": 0, "title": "Bob's"}).OK(t)
		if got := ada.Get(templateDrafts + "/one").OK(t).Str("data.title"); got != "Harbour" {
			t.Errorf("another member's draft is read: %q", got)
		}
		ada.Post(templateDrafts, m{"draft_id": "three", "revision": 0, "template_id": "ada/three", "title": "Three"}).OK(t)
		list := ada.Get(templateDrafts).OK(t)
		if got := strings.Join(list.All("data.drafts", "draft_id"), " "); got != "three one" || list.Int("data.count") != 2 {
			t.Errorf("the list has %s", got)
		}
		if strings.Contains(string(list.Body), "desk") {
			t.Error("the list has the texts")
		}
		ada.Do("DELETE", templateDrafts+"/three", nil).OK(t)
		ada.Do("DELETE", templateDrafts+"/three", nil).Want(t, 404, "template_draft_not_found")

		// What nobody has saved for as long as drafts are kept goes; nothing else does.
		s.Clock.Advance(core.DefaultDraftKeep - time.Second)
		if err := s.App.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.As(t, "ada").Get(templateDrafts+"/one").Want(t, 404, "template_draft_not_found")
		s.As(t, "bob").Get(templateDrafts + "/one").OK(t)
	})
}

// Templates that are being written and setups that were brought in share the quotas of drafts; a draft may always become shorter.
func TestTemplateDraftsAreBounded(t *testing.T) {
	apitest.Each(t, quotas(core.Quotas{core.QuotaDrafts: 2, core.QuotaDraftBytes: 3000}), func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		save := func(id string, revision, size int) *apitest.Reply {
			return ada.Post(templateDrafts, m{"draft_id": id, "revision": revision, "prompt": strings.Repeat("x", size)})
		}
		save("one", 0, 1000).OK(t)
		save("two", 0, 1000).OK(t)
		save("three", 0, 1).Want(t, 409, "quota_exceeded")
		if r := save("two", 1, 2500).Want(t, 409, "quota_exceeded"); r.Str("data.kind") != "draft_bytes" {
			t.Errorf("too long: %s", r.Body)
		}
		save("two", 1, 10).OK(t)
		if used, _ := quotaOf(t, ada, core.QuotaDrafts); used != 2 {
			t.Errorf("the quota page says %d", used)
		}
		setup := m{"filename": "cmd_config.json", "content_base64": base64.StdEncoding.EncodeToString(apitest.Setup(t, "gardener"))}
		ada.Post("/api/member/profile-pack/imports", setup).Want(t, 409, "quota_exceeded")
		ada.Do("DELETE", templateDrafts+"/one", nil).OK(t)
		ada.Post("/api/member/profile-pack/imports", setup).OK(t)
	})
}

// The page saves while somebody types: the audit log says that a draft was made and on which days it was written, not each save.
func TestTemplateDraftsAreAuditedByDay(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		revision := 0
		save := func() {
			t.Helper()
			revision = ada.Post(templateDrafts, m{"draft_id": "one", "revision": revision, "prompt": strings.Repeat("x", revision+1)}).OK(t).Int("data.revision")
		}
		saved := func(want int) {
			t.Helper()
			if got := s.Count(t, "audit_event WHERE action = 'template.draft_saved' AND owner = 'ada'"); got != want {
				t.Errorf("%d saves are audited as %d events, want %d", revision, got, want)
			}
		}
		for range 20 {
			save()
			s.Clock.Advance(time.Second)
		}
		saved(1)
		s.Clock.Advance(24 * time.Hour)
		ada = s.As(t, "ada")
		save()
		save()
		saved(2)
	})
}

// Two pages that save at once: one is kept, and the other is told which revision there is. The same texts twice are one draft.
func TestTemplateDraftsSavedAtOnce(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for round := range 4 {
			id := fmt.Sprint("round-", round/2)
			replies := make([]*apitest.Reply, 8)
			var all sync.WaitGroup
			for i := range replies {
				all.Go(func() {
					text := fmt.Sprint("Page ", i, " in round ", round)
					if round%2 == 0 {
						text = fmt.Sprint("The same in round ", round)
					}
					replies[i] = ada.For(t).Post(templateDrafts, m{"draft_id": id, "revision": round % 2, "prompt": text})
				})
			}
			all.Wait()
			kept := ada.Get(templateDrafts + "/" + id).OK(t)
			taken := 0
			for _, r := range replies {
				if r.Status == 200 {
					taken++
				} else {
					r.Want(t, 409, "template_draft_changed")
				}
				if r.Int("data.revision") != round%2+1 {
					t.Errorf("round %d: %s", round, r.Body)
				}
			}
			if want := []int{8, 1}[round%2]; taken != want || kept.Int("data.revision") != round%2+1 {
				t.Errorf("round %d: %d of 8 are taken, want %d: %s", round, taken, want, kept.Body)
			}
		}
	})
}

// Drafts that no page writes are refused, and what a draft says stands in the draft alone.
func TestHostileTemplateDrafts(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		const key = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
		for name, body := range map[string]string{
			"deep":                  `{"draft_id":"x","revision":0,"tags":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
			"a list for a text":     `{"draft_id":"x","revision":0,"prompt":["a"]}`,
			"a text for a revision": `{"draft_id":"x","revision":"0"}`,
			"a part of a revision":  `{"draft_id":"x","revision":0.5}`,
			"a large revision":      `{"draft_id":"x","revision":1e30}`,
			"a negative revision":   `{"draft_id":"x","revision":-1}`,
			"no revision":           `{"draft_id":"x"}`,
			"null":                  `{"draft_id":null,"revision":0}`,
			"a path":                `{"draft_id":"../../x","revision":0}`,
			"a NUL":                 `{"draft_id":"x\u0000","revision":0}`,
			"many tags":             `{"draft_id":"x","revision":0,"tags":["` + strings.Repeat(`a","`, 100) + `a"]}`,
			"a long prompt":         `{"draft_id":"x","revision":0,"prompt":"` + strings.Repeat("a", 262_145) + `"}`,
			"a long title":          `{"draft_id":"x","revision":0,"title":"` + strings.Repeat("é", 201) + `"}`,
			"somebody else's":       `{"draft_id":"x","revision":0,"user_id":"bob"}`,
			"no UTF-8":              "{\"draft_id\":\"x\",\"revision\":0,\"prompt\":\"\xff\xfe\"}",
			"half a character":      `{"draft_id":"x","revision":0,"prompt":"\ud800"}`,
		} {
			r := ada.Do("POST", templateDrafts, []byte(body))
			if r.Status < 400 && name != "half a character" && name != "no UTF-8" || r.Status >= 500 {
				t.Errorf("%s: %d %.300s", name, r.Status, r.Body)
			}
		}
		before := s.Log()
		odd := m{"draft_id": "odd", "revision": 0, "title": "A\u0000\u202e title " + key, "prompt": "Use " + key + " with </script>\u2028 and \u0000.", "change_note": key, "description": key, "tags": []string{key}, "category": key, "template_id": "../" + key}
		first := ada.Post(templateDrafts, odd)
		if first.Status >= 500 {
			t.Fatalf("%d %s", first.Status, first.Body)
		}
		if first.Status == 200 {
			read := ada.Get(templateDrafts + "/odd").OK(t)
			for _, field := range []string{"title", "prompt", "change_note", "template_id"} {
				if read.At("data."+field) != odd[field] {
					t.Errorf("%s is read as %q", field, read.At("data."+field))
				}
			}
		}
		ada.Post(templateDrafts, m{"draft_id": "key", "revision": 0, "prompt": "Use " + key}).OK(t)
		ada.Post(templateDrafts, m{"draft_id": "key", "revision": 5, "prompt": "Now " + key}).Want(t, 409, "template_draft_changed")
		ada.With("Idempotency-Key", "again").Post(templateDrafts, m{"draft_id": "key", "revision": 1, "prompt": "And " + key}).OK(t)
		s.App.Tracer.Flush(t.Context())
		s.App.Flush(t.Context())
		if strings.Contains(strings.TrimPrefix(s.Log(), before), key) {
			t.Error("the key is in the log")
		}
		for _, table := range []string{"audit_event", "request_trace", "idempotency", "notification", "transfer_job"} {
			if strings.Contains(s.Rows(t, table), key) {
				t.Errorf("the key is in %s", table)
			}
		}
	})
}
