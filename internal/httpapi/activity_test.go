package httpapi_test

import (
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/submit"
)

// counts is a series of an activity answer.
func counts(r *apitest.Reply, name string) []int {
	var out []int
	for _, v := range r.At("data.series." + name).([]any) {
		out = append(out, int(v.(float64)))
	}
	return out
}

func TestActivity(t *testing.T) {
	const path = "/api/market/activity"
	const day = 24 * time.Hour
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		nobody := s.Nobody(t)
		nobody.Get(path).OK(t)
		s.As(t, "ada").Post("/api/templates/install", m{"template_id": translator}).OK(t)
		s.Clock.Advance(2 * day)
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		bob.Post("/api/templates/install", m{"template_id": translator}).OK(t)
		ada.Post("/api/trial", m{"template_id": coach, "session_id": "s"}).OK(t)
		ada.Post("/api/templates/install", m{"template_id": starter}).OK(t) // a profile pack
		own := ada.Post("/api/templates/submit", m{"template_id": "ada/diary", "prompt": "You keep a diary.", "upload_options": m{"visibility": "private"}}).OK(t)
		s.Approve(t, own.Str("data.submission_id"))
		ada.Post("/api/templates/install", m{"template_id": "ada/diary"}).OK(t)

		item := nobody.Get(path, "kind", "template", "item_id", translator, "days", "7").OK(t)
		if got := counts(item, "installs"); !slices.Equal(got, []int{0, 0, 0, 0, 1, 0, 1}) || item.Int("data.totals.installs") != 2 {
			t.Errorf("%v %s", got, item.Body)
		}
		if item.Str("data.from") != "2026-02-26" || item.Str("data.to") != "2026-03-04" {
			t.Errorf("%s", item.Body)
		}
		market := nobody.Get(path).OK(t)
		if got := market.Int("data.totals.installs"); market.Len("data.series.installs") != 90 || got != 3 || market.Int("data.totals.trials") != 1 {
			t.Errorf("%d installs in the market, want 3: what is private is nobody's: %s", got, market.Body)
		}
		if got := nobody.Get(path, "kind", "profile_pack").OK(t).Int("data.totals.installs"); got != 1 {
			t.Errorf("%d installs of packs", got)
		}
		if got := nobody.Get(path, "kind", "template").OK(t).Int("data.totals.installs"); got != 2 {
			t.Errorf("%d installs of templates", got)
		}
		if got := ada.Get(path, "kind", "template", "item_id", "ada/diary").OK(t).Int("data.totals.installs"); got != 1 {
			t.Errorf("%d installs of ada's own", got)
		}
		for _, c := range []*apitest.Client{bob, nobody} {
			c.Get(path, "kind", "template", "item_id", "ada/diary").Want(t, 404, "not_found")
		}
		nobody.Get(path, "kind", "template", "item_id", "no/such").Want(t, 404, "not_found")
		nobody.Get(path, "item_id", translator).Want(t, 422, "invalid_request")
		nobody.Get(path, "days", "6").Want(t, 422, "invalid_request")

		s.Clock.Advance(101 * day)
		if err := s.App.SweepOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := s.Count(t, "activity"); n != 0 {
			t.Errorf("%d rows of days that nobody can ask for", n)
		}
	})
}

// What a pack reaches stands on its page.
func TestReachIsShown(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		s.Approve(t, s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden", Version: "1.0.0"}))
		r := s.Nobody(t).Get("/api/profile-pack/catalog/detail", "pack_id", "ada/garden").OK(t)
		if hosts, _ := r.At("data.reach.hosts").([]any); len(hosts) != 1 || hosts[0] != "llm.example.org" {
			t.Errorf("%s", r.Body)
		}
		if wants, _ := r.At("data.reach.environment").([]any); len(wants) != 1 || wants[0] != "LLM_KEY" {
			t.Errorf("%s", r.Body)
		}
		if r := s.Nobody(t).Get("/api/templates/detail", "template_id", translator).OK(t); r.At("data.reach") == nil || r.Len("data.reach.hosts") != 0 {
			t.Errorf("a text of the operator's: %s", r.Body)
		}
	})
}
