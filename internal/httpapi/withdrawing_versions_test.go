package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
)

// versionsOf lists the versions of a template that stand and those that were taken out, as anybody sees them.
func versionsOf(t *testing.T, s *apitest.Server, id string) (stand, gone []string) {
	t.Helper()
	r := s.Nobody(t).Get("/api/templates/detail", "template_id", id).OK(t)
	return r.All("data.versions", "version"), r.All("data.withdrawn_versions", "version")
}

// An author takes one version out: the newest that stands is the latest, in the catalog, in its search and in the feeds, and who has that
// version is told. Put back, it is the latest again. With the last version all of the item goes.
func TestAuthorsWithdrawAVersion(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob, cyn := s.As(t, "ada"), s.As(t, "bob"), s.As(t, "cyn")
		publish := func(version, title string) {
			t.Helper()
			s.Approve(t, ada.Post("/api/templates/submit", m{"template_id": "ada/letters", "version": version, "title": title, "prompt": "You write letters, as " + title + "."}).OK(t).Str("data.submission_id"))
			s.Clock.Advance(time.Minute)
		}
		install := func(c *apitest.Client) {
			t.Helper()
			c.Post("/api/templates/install", m{"template_id": "ada/letters", "install_options": m{"force_reinstall": true}}).OK(t)
		}
		set := func(version string, withdrawn bool, note string) m {
			return m{"kind": "template", "item_id": "ada/letters", "version": version, "withdrawn": withdrawn, "note": note}
		}
		const path = "/api/member/items/withdraw"
		publish("1.0.0", "Quill")
		install(cyn)
		publish("1.1.0", "Stamper")
		install(bob)
		first := s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/letters").OK(t)

		bob.Post(path, set("1.1.0", true, "Mine now.")).Want(t, 404, "not_found")
		ada.Post(path, set("9.9.9", true, "Why.")).Want(t, 404, "not_found")
		ada.Post(path, set("1.1.0", true, " ")).Want(t, 422, "invalid_request")
		want(t, ada.Post(path, set("1.1.0", false, "")).OK(t), m{"data.withdrawn": false, "data.version": "1.1.0"})
		out := ada.Post(path, set("1.1.0", true, "It forgets the stamp.")).OK(t)
		want(t, out, m{"data.withdrawn": true, "data.version": "1.0.0", "data.note": "It forgets the stamp.", "data.withdrawn_versions.0.version": "1.1.0"})
		want(t, ada.Post(path, set("1.1.0", true, "Other words.")).OK(t), m{"data.note": "It forgets the stamp."})

		shown := s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/letters").OK(t)
		want(t, shown, m{"data.version": "1.0.0", "data.title": "Quill", "data.withdrawn_versions.0.note": "It forgets the stamp.", "data.review_labels": first.At("data.review_labels")})
		if stand, gone := versionsOf(t, s, "ada/letters"); !slices.Equal(stand, []string{"1.0.0"}) || !slices.Equal(gone, []string{"1.1.0"}) {
			t.Errorf("stand %v, gone %v", stand, gone)
		}
		if found := s.Nobody(t).Get("/api/templates", "query", "stamper").OK(t); len(found.All("data.templates", "template_id")) != 0 {
			t.Errorf("search finds the words of the version that is out: %s", found.Body)
		}
		if found := s.Nobody(t).Get("/api/templates", "query", "quill").OK(t); len(found.All("data.templates", "template_id")) != 1 {
			t.Errorf("search does not find the words of the version that stands: %s", found.Body)
		}
		want(t, bob.Get("/api/member/installations").OK(t), m{
			"data.installations.0.notice": "withdrawn", "data.installations.0.notice_reason": "It forgets the stamp.", "data.installations.0.published": true,
			"data.installations.0.version": "1.1.0", "data.installations.0.latest_version": "1.0.0", "data.installations.0.update_available": true,
		})
		want(t, cyn.Get("/api/member/installations").OK(t), m{"data.installations.0.notice": "", "data.installations.0.update_available": false})
		told := bob.Get("/api/notifications").OK(t)
		if text := told.Str("data.events.0.message"); !strings.Contains(text, "Version 1.1.0 of ada/letters") || !strings.Contains(text, "It forgets the stamp.") || !strings.Contains(text, "Version 1.0.0") {
			t.Errorf("bob is told %q", text)
		}
		if n := s.Count(t, "notification WHERE kind = 'item_withdrawn' AND user_id = 'cyn'"); n != 0 {
			t.Error("who has another version was told")
		}
		install(bob)
		want(t, bob.Get("/api/member/installations").OK(t), m{"data.installations.0.notice": "", "data.installations.0.version": "1.0.0"})
		// The number is used up; another one is the latest, also when the one that is out comes back.
		want(t, ada.Post("/api/member/submissions/check", m{"kind": "template", "item_id": "ada/letters", "version": "1.1.0", "title": "Quill"}).OK(t), m{"data.problems.0.problem": "published"})
		want(t, ada.Post(path, set("1.1.0", false, "")).OK(t), m{"data.withdrawn": false, "data.version": "1.1.0", "data.note": ""})
		want(t, s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/letters").OK(t), m{
			"data.version": "1.1.0", "data.title": "Stamper", "data.published_at": first.Str("data.published_at"), "data.review_labels": first.At("data.review_labels"),
		})
		ada.Post(path, set("1.1.0", true, "Still.")).OK(t)
		publish("1.2.0", "Sealer")
		want(t, ada.Post(path, set("1.1.0", false, "")).OK(t), m{"data.version": "1.2.0"})
		if stand, gone := versionsOf(t, s, "ada/letters"); !slices.Equal(stand, []string{"1.2.0", "1.1.0", "1.0.0"}) || len(gone) != 0 {
			t.Errorf("stand %v, gone %v", stand, gone)
		}
		// With the last that stands all of it goes, and comes back.
		ada.Post(path, set("1.0.0", true, "Old.")).OK(t)
		ada.Post(path, set("1.2.0", true, "New.")).OK(t)
		want(t, ada.Post(path, set("1.1.0", true, "The last.")).OK(t), m{"data.withdrawn": true, "data.note": "The last.", "data.version": "1.1.0"})
		s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/letters").Want(t, 404, "template_not_found")
		ada.Post(path, set("1.2.0", false, "")).Want(t, 409, "submission_state_invalid")
		want(t, ada.Post(path, set("1.1.0", false, "")).OK(t), m{"data.withdrawn": false, "data.version": "1.1.0"})
		if n := s.Count(t, "audit_event WHERE action IN ('item.version_withdrawn', 'item.version_restored') AND actor = 'ada'"); n != 6 {
			t.Errorf("%d lines in the audit log", n)
		}
	})
}

