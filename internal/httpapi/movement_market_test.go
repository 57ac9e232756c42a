package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/submission"
)

// Two versions of a pack and another pack: a comparison is of those that are named.
func TestEveryParameterOfCompareChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	text := m{"en-US": m{"title": "A pack", "description": "Sections for a bot."}, "ja-JP": m{"title": "パック", "description": "ボットの設定です。"}}
	pack := func(id, kind, version string, sections m) {
		t.Helper()
		s.Clock.Advance(time.Second)
		s.Import(t, review.ImportOptions{}, apitest.Line(m{"id": id, "version": version, "pack_type": kind, "locales": text, "sections": sections}))
	}
	pack("pack/garden", "bot_profile_pack", "1.0.0", m{"personas": m{"a": m{"prompt": "Hello."}}})
	pack("pack/garden", "bot_profile_pack", "1.1.0", m{"personas": m{"a": m{"prompt": "Good day."}}, "plugins": m{"rain": m{"enabled": true, "install_cmd": "pip install rain"}}})
	pack("pack/shed", "extension_pack", "1.0.0", m{"plugins": m{"tools": m{"enabled": true, "version": "2.0.0", "source": "https://github.com/a/tools", "install_cmd": "pip install tools"}}})
	nobody, ada, path := s.Nobody(t), s.As(t, "ada"), "/api/profile-pack/catalog/compare"
	garden := []string{"pack_id", "pack/garden"}
	tells(t, nobody, path, "pack_id", "pack/garden", "pack/shed")
	tells(t, nobody, path, "version", "1.0.0", "1.1.0", garden...)
	moves(t, nobody,
		parameter{path, "selected_sections", "personas", m{"data.plugin_install": nil}, garden},
	)
	tells(t, nobody, path, "base_pack_id", "pack/garden", "pack/shed", garden...)
	tells(t, nobody, path, "base_version", "1.0.0", "1.1.0", "pack_id", "pack/garden", "base_pack_id", "pack/garden")
	if first := nobody.Get(path, garden...).OK(t); first.Str("data.before.kind") != "published" {
		t.Errorf("the version before is not what the newest is compared with: %.500s", first.Body)
	}
	draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
	moves(t, ada, parameter{path, "base_artifact_id", draft, m{"data.before.kind": "import"}, garden})
	download := "/api/profile-pack/package/download"
	tells(t, ada, download, "version", "1.0.0", "1.1.0", garden...)
	tells(t, ada, download, "pack_id", "pack/garden", "pack/shed")

	catalog, id := "/api/profile-pack/catalog", "data.packs.0.pack_id"
	moves(t, nobody,
		parameter{catalog, "pack_query", "shed", m{id: "pack/shed", "data.packs.1": nil}, nil},
		parameter{catalog, "locale", "ja-JP", m{"data.packs.0.title": "パック"}, []string{"pack_id", "pack/shed"}},
		parameter{catalog + "/detail", "locale", "ja-JP", m{"data.title": "パック"}, []string{"pack_id", "pack/shed"}},
	)
	if with, without := nobody.Get(catalog, "facets", "true").OK(t), nobody.Get(catalog).OK(t); with.At("data.facets") == nil || fmt.Sprint(with.At("data.facets")) == fmt.Sprint(without.At("data.facets")) {
		t.Errorf("facets: %v and %v", with.At("data.facets"), without.At("data.facets"))
	}
	tells(t, nobody, catalog, "query", "sections", "nothing")
	tells(t, nobody, catalog+"/insights", "locale", "en-US", "ja-JP")
}

// What a member has: trials, installations, submissions and drafts, each chosen by what names it.
func TestEveryParameterOfOwnThingsChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	for _, session := range []string{"one", "two"} {
		for _, id := range []string{translator, coach} {
			s.Clock.Advance(time.Minute)
			ada.Post("/api/trial/request", m{"template_id": id, "session_id": session})
		}
	}
	trial := "/api/trial/status"
	tells(t, ada, trial, "template_id", translator, coach, "session_id", "one")
	tells(t, ada, trial, "session_id", "one", "two", "template_id", translator)

	var subs []string
	for i, more := range []m{nil, {"agent": m{"name": "x"}}} {
		r := submitBundle(t, ada, fmt.Sprintf("ada/thing-%d", i), more)
		subs = append(subs, r.Str("data.submission_id"))
	}
	tells(t, ada, "/api/member/submissions/package/download", "submission_id", subs[0], subs[1])
	s.Approve(t, subs[0])
	tells(t, ada, "/api/templates/package/download", "source_preference", "generated", "uploaded_submission", "template_id", "ada/thing-0")
	for _, id := range []string{translator, "ada/thing-0"} {
		s.Clock.Advance(time.Second)
		ada.Post("/api/templates/install", m{"template_id": id}).OK(t)
	}
	installations := "/api/member/installations"
	moves(t, ada, parameter{installations, "limit", "1", m{"data.installations.1": nil}, nil})
	tells(t, ada, installations, "locale", "en-US", "zh-CN")

	draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
	tells(t, ada, "/api/member/profile-pack/imports", "selection_tree", "true", "false")
	s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden"})
	s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/part", Options: submission.SubmitOptions{SelectedSections: []string{"personas"}}})
	packs := "/api/member/profile-pack/submissions"
	high, low := ada.Get(packs, "risk_level", "high").OK(t), ada.Get(packs, "risk_level", "low").OK(t)
	if high.Str("data.submissions.0.pack_id") != "ada/garden" || low.Str("data.submissions.0.pack_id") != "ada/part" {
		t.Errorf("high: %v, low: %v", high.All("data.submissions", "pack_id"), low.All("data.submissions", "pack_id"))
	}
	activity := "/api/market/activity"
	tells(t, ada, activity, "days", "7", "30")
	tells(t, ada, activity, "item_id", translator, coach, "kind", "template")
	tells(t, ada, "/api/ui/capabilities", "page_mode", "member", "market")
}
