package httpapi_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
)

// A reviewer and a member write to each other about a submission; the member is told, and nobody else reads it.
func TestMembersAndReviewersAnswerEachOther(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		const path = "/api/member/submissions/thread"
		id := submitPlain(t, ada, "ada/letters", "1.0.0", nil).Str("data.submission_id")
		if got := ada.Get(path, "submission_id", id).OK(t); len(got.At("data.messages").([]any)) != 0 {
			t.Errorf("a new submission has messages: %s", got.Body)
		}
		if _, err := s.App.AnswerSubmitter(t.Context(), id, "Where does the text come from?", nil); err != nil {
			t.Fatal(err)
		}
		told := ada.Get("/api/notifications").OK(t)
		if told.Str("data.events.0.kind") != "submission_message" || told.Str("data.events.0.submission_id") != id || told.Str("data.events.0.item_kind") != "template" {
			t.Errorf("ada was told %s", told.Body)
		}
		for range 2 { // sent twice, it is one message
			ada.Post(path, m{"submission_id": id, "text": " I wrote it. "}).OK(t)
		}
		got := ada.Get(path, "submission_id", id).OK(t)
		if len(got.At("data.messages").([]any)) != 2 || got.Str("data.messages.0.from") != "reviewer" || got.Str("data.messages.1.text") != "I wrote it." || got.Str("data.messages.1.author") != "ada" {
			t.Errorf("%s", got.Body)
		}
		waits := func() bool {
			in := func(status string) bool {
				lines, err := s.App.Reviews(t.Context(), status, "", 10)
				if err != nil {
					t.Fatal(err)
				}
				return slices.ContainsFunc(lines, func(l review.Line) bool { return l.SubmissionID == id && l.Unanswered })
			}
			if in("pending") != in(review.ReviewsUnanswered) {
				t.Error("the list of the unanswered says something else")
			}
			return in("pending")
		}
		if !waits() {
			t.Error("the reviewers do not see that ada has written")
		}
		s.Clock.Advance(time.Minute)
		if _, err := s.App.AnswerSubmitter(t.Context(), id, "Thank you.", []string{"ada/letters"}); err != nil {
			t.Fatal(err)
		}
		if waits() {
			t.Error("it waits for an answer that it has")
		}
		if got := ada.Get(path, "submission_id", id).OK(t); got.Str("data.removals.0.what") != "ada/letters" {
			t.Errorf("%s", got.Body)
		}
		s.Clock.Advance(time.Minute)
		other := submitPlain(t, ada, "ada/poems", "1.0.0", nil).Str("data.submission_id")
		if _, err := s.App.AnswerSubmitter(t.Context(), other, "And this?", []string{"ada/poems"}); err != nil {
			t.Fatal(err)
		}
		if got := ada.Get(path, "submission_id", other).OK(t); len(got.At("data.messages").([]any)) != 1 {
			t.Errorf("%s", got.Body)
		}
		ada.Post(path, m{"submission_id": other, "text": "That too."}).OK(t)
		if _, err := s.App.Reject(t.Context(), other, ""); err != nil {
			t.Fatal(err)
		}
		ada.Post(path, m{"submission_id": other, "text": "Why?"}).OK(t)
		lines, err := s.App.Reviews(t.Context(), review.ReviewsUnanswered, "", 10)
		if err != nil || len(lines) != 1 || lines[0].SubmissionID != other || lines[0].Status != "rejected" {
			t.Errorf("what was asked after the decision is lost: %+v %v", lines, err)
		}
		bob.Get(path, "submission_id", id).Want(t, 403, "permission_denied")
		bob.Post(path, m{"submission_id": id, "text": "me too"}).Want(t, 403, "permission_denied")
		ada.Get(path, "submission_id", "none").Want(t, 404, "submission_not_found")
		ada.Post(path, m{"submission_id": id, "text": "  "}).Want(t, 422, "invalid_request")
		for i := range 200 {
			r := ada.Post(path, m{"submission_id": id, "text": strings.Repeat("x", i+1)})
			if i < 197 && r.Status != 200 || i >= 197 && r.Status/100 != 4 {
				t.Fatalf("message %d: %d", i+4, r.Status)
			}
		}
	})
}

