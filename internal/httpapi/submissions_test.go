package httpapi_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
	"stoa/internal/market/submission"
)

// submitPlain submits texts as a member and answers the submission.
func submitPlain(t *testing.T, c *apitest.Client, id, version string, options m) *apitest.Reply {
	t.Helper()
	return c.Post("/api/templates/submit", m{"template_id": id, "version": version, "prompt": "You are " + id + " " + version + ".", "upload_options": options}).OK(t)
}

func statusOf(t *testing.T, c *apitest.Client, id string) string {
	t.Helper()
	return c.Get("/api/member/submissions/detail", "submission_id", id).OK(t).Str("data.status")
}

func TestReplaceExistingTouchesOnesOwnPendingAlone(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		const id = "ada/letters"
		old := submitPlain(t, ada, id, "1.0.0", nil).Str("data.submission_id")
		second := submitPlain(t, ada, id, "1.1.0", nil).Str("data.submission_id")
		approved := submitPlain(t, ada, id, "0.9.0", nil).Str("data.submission_id")
		s.Approve(t, approved)
		withdrawn := submitPlain(t, ada, id, "0.8.0", nil).Str("data.submission_id")
		ada.Post("/api/member/submissions/withdraw", m{"submission_id": withdrawn}).OK(t)
		other := submitPlain(t, ada, "ada/other", "1.0.0", nil).Str("data.submission_id")
		bobs := submitPlain(t, bob, id, "1.0.0", nil).Str("data.submission_id")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		pack := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: id}) // the same id, another kind

		r := submitPlain(t, ada, id, "1.2.0", m{"replace_existing": true})
		want := []string{old, second}
		slices.Sort(want)
		var got []string
		for _, v := range r.At("data.replaced_submission_ids").([]any) {
			got = append(got, v.(string))
		}
		if !slices.Equal(got, want) || r.Int("data.replaced_submission_count") != 2 {
			t.Errorf("replaced %v, want %v", got, want)
		}
		for id, want := range map[string]string{old: "replaced", second: "replaced", approved: "approved", withdrawn: "withdrawn", other: "pending", r.Str("data.submission_id"): "pending"} {
			if got := statusOf(t, ada, id); got != want {
				t.Errorf("%s is %s, want %s", id, got, want)
			}
		}
		if got := statusOf(t, bob, bobs); got != "pending" {
			t.Errorf("bob's is %s", got)
		}
		if r := ada.Get("/api/member/profile-pack/submissions/detail", "submission_id", pack).OK(t); r.Str("data.status") != "pending" {
			t.Errorf("the pack's is %s", r.Str("data.status"))
		}
		// And the packs' way round.
		again := ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": id, "version": "2.0.0", "submit_options": m{"replace_existing": true}}).OK(t)
		if again.Int("data.replaced_submission_count") != 1 || again.Str("data.replaced_submission_ids.0") != pack {
			t.Errorf("%s", again.Body)
		}
		if got := statusOf(t, ada, r.Str("data.submission_id")); got != "pending" {
			t.Errorf("a pack has replaced a template: %s", got)
		}
		ada.Post("/api/member/submissions/withdraw", m{"submission_id": old}).Want(t, 409, "submission_state_invalid")
	})
}

func TestWithdrawIsForPendingOnes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		kinds := []struct {
			path, code string
			submit     func(version string) string
		}{
			{"/api/member/submissions/withdraw", "submission_state_invalid", func(v string) string { return submitPlain(t, ada, "ada/letters", v, nil).Str("data.submission_id") }},
			{"/api/member/profile-pack/submissions/withdraw", "profile_pack_submission_state_invalid", func(v string) string {
				return s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/pack", Version: v})
			}},
		}
		for _, kind := range kinds {
			id := kind.submit("1.0.0")
			first := ada.Post(kind.path, m{"submission_id": id}).OK(t)
			events := s.Count(t, "audit_event")
			again := ada.Post(kind.path, m{"id": id}).OK(t)
			if first.Str("data.status") != "withdrawn" || again.Str("data.status") != "withdrawn" || again.Str("data.updated_at") != first.Str("data.updated_at") || s.Count(t, "audit_event") != events {
				t.Errorf("%s\n%s", first.Body, again.Body)
			}
			if _, err := s.App.Approve(t.Context(), id, "", false); err == nil {
				t.Error("a withdrawn submission was approved")
			}
			approved, rejected := kind.submit("1.1.0"), kind.submit("1.2.0")
			s.Approve(t, approved)
			if _, err := s.App.Reject(t.Context(), rejected, "no"); err != nil {
				t.Fatal(err)
			}
			for id, status := range map[string]string{approved: "approved", rejected: "rejected"} {
				if r := ada.Post(kind.path, m{"submission_id": id}).Want(t, 409, kind.code); r.Str("data.status") != status {
					t.Errorf("%s", r.Body)
				}
			}
			for _, pair := range [][2]string{{approved, "approved"}, {rejected, "rejected"}} { // a decision is final
				if _, err := s.App.Reject(t.Context(), pair[0], ""); err == nil {
					t.Errorf("what was %s has been rejected", pair[1])
				}
			}
			ada.Post(kind.path, m{"submission_id": "x"}).Want(t, 404, strings.Replace(kind.code, "_state_invalid", "_not_found", 1))
			ada.Post(kind.path, m{}).Want(t, 400, "submission_id_required")
		}
		// A template's submission is no pack's.
		id := kinds[0].submit("3.0.0")
		ada.Post(kinds[1].path, m{"submission_id": id}).Want(t, 404, "profile_pack_submission_not_found")
	})
}

