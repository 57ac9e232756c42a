package httpapi_test

import (
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/errs"
)

// An author takes what is theirs out of the catalog and puts it back; nobody else does, and they put back nothing that somebody in
// charge took out. Whoever has it installed sees why.
func TestAuthorsWithdraw(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		s.Approve(t, submitPlain(t, ada, "ada/letters", "1.0.0", nil).Str("data.submission_id"))
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		s.Approve(t, s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden", Version: "2.0.0"}))
		s.Private(t, "ada", "ada/own")
		path := "/api/member/items/withdraw"
		set := func(kind, id string, withdrawn bool, note string) m {
			return m{"kind": kind, "item_id": id, "withdrawn": withdrawn, "note": note}
		}
		for _, id := range []string{"ada/letters", "ada/garden"} {
			bob.Post("/api/templates/install", m{"template_id": id}).OK(t)
		}
		bob.Post(path, set("template", "ada/letters", true, "Mine now.")).Want(t, 404, "not_found")
		ada.Post(path, set("template", "ada/letters", true, " ")).Want(t, 422, "invalid_request")
		ada.Post(path, set("template", "", true, "Why.")).Want(t, 422, "invalid_request")
		ada.Post(path, set("template", "ada/garden", true, "Another kind.")).Want(t, 404, "not_found")
		ada.Post(path, set("template", "ada/own", true, "Nobody sees it.")).Want(t, 409, "submission_state_invalid")
		want(t, ada.Post(path, set("template", "ada/letters", false, "")).OK(t), m{"data.withdrawn": false, "data.note": "", "data.version": "1.0.0"})

		s.Clock.Advance(time.Hour)
		want(t, ada.Post(path, set("template", "ada/letters", true, "Its words are stale.")).OK(t), m{"data.withdrawn": true, "data.note": "Its words are stale.", "data.kind": "template"})
		want(t, ada.Post(path, set("profile_pack", "ada/garden", true, "It waters too much.")).OK(t), m{"data.withdrawn": true, "data.item_id": "ada/garden", "data.version": "2.0.0"})
		// Again changes nothing: nobody is told twice, and the reason stays.
		want(t, ada.Post(path, set("template", "ada/letters", true, "Another reason.")).OK(t), m{"data.note": "Its words are stale."})
		if n := s.Count(t, "notification WHERE kind = 'item_withdrawn' AND user_id = 'bob'"); n != 2 {
			t.Errorf("bob was told %d times", n)
		}
		s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/letters").Want(t, 404, "template_not_found")
		list := bob.Get("/api/member/installations").OK(t)
		for i, id := range list.All("data.installations", "template_id") {
			reason := map[string]string{"ada/letters": "Its words are stale.", "ada/garden": "It waters too much."}[id]
			if list.All("data.installations", "notice")[i] != "withdrawn" || list.All("data.installations", "notice_reason")[i] != reason || list.All("data.installations", "notice_at")[i] == "" {
				t.Errorf("%s", list.Body)
			}
		}
		ada.Post("/api/templates/submit", m{"template_id": "ada/letters", "version": "1.1.0", "prompt": "You write."}).Want(t, 422, "invalid_request")

		want(t, ada.Post(path, set("template", "ada/letters", false, "")).OK(t), m{"data.withdrawn": false})
		s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/letters").OK(t)
		if err := s.App.WithdrawItem(t.Context(), catalog.KindTemplate, "ada/letters", "It asks for passwords."); err != nil {
			t.Fatal(err)
		}
		ada.Post(path, set("template", "ada/letters", false, "")).Want(t, 403, "permission_denied")
		// Who took it out first does not keep it from being taken down.
		if err := s.App.WithdrawItem(t.Context(), catalog.KindProfilePack, "ada/garden", "It digs too deep."); err != nil {
			t.Fatal(err)
		}
		ada.Post(path, set("profile_pack", "ada/garden", false, "")).Want(t, 403, "permission_denied")
		if err := s.App.WithdrawItem(t.Context(), catalog.KindProfilePack, "ada/garden", "Again."); errs.CodeOf(err) != errs.SubmissionStateInvalid {
			t.Errorf("again: %v", err)
		}
		if n := s.Count(t, "audit_event WHERE action IN ('item.withdrawn', 'item.restored') AND actor = 'ada'"); n != 3 {
			t.Errorf("%d lines in the audit log are of ada", n)
		}
	})
}

// An author who puts an item back and withdraws it again and again reaches its installers once a day; who installed it since then hears
// of it, and what somebody in charge says reaches everybody.
func TestWithdrawalsAreNoWayToWrite(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob, cyn := s.As(t, "ada"), s.As(t, "bob"), s.As(t, "cyn")
		s.Approve(t, submitPlain(t, ada, "ada/letters", "1.0.0", nil).Str("data.submission_id"))
		bob.Post("/api/templates/install", m{"template_id": "ada/letters"}).OK(t)
		set := func(withdrawn bool) {
			t.Helper()
			ada.Post("/api/member/items/withdraw", m{"kind": "template", "item_id": "ada/letters", "withdrawn": withdrawn, "note": "Look at https://ada.example."}).OK(t)
		}
		told := func(user string, want int) {
			t.Helper()
			if n := s.Count(t, "notification WHERE kind = 'item_withdrawn' AND user_id = '"+user+"'"); n != want {
				t.Errorf("%s was told %d times, want %d", user, n, want)
			}
		}
		for range 20 {
			set(true)
			set(false)
		}
		told("bob", 1)
		cyn.Post("/api/templates/install", m{"template_id": "ada/letters"}).OK(t)
		set(true)
		told("bob", 1)
		told("cyn", 1)
		set(false)
		for range 25 { // a session that is used lasts
			s.Clock.Advance(time.Hour)
			ada.Get("/api/account").OK(t)
		}
		set(true)
		told("bob", 2)
		if err := s.App.WithdrawItem(t.Context(), catalog.KindTemplate, "ada/letters", "It asks for passwords."); err != nil {
			t.Fatal(err)
		}
		told("bob", 3)
	})
}