// A version of a pack that its author took out is not handed out: not as a package, not compared, not in any feed. Telling of it again and
// again writes to nobody more than once a day.
func TestAWithdrawnVersionIsNotHandedOut(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		for i, version := range []string{"1.0.0", "1.1.0"} {
			draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, []string{"gardener", "florist"}[i]))
			s.Approve(t, s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden", Version: version}))
			s.Clock.Advance(time.Minute)
		}
		bob.Post("/api/templates/install", m{"template_id": "ada/garden"}).OK(t)
		both := func() (status []int) {
			for _, version := range []string{"1.0.0", "1.1.0"} {
				status = append(status,
					bob.Raw("GET", "/api/profile-pack/package/download?pack_id=ada/garden&version="+version, nil).Status,
					bob.Raw("GET", "/api/market/bot-objects?item_id=ada/garden&version="+version, nil).Status,
					bob.Raw("GET", "/api/profile-pack/catalog/compare?pack_id=ada/garden&version="+version, nil).Status,
					s.Nobody(t).Raw("GET", "/feeds/npm/@stoa/ada--garden/-/ada--garden-"+version+".tgz", nil).Status)
			}
			return status
		}
		before := both()
		for range 5 {
			for _, withdrawn := range []bool{true, false} {
				ada.Post("/api/member/items/withdraw", m{"kind": "profile_pack", "item_id": "ada/garden", "version": "1.1.0", "withdrawn": withdrawn, "note": "Look at https://ada.example."}).OK(t)
			}
		}
		if after := both(); !slices.Equal(before, after) || before[0] != 200 || before[1] != 200 || before[2] != 200 {
			t.Errorf("before %v, put back %v", before, after)
		}
		ada.Post("/api/member/items/withdraw", m{"kind": "profile_pack", "item_id": "ada/garden", "version": "1.1.0", "withdrawn": true, "note": "Look."}).OK(t)
		if after := both(); !slices.Equal(after[:4], before[:4]) || after[4] == 200 || after[5] == 200 || after[6] == 200 || after[7] == 200 {
			t.Errorf("before %v, withdrawn %v", before, after)
		}
		want(t, s.Nobody(t).Get("/api/profile-pack/catalog/detail", "pack_id", "ada/garden").OK(t), m{"data.version": "1.0.0", "data.withdrawn_versions.0.version": "1.1.0", "data.withdrawn_versions.0.note": "Look."})
		if n := s.Count(t, "notification WHERE kind = 'item_withdrawn' AND user_id = 'bob'"); n != 1 {
			t.Errorf("bob was told %d times", n)
		}
	})
}