// What a reviewer asked to take out is found when it comes back, by the member before they submit and by the reviewer
// afterwards; approved all the same, it is no longer looked for.
func TestWhatWasToBeTakenOutIsSeenWhenItComesBack(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		first := submitPlain(t, ada, "ada/letters", "1.0.0", nil).Str("data.submission_id") // says "You are ada/letters 1.0.0."
		if _, err := s.App.Reject(t.Context(), first, "Not like this.", "YOU are", "10.0.0.2"); err != nil {
			t.Fatal(err)
		}
		check := func(text string) []any {
			return ada.Post("/api/member/submissions/check", m{"item_id": "ada/letters", "version": "1.1.0", "title": "Letters", "text": text}).OK(t).At("data.returns").([]any)
		}
		if got := check("Be brief."); len(got) != 0 {
			t.Errorf("nothing came back and %v was found", got)
		}
		if got := check("You\u200b are at 10.0.0.2"); len(got) != 2 {
			t.Errorf("found %v", got)
		}
		second := submitPlain(t, ada, "ada/letters", "1.1.0", nil)
		if second.Str("data.returned.0") != "YOU are" || !strings.Contains(string(second.Body), "removal_returned") {
			t.Errorf("%s", second.Body)
		}
		d, err := s.App.Review(t.Context(), second.Str("data.submission_id"))
		if err != nil || !slices.Equal(d.Returned, []string{"YOU are"}) || len(d.Thread.Removals) != 2 {
			t.Errorf("the reviewer sees %v, %v: %v", d.Returned, d.Thread.Removals, err)
		}
		ada.Get("/api/member/submissions/detail", "submission_id", second.Str("data.submission_id")).OK(t)
		s.Clock.Advance(time.Minute)
		if _, err := s.App.AnswerSubmitter(t.Context(), first, "", []string{"ada/letters 1.2.0"}); err != nil {
			t.Fatal(err)
		}
		if got := check("ada/letters 1.2.0"); len(got) != 1 {
			t.Errorf("asked for later: %v", got)
		}
		third := ada.Post("/api/templates/submit", m{"template_id": "ada/letters", "version": "1.2.0", "title": "Letters", "description": "For 10.0.0.2", "prompt": "ada/letters 1.2.0"}).OK(t)
		whole := ada.Get("/api/member/submissions/detail", "submission_id", third.Str("data.submission_id")).OK(t)
		if whole.Str("data.prompt") != "ada/letters 1.2.0" || whole.Str("data.description") != "For 10.0.0.2" || len(whole.At("data.returned").([]any)) != 2 {
			t.Errorf("%s", whole.Body)
		}
		ada.Get("/api/member/submissions").OK(t)
		ada.Post("/api/member/submissions/withdraw", m{"submission_id": third.Str("data.submission_id")}).OK(t)
		texts := m{"template_id": "ada/letters", "version": "1.1.1", "title": "Letters", "description": "For all.", "prompt": "You are ada/letters 1.1.1."}
		fourth := ada.Post("/api/templates/submit", texts).OK(t).Str("data.submission_id")
		if got := ada.Get("/api/member/submissions/detail", "submission_id", fourth).OK(t); got.Str("data.description") != "For all." {
			t.Errorf("%s", got.Body)
		}
		ada.Post("/api/member/submissions/withdraw", m{"submission_id": fourth}).OK(t)
		s.Approve(t, second.Str("data.submission_id"))
		if got := check("You are at 10.0.0.2"); len(got) != 1 {
			t.Errorf("after an approval: %v", got)
		}

		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		pack := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden"})
		if _, err := s.App.AnswerSubmitter(t.Context(), pack, "", []string{"gardener"}); err != nil {
			t.Fatal(err)
		}
		preview := ada.Post("/api/profile-pack/preview", m{"artifact_id": draft, "pack_id": "ada/garden"}).OK(t)
		if preview.Str("data.returns.0.what") != "gardener" || preview.Str("data.returns.0.place") == "" || preview.Str("data.returns.0.submission_id") != pack {
			t.Errorf("the preview says %v", preview.At("data.returns"))
		}
		s.Clock.Advance(time.Minute)
		if _, err := s.App.AnswerSubmitter(t.Context(), pack, "This as well.", []string{"personas"}); err != nil {
			t.Fatal(err)
		}
		if again := ada.Post("/api/profile-pack/preview", m{"artifact_id": draft, "pack_id": "ada/garden"}).OK(t); len(again.At("data.returns").([]any)) != 2 {
			t.Errorf("the preview says %v", again.At("data.returns"))
		}
		for _, version := range []string{"2.0.0", "2.1.0"} {
			sent := ada.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/garden", "version": version}).OK(t)
			if len(sent.At("data.returned").([]any)) != 2 {
				t.Errorf("%s", sent.Body)
			}
			id := sent.Str("data.submission_id")
			ada.Get("/api/member/profile-pack/submissions/detail", "submission_id", id).OK(t)
			ada.Get("/api/member/profile-pack/submissions").OK(t)
			ada.Post("/api/member/profile-pack/submissions/withdraw", m{"submission_id": id}).OK(t)
		}
		orchard := s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/orchard"})
		if _, err := s.App.AnswerSubmitter(t.Context(), orchard, "", []string{"gardener"}); err != nil {
			t.Fatal(err)
		}
		ada.Post("/api/profile-pack/preview", m{"artifact_id": draft, "pack_id": "ada/orchard"}).OK(t)
		other := ada.Post("/api/profile-pack/preview", m{"artifact_id": draft, "pack_id": "ada/meadow"}).OK(t)
		if len(other.At("data.returns").([]any)) != 0 {
			t.Errorf("another pack: %v", other.At("data.returns"))
		}
		if _, err := s.App.AnswerSubmitter(t.Context(), pack, "x", []string{"ab"}); err == nil {
			t.Error("two letters were taken, which stand everywhere")
		}
	})
}