// Of a decision and a withdrawal at the same moment exactly one wins, and everything agrees with it.
func TestWithdrawAgainstApprove(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		won := map[string]int{}
		for i := range 20 {
			id := "race/" + string(rune('a'+i))
			sub := submitPlain(t, ada, id, "1.0.0", nil).Str("data.submission_id")
			var wait sync.WaitGroup
			var approved error
			var withdrawn *apitest.Reply
			wait.Go(func() { _, approved = s.App.Approve(t.Context(), sub, "", false) })
			wait.Go(func() { withdrawn = ada.Post("/api/member/submissions/withdraw", m{"submission_id": sub}) })
			wait.Wait()
			status := statusOf(t, ada, sub)
			won[status]++
			_, published := s.App.GetTemplateDetail(t.Context(), core.Caller{}, browse.DetailInput{TemplateID: id})
			switch status {
			case "approved":
				if approved != nil || withdrawn.Status != 409 || published != nil {
					t.Errorf("approved: %v %d %v", approved, withdrawn.Status, published)
				}
			case "withdrawn":
				if approved == nil || withdrawn.Status != 200 || published == nil {
					t.Errorf("withdrawn: %v %d %v", approved, withdrawn.Status, published)
				}
			default:
				t.Errorf("it is %s", status)
			}
		}
		t.Log(won)
	})
}

func TestHowASubmissionStandsToWhatIsPublished(t *testing.T) {
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		const id = "ada/letters"
		labels := func(r *apitest.Reply) (out []string) {
			for _, v := range r.At("data.review_labels").([]any) {
				if strings.HasSuffix(v.(string), "_conflict") {
					out = append(out, v.(string))
				}
			}
			return out
		}
		first := submitPlain(t, ada, id, "1.0.0", nil)
		early := submitPlain(t, bob, id, "5.0.0", nil)                                               // before anybody owns it
		if len(labels(first)) != 0 || !slices.Equal(labels(early), []string{"ownership_conflict"}) { // by its name, it is ada's
			t.Errorf("%v %v", labels(first), labels(early))
		}
		s.Approve(t, first.Str("data.submission_id"))
		if r := submitPlain(t, ada, id, "1.0.0", nil); !slices.Contains(labels(r), "version_conflict") || slices.Contains(labels(r), "ownership_conflict") {
			t.Errorf("%v", labels(r))
		}
		if r := submitPlain(t, ada, id, "1.1.0", nil); len(labels(r)) != 0 {
			t.Errorf("%v", labels(r))
		}
		foreign := submitPlain(t, bob, id, "1.1.0", nil)
		if !slices.Contains(labels(foreign), "ownership_conflict") {
			t.Errorf("%v", labels(foreign))
		}
		detail := func() string {
			return string(s.Nobody(t).Get("/api/templates/detail", "template_id", id).OK(t).Body)
		}
		before := detail()
		for _, sub := range []string{foreign.Str("data.submission_id"), early.Str("data.submission_id")} {
			if _, err := s.App.Approve(t.Context(), sub, "", false); err == nil {
				t.Error("another member's item was replaced")
			}
		}
		if _, err := s.App.Reject(t.Context(), foreign.Str("data.submission_id"), "It is ada's."); err != nil {
			t.Fatal(err)
		}
		if detail() != before {
			t.Errorf("a rejection has touched what is published:\n%s\n%s", detail(), before)
		}
		r := bob.Get("/api/notifications").OK(t)
		if r.Int("data.count") != -1 && r.Len("data.events") != 1 || !strings.Contains(r.Str("data.events.0.message"), "It is ada's.") {
			t.Errorf("%s", r.Body)
		}
		// A new version joins the old one.
		s.Approve(t, submitPlain(t, ada, id, "1.2.0", nil).Str("data.submission_id"))
		after := s.Nobody(t).Get("/api/templates/detail", "template_id", id).OK(t)
		if got := after.All("data.versions", "version"); !slices.Equal(got, []string{"1.2.0", "1.0.0"}) || after.Str("data.version") != "1.2.0" {
			t.Errorf("versions %v", got)
		}
		old := ada.Post("/api/templates/submit", m{"template_id": id, "version": "1.0.0", "prompt": "x"}).OK(t)
		if _, err := s.App.Approve(t.Context(), old.Str("data.submission_id"), "", true); err == nil {
			t.Error("a published version was published again")
		}
	})
}

