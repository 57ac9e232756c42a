package httpapi_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/catalog"
)

var packText = m{"en-US": m{"title": "A pack", "description": "Sections for a bot."}}

// What is to be installed, how and in which language: each parameter of the plan changes it.
func TestEveryParameterOfThePlanChooses(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada, plan := s.As(t, "ada"), "/api/install/plan"
	submitBundle(t, ada, "ada/thing", nil)
	s.Approve(t, ada.Get("/api/member/submissions").OK(t).Str("data.submissions.0.submission_id"))
	thing := []string{"template_id", "ada/thing"}
	tells(t, ada, plan, "template_id", translator, "ada/thing")
	tells(t, ada, plan, "locale", "en-US", "ja-JP", "template_id", translator)
	tells(t, ada, plan, "source_preference", "generated", "uploaded_submission", thing...)
	tells(t, ada, plan, "selected_sections", "personas", "", "template_id", starter)
	ada.Post("/api/templates/install", m{"template_id": translator}).OK(t)
	tells(t, ada, plan, "force_reinstall", "true", "false", "template_id", translator)

	ada.Post("/api/preferences/observe", m{"enabled": true}).OK(t)
	first := ada.Post("/api/templates/install", m{"template_id": coach, "session_id": "evening"}).OK(t)
	ada.Post("/api/preferences/mode", m{"mode": "inline_execution"}).OK(t)
	second := ada.Post("/api/templates/install", m{"template_id": "ada/thing", "session_id": "morning"}).OK(t)
	if fmt.Sprint(first.At("data.task_details")) == fmt.Sprint(second.At("data.task_details")) {
		t.Errorf("%s\n%s", first.Body, second.Body)
	}
	for _, id := range []string{translator, "ada/thing"} {
		ada.Post("/api/templates/package", m{"template_id": id}).OK(t)
	}
	tells(t, ada, "/api/market/export", "item_id", translator, "ada/thing", "format", "prompt")
	tells(t, ada, "/api/market/export", "format", "prompt", "agent", "item_id", translator)

	for _, version := range []string{"1.0.0", "1.1.0"} {
		s.Clock.Advance(time.Second)
		s.Import(t, review.ImportOptions{}, apitest.Line(m{"id": "pack/two", "version": version, "pack_type": "bot_profile_pack", "locales": packText, "sections": m{
			"personas": m{"entries": m{"ann": m{"system_prompt": "You are Ann. " + version}, "ben": m{"system_prompt": "You are Ben. " + version}}},
		}}))
	}
	two := []string{"item_id", "pack/two", "format", "prompt"}
	tells(t, ada, "/api/market/export", "persona", "ann", "ben", two...)
	tells(t, ada, "/api/market/export", "version", "1.0.0", "1.1.0", append(two, "persona", "ann")...)
	draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
	for _, version := range []string{"1.0.0", "1.1.0"} {
		s.Clock.Advance(time.Second)
		s.Approve(t, s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden", Version: version, ChangeNote: "This is " + version}))
	}
	want(t, ada.Get("/api/profile-pack/catalog/detail", "pack_id", "ada/garden").OK(t), m{"data.versions.0.change_note": "This is 1.1.0", "data.versions.1.change_note": "This is 1.0.0"})

	ada.Post("/api/templates/install", m{"template_id": "pack/two"}).OK(t)
	r := ada.Get("/api/member/installations").OK(t)
	modes := r.All("data.installations", "execution_mode")
	slices.Sort(modes)
	if fmt.Sprint(modes) != "[inline_execution inline_execution subagent_driven subagent_driven]" {
		t.Errorf("%s", r.Body)
	}
	if err := s.App.WithdrawItem(t.Context(), catalog.KindTemplate, "ada/thing", "It was a trial."); err != nil {
		t.Error(err)
	}
	ada.Get("/api/member/installations").OK(t)
	ada.Post("/api/member/installations/uninstall", m{"template_id": "pack/two"}).OK(t)
	ada.Post("/api/member/installations/uninstall", m{"template_id": translator}).OK(t)
}

// Prompts are told with what they ask for, in the reader's language.
func TestEveryFieldOfPromptsMoves(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	text := m{
		"en-US": m{"title": "Letter", "description": "Writes a letter.", "prompt": "Write to {{name}} in the manner of {{author}}."},
		"ja-JP": m{"title": "手紙", "description": "手紙を書きます。", "prompt": "{{name}}に{{author}}の調子で書いてください。"},
	}
	s.Import(t, review.ImportOptions{}, apitest.Line(m{"kind": "template", "id": "letters/plain", "version": "2.1.0", "category": "writing", "locales": text}))
	if err := s.App.Feature(t.Context(), catalog.KindTemplate, "letters/plain", "For friends.", true); err != nil {
		t.Fatal(err)
	}
	ada := s.As(t, "ada")
	ada.Post("/api/templates/install", m{"template_id": translator}).OK(t)
	tells(t, ada, "/api/prompts", "locale", "en-US", "ja-JP")
	want(t, ada.Get("/api/prompts").OK(t), m{
		"data.prompts.0.name": "letters/plain", "data.prompts.0.featured": true, "data.prompts.0.installed": false, "data.prompts.0.arguments.1.name": "author", "data.prompts.0.version": "2.1.0",
		"data.prompts.1.name": translator, "data.prompts.1.featured": false, "data.prompts.1.installed": true, "data.prompts.1.arguments": "[]",
	})
}

// Plugins of a pack against an own bot that has some of them, and the places that an issue is about.
func TestEveryFieldOfPluginsMoves(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada, path := s.As(t, "ada"), "/api/profile-pack/catalog/compare"
	draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
	s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/garden"})
	for i, plugins := range []m{
		{"rain": m{"enabled": true, "version": "1.0.0", "hash": "sha256:aa", "install_cmd": "pip install rain"}, "plain": m{"enabled": true}},
		{"plain": m{"enabled": true}},
	} {
		environment := m{"system_dependencies": []string{"ffmpeg"}}
		if i > 0 {
			environment = m{"docker": m{"image": "a"}}
		}
		s.Import(t, review.ImportOptions{}, apitest.Line(m{
			"id": fmt.Sprintf("pack/plugged-%d", i), "version": "1.0.0", "pack_type": "bot_profile_pack", "locales": packText, "astrbot_version": ">=4.20", "sections": m{"plugins": plugins, "environment_manifest": environment},
		}))
		ada.Get(path, "pack_id", fmt.Sprintf("pack/plugged-%d", i)).OK(t)
	}
	r := ada.Get(path, "pack_id", "pack/plugged-0", "host_version", "4.10.0").OK(t)
	place := "data.compatibility_matrix.runtime_issue_details.0.evidence_refs.0."
	want(t, r, m{place + "file": "sections/environment_manifest.json", place + "path": "environment_manifest.system_dependencies"})
}