func TestASubmissionIsCheckedWhileItIsTyped(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		s.Approve(t, s.Submit(t, "ada", "ada/letters", "1.2.0", catalog.Community))
		s.Approve(t, s.Submit(t, "bob", "bob/letters", "1.0.0", catalog.Community))
		s.Approve(t, s.Submit(t, "bob", "bob/secret", "1.0.0", catalog.Private))
		for _, c := range []struct{ id, version, title, want string }{
			{"ada/new", "1.0.0", "New", ""},
			{"ada/letters", "1.3.0", "Letters", ""},
			{"ada/letters", "1.2.0", "Letters", "version published"},
			{"ada/letters", "1.1.9", "Letters", "version older"},
			{"ada/letters", "1.2.0-rc.1", "Letters", "version older"},
			{"ada/letters", "one", "Letters", "version form"},
			{"Ada Letters", "", "", "title missing, item_id form, version missing"},
			{"", "1.0.0", strings.Repeat("x", 201), "title long, item_id missing"},
			{"official/letters", "1.0.0", "x", "item_id reserved"},
			{"bob/letters", "1.0.0", "x", "item_id taken"},
			{"bob/secret", "1.0.0", "x", ""},
			{"bob/absent", "1.0.0", "x", ""}, // nobody learns which is there
		} {
			r := ada.Post("/api/member/submissions/check", m{"kind": "template", "item_id": c.id, "version": c.version, "title": c.title}).OK(t)
			var got []string
			for _, p := range r.At("data.problems").([]any) {
				got = append(got, p.(map[string]any)["field"].(string)+" "+p.(map[string]any)["problem"].(string))
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%s %s %.20q: %v, want %s", c.id, c.version, c.title, got, c.want)
			}
			if own := c.id == "ada/letters"; own != (r.Str("data.published_version") == "1.2.0") || own != (r.Str("data.next_version") == "1.2.1") {
				t.Errorf("%s: %s", c.id, r.Body)
			}
		}
	})
}