// A private item is its owner's for ever: a later version cannot make it, or what it was, another's.
func TestAnItemKeepsItsVisibility(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "hermit"))
		template := submit.TemplateInput{TemplateID: "ada/hermit", Options: submission.UploadOptions{Visibility: catalog.Private}}
		pack := submit.PackInput{ArtifactID: draft, PackID: "ada/hermitage", Version: "1.0.0", Options: submission.SubmitOptions{Visibility: catalog.Private}}
		early := submitPlain(t, ada, "ada/hermit", "0.1.0", nil) // for all, sent before the private one was approved
		s.Approve(t, s.SubmitPackage(t, "ada", template, apitest.TemplatePackage(t, "ada/hermit", "1.0.0", "You are alone.", nil)))
		s.Approve(t, s.SubmitPack(t, "ada", pack))

		if _, err := s.App.Approve(t.Context(), early.Str("data.submission_id"), "", true); err == nil {
			t.Error("a private item was made public")
		}
		ada.Post("/api/templates/submit", m{"template_id": "ada/hermit", "version": "2.0.0", "prompt": "x"}).Want(t, 422, "invalid_request")
		ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/hermitage", "version": "2.0.0"}).Want(t, 422, "invalid_request")
		taken := submitPlain(t, bob, "ada/hermit", "3.0.0", nil)
		if _, err := s.App.Approve(t.Context(), taken.Str("data.submission_id"), "", true); err == nil {
			t.Error("a private item was taken over by somebody who shows it")
		}
		pack.Version = "1.1.0"
		s.Approve(t, s.SubmitPack(t, "ada", pack))

		ada.Get("/api/profile-pack/catalog/detail", "pack_id", "ada/hermitage").OK(t)
		ada.Get("/api/profile-pack/catalog/compare", "pack_id", "ada/hermitage").OK(t)
		ada.Get("/api/profile-pack/package/download", "pack_id", "ada/hermitage", "version", "1.0.0").OK(t)
		ada.Post("/api/templates/install", m{"template_id": "ada/hermitage"}).OK(t)
		for _, c := range []*apitest.Client{bob, s.Nobody(t)} {
			c.Get("/api/profile-pack/catalog/detail", "pack_id", "ada/hermitage").Want(t, 404, "profile_pack_not_published")
			c.Get("/api/profile-pack/catalog/compare", "pack_id", "ada/hermitage").Want(t, 404, "profile_pack_not_published")
			c.Get("/api/profile-pack/catalog/compare", "pack_id", starter, "base_pack_id", "ada/hermitage").Want(t, 404, "profile_pack_not_published")
			if r := c.Get("/api/profile-pack/catalog").OK(t); bytes.Contains(r.Body, []byte("hermit")) {
				t.Errorf("%s", r.Body)
			}
		}
		bob.Get("/api/profile-pack/package/download", "pack_id", "ada/hermitage").Want(t, 404, "profile_pack_not_published")
		bob.Get("/api/profile-pack/package/download", "pack_id", "ada/hermitage", "version", "1.0.0").Want(t, 404, "profile_pack_not_published")
		bob.Post("/api/templates/install", m{"template_id": "ada/hermitage"}).Want(t, 404, "template_not_installable")
		// What is public stays so too.
		s.Approve(t, submitPlain(t, ada, "ada/open", "1.0.0", nil).Str("data.submission_id"))
		ada.Post("/api/templates/submit", m{"template_id": "ada/open", "version": "2.0.0", "prompt": "x", "upload_options": m{"visibility": "private"}}).Want(t, 422, "invalid_request")
	})
}
