package httpapi_test

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market"
	"stoa/internal/market/catalog"
)

// An id that could be taken for another, or for the operator's, is refused for what is new, whichever way it comes in. What
// is published already keeps its id, and is marked.
func TestIDsOfItems(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		submit := func(body m) *apitest.Reply {
			body["prompt"], body["version"] = "Write letters.", "2.0.0"
			return ada.Post("/api/templates/submit", body)
		}
		for _, id := range []string{
			"ada/x\u200b", "ada/x\u00ad", "\u202eada/x", "ａda/x", "аda/x", "Ada/x", "ada/X", "..", ".ssh", "/etc/x", "ada/x/y", "ada__x", "ada/-x", "ada/x--y", "ada/x y", "ada/é",
			"official/new", "stoa", "stoa/x", "operator/x", "support-team/x",
		} {
			submit(m{"template_id": id}).Want(t, 422, "invalid_request")
			ada.Post("/api/templates/submit", m{"template_id": id, "package_name": "p.zip", "package_base64": apitest.Base64(apitest.TemplatePackage(t, id, "1.0.0", "p", nil))}).Want(t, 422, "invalid_request")
		}
		for _, id := range []string{"ada/x", "x-1", "community/basic", "profile/imported-researcher-e679d2d4"} {
			if got := submit(m{"template_id": id}).OK(t); slices.Contains(labelsOf(got), "odd_id") || slices.Contains(labelsOf(got), "official_name") {
				t.Errorf("%s is labelled %v", id, labelsOf(got))
			}
		}
		draft := ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(apitest.Setup(t, "gardener"))}).OK(t).Str("data.artifact_id")
		for _, route := range []string{"submit", "preview"} {
			ada.Post("/api/profile-pack/"+route, m{"artifact_id": draft, "pack_id": "Ada/Garden"}).Want(t, 422, "invalid_request")
		}
		report, err := s.App.Import(t.Context(), strings.NewReader(`{"id":"Odd_Id","locales":{"en-US":{"title":"T","prompt":"P"}}}`), market.ImportOptions{Channel: catalog.ChannelImport})
		if err != nil || len(report.Refused) != 1 || !strings.Contains(report.Refused[0].Reason, "lower-case letters") {
			t.Errorf("%+v %v", report, err)
		}

		s.Approve(t, s.Submit(t, "ada", "Ada's/Ödd_1", "1.0.0", catalog.Community)) // from before the rule
		again := submit(m{"template_id": "Ada's/Ödd_1"}).OK(t)
		if !slices.Contains(labelsOf(again), "odd_id") {
			t.Errorf("labels %v", labelsOf(again))
		}
		s.Approve(t, again.Str("data.submission_id"))
		shown := ada.Get("/api/templates/detail", "template_id", "Ada's/Ödd_1").OK(t)
		if !slices.Contains(labelsOf(shown), "odd_id") || shown.Str("data.version") != "2.0.0" {
			t.Errorf("%s", shown.Body)
		}
		findings, err := s.App.Examine(t.Context(), false)
		if err != nil || !slices.ContainsFunc(findings, func(f core.Finding) bool {
			return f.Check == "item_ids" && f.OK && strings.HasPrefix(f.Detail, "1 items") && strings.Contains(f.Detail, "Ada's/Ödd_1")
		}) {
			t.Errorf("%+v %v", findings, err)
		}
	})
}

// The maintainer is what the item says of itself: it cannot be the operator, nor hide what it says, and a reviewer is told
// when it is another member.
func TestMaintainerIsAClaim(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		s.As(t, "bob")
		submit := func(maintainer string) *apitest.Reply {
			return ada.Post("/api/templates/submit", m{"template_id": "ada/x", "prompt": "Write.", "maintainer": maintainer})
		}
		for _, name := range []string{"Stoa", "STOA official", "Operator", "Ѕtоа", "ｓｔｏａ", "Support Team", "Ada\u202e", "A\u200bda"} {
			submit(name).Want(t, 422, "invalid_request")
		}
		for name, labelled := range map[string]bool{"Ada Lovelace": false, "ada": false, "Official Ada": true, "Stoa Ada": true, "unofficial": false, "園丁": false} {
			if got := slices.Contains(labelsOf(submit(name).OK(t)), "official_name"); got != labelled {
				t.Errorf("%s: %v", name, got)
			}
		}
		for name, other := range map[string]bool{"bob": true, "ada": false, "carol": false} {
			d, err := s.App.Review(t.Context(), submit(name).OK(t).Str("data.submission_id"))
			if err != nil || d.MaintainerIsMember != other {
				t.Errorf("%s: %v %v", name, d.MaintainerIsMember, err)
			}
		}
		for _, version := range []string{"1.0\u200b", "1.0\u202e"} {
			ada.Post("/api/templates/submit", m{"template_id": "ada/x", "prompt": "Write.", "version": version}).Want(t, 422, "invalid_request")
		}
	})
}
