package httpapi_test

import (
	"encoding/base64"
	"strings"
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
