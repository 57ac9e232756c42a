package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/app/market/review"
	"stoa/internal/market/catalog"
	"stoa/internal/platform/errs"
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
		report, err := s.App.Import(t.Context(), strings.NewReader(`{"id":"Odd_Id","locales":{"en-US":{"title":"T","prompt":"P"}}}`), review.ImportOptions{Channel: catalog.ChannelImport})
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

// The part of an id before the slash is its owner's name: who submits under somebody else's, or under one that is taken for it, is
// labelled to the reviewer, and nobody gets the name that stands before somebody else's items.
func TestNamespacesAreTheirOwners(t *testing.T) {
	apitest.Each(t, apitest.Options{SignupOpen: true}, func(t *testing.T, s *apitest.Server) {
		carol := s.Nobody(t)
		carol.Token = carol.Post("/api/signup", right("carol")).OK(t).Str("token")
		zip := func(id string) string { return apitest.Base64(apitest.TemplatePackage(t, id, "1.0.0", "p", nil)) }
		draft := carol.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(apitest.Setup(t, "gardener"))}).OK(t).Str("data.artifact_id")
		for id, theirs := range map[string]bool{"ada/x": true, "bob/x": true, "b0b/x": true, "carol/x": false, "car0l/x": false, "community/x": false, "nobody-yet/x": false} {
			for _, reply := range []*apitest.Reply{
				carol.Post("/api/templates/submit", m{"template_id": id, "prompt": "Write."}),
				carol.Post("/api/templates/submit", m{"template_id": id, "package_name": "p.zip", "package_base64": zip(id)}),
				carol.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": id}),
			} {
				if got := slices.Contains(labelsOf(reply.OK(t)), "ownership_conflict"); got != theirs {
					t.Errorf("%s is labelled: %v", id, got)
				}
			}
		}

		s.Approve(t, s.Submit(t, "carol", "study/x", "1.0.0", catalog.Community))
		s.Approve(t, s.Submit(t, "carol", "quiet/x", "1.0.0", catalog.Private))
		carol.Post("/api/signup", right("study")).Want(t, 409, "user_id_taken")
		for _, free := range []string{"quiet", "stud"} {
			carol.Post("/api/signup", right(free)).OK(t)
		}
		s.Approve(t, s.Submit(t, "ada", "ada/secret", "1.0.0", catalog.Private))
		s.Approve(t, s.Submit(t, "ada", "ada/shown", "1.0.0", catalog.Community))
		labels := func(id string) []string {
			return labelsOf(carol.Post("/api/templates/submit", m{"template_id": id, "version": "2.0.0", "prompt": "Write."}).OK(t))
		}
		if !slices.Equal(labels("ada/secret"), labels("ada/absent")) {
			t.Error("a private item is told of")
		}
		for _, id := range []string{"ada/shown", "ada/absent"} {
			if got := labels(id); !slices.Contains(got, "ownership_conflict") {
				t.Errorf("%s: labels %v", id, got)
			}
		}
	})
}

// A version is written in ASCII and safe in addresses and names of files, whichever way it comes in.
func TestVersionsOfItems(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		draft := ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(apitest.Setup(t, "gardener"))}).OK(t).Str("data.artifact_id")
		for _, v := range []string{"../1", "１.０.０", "1.0.0а", "1.ο.0", "1.0.0/../..", "1.0?x", "<b>", "1..0", "1.", "-1", "1\u200b", "1\x7f0", "1 0"} {
			ada.Post("/api/templates/submit", m{"template_id": "ada/x", "version": v, "prompt": "Write."}).Want(t, 422, "invalid_request")
			r := ada.Post("/api/templates/submit", m{"template_id": "ada/x", "package_name": "p.zip", "package_base64": apitest.Base64(apitest.TemplatePackage(t, "ada/x", v, "p", nil))})
			if r.Status != 400 && r.Status != 422 {
				t.Errorf("%q in a package: %s", v, r.Body)
			}
			for _, route := range []string{"submit", "preview"} {
				ada.Post("/api/profile-pack/"+route, m{"artifact_id": draft, "pack_id": "ada/garden", "version": v}).Want(t, 422, "invalid_request")
			}
			line, err := json.Marshal(m{"id": "odd-version", "version": v, "locales": m{"en-US": m{"title": "T", "prompt": "P"}}})
			if err != nil {
				t.Fatal(err)
			}
			report, err := s.App.Import(t.Context(), strings.NewReader(string(line)), review.ImportOptions{Channel: catalog.ChannelImport})
			if err != nil || len(report.Refused) != 1 {
				t.Errorf("%q in a file: %+v %v", v, report, err)
			}
		}
		for _, v := range []string{"1", "1.0", "v2", "2024-05-01", "1.0.0-beta.1+x"} {
			ada.Post("/api/templates/submit", m{"template_id": "ada/x", "version": v, "prompt": "Write."}).OK(t)
		}
		// One that waited when the rule came is not published.
		waits := s.Submit(t, "ada", "ada/old", "１.０", catalog.Community)
		if _, err := s.App.ReadSubmission(t.Context(), waits, review.Read{}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.App.Approve(t.Context(), waits, "", false); errs.CodeOf(err) != errs.InvalidRequest {
			t.Errorf("approved: %v", err)
		}
	})
}
