package httpapi_test

import (
	"strings"
	"sync"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
)

// gardenSetup is a setup with two personas.
func gardenSetup(gardener, cook string) []byte {
	return mustJSON(m{"config_version": 2, "persona": []m{{"name": "gardener", "prompt": gardener}, {"name": "cook", "prompt": cook}}})
}

// The next version of a pack keeps the examples of personas whose words stayed; its reviewer sees which one goes, and opens the other.
func TestAVersionKeepsTheExamplesOfUnchangedPersonas(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, nobody := s.As(t, "ada"), s.Nobody(t)
		submit := func(version string, setup []byte) string {
			return s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: s.Draft(t, "ada", "cmd_config.json", setup), PackID: "ada/garden", Version: version})
		}
		first := submit("1.0.0", gardenSetup("You garden.", "You cook."))
		for _, name := range []string{"gardener", "cook"} {
			ada.Post(examplesPath, m{"submission_id": first, "persona": name, "model": "m", "messages": talkOf("Hello.", "I am the "+name+".")}).OK(t)
		}
		s.Approve(t, first)
		second := submit("1.1.0", gardenSetup("You garden.", "You cook and bake."))
		part := recordedPart(t, s, second)
		if !part.MustOpen || !strings.Contains(part.Text, "I am the gardener.") || strings.Contains(part.Text, "I am the cook.") {
			t.Errorf("the reviewer sees %s", part.Text)
		}
		review, err := s.App.Review(t.Context(), second)
		if err != nil {
			t.Fatal(err)
		}
		texts := string(mustJSON(review.Diff.Texts))
		if !strings.Contains(texts, "example/cook") || strings.Contains(texts, "example/gardener") {
			t.Errorf("the differences say %s", texts)
		}
		s.Approve(t, second)
		page := nobody.Get("/api/market/item", "item_id", "ada/garden").OK(t)
		if p := page.At("data.examples").([]any); len(p) != 1 || page.Str("data.examples.0.persona") != "gardener" || page.Str("data.version") != "1.1.0" {
			t.Errorf("%s", page.Body)
		}

		// A template, as texts: the same prompt keeps the example, another one does not.
		letter := func(version, prompt string) string {
			return ada.Post("/api/templates/submit", m{"template_id": "ada/letters", "version": version, "prompt": prompt}).OK(t).Str("data.submission_id")
		}
		id := letter("1.0.0", "You write letters.")
		ada.Post(examplesPath, m{"submission_id": id, "model": "m", "messages": talkOf("Hello.", "Dear you.")}).OK(t)
		s.Approve(t, id)
		s.Approve(t, letter("1.0.1", "You write letters."))
		if p := nobody.Get("/api/market/item", "item_id", "ada/letters").OK(t); p.Str("data.examples.0.messages.1.content") != "Dear you." {
			t.Errorf("%s", p.Body)
		}
		// Somebody else's submission of the same id gets nothing of it.
		other := s.As(t, "bob").Post("/api/templates/submit", m{"template_id": "ada/letters", "version": "1.0.2", "prompt": "You write letters."}).OK(t).Str("data.submission_id")
		if p := recordedPart(t, s, other); p.Text != "" {
			t.Errorf("another member's submission has %s", p.Text)
		}
		s.Approve(t, letter("1.1.0", "You write long letters."))
		if p := nobody.Get("/api/market/item", "item_id", "ada/letters").OK(t); len(p.At("data.examples").([]any)) != 0 {
			t.Errorf("%s", p.Body)
		}
	})
}

// An author saves another example while a reviewer approves. What is published is what the reviewer was shown, or nothing is.
func TestApprovedExamplesAreThoseThatWereShown(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, nobody := s.As(t, "ada"), s.Nobody(t)
		approved := 0
		for range 12 {
			item := "ada/letters-" + string(rune('a'+approved))
			id := submitPlain(t, ada, item, "1.0.0", nil).Str("data.submission_id")
			save := func(answer string) *apitest.Reply {
				return ada.Post(examplesPath, m{"submission_id": id, "model": "m", "messages": talkOf("Hello.", answer)})
			}
			save("It was shown.").OK(t)
			recordedPart(t, s, id)
			var refused error
			var group sync.WaitGroup
			var late *apitest.Reply
			group.Go(func() { late = save("It was not shown.") })
			group.Go(func() { _, refused = s.App.Approve(t.Context(), id, "", false) })
			group.Wait()
			if late.Status != 200 {
				late.Want(t, 409, "submission_state_invalid")
			}
			if (refused != nil) != (late.Status == 200) {
				t.Fatalf("the example was answered with %d, the approval with %v", late.Status, refused)
			}
			if refused != nil {
				if _, err := s.App.Reject(t.Context(), id, "once more"); err != nil {
					t.Fatal(err)
				}
				continue
			}
			approved++
			if p := nobody.Get("/api/market/item", "item_id", item).OK(t); p.Str("data.examples.0.messages.1.content") != "It was shown." {
				t.Fatalf("%s", p.Body)
			}
		}
		t.Logf("%d of 12 approved", approved)
	})
}
