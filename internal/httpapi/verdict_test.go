package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/scan"
	"stoa/internal/platform/errs"
)

// bundle is a template's zip whose bundle.json has more members.
func bundle(t *testing.T, id string, more m) []byte {
	t.Helper()
	all := m{"template_id": id, "version": "1.0.0", "prompt": "You write letters."}
	for k, v := range more {
		all[k] = v
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return apitest.Zip(t, map[string]string{"bundle.json": string(text)})
}

func submitBundle(t *testing.T, c *apitest.Client, id string, more m) *apitest.Reply {
	t.Helper()
	return c.Post("/api/templates/submit", m{"template_id": id, "package_name": "p.zip", "package_base64": apitest.Base64(bundle(t, id, more))}).OK(t)
}

// What changes the bot's providers, its command rights or its agents has a level, a label and a risk, and is found by them.
func TestLevelsOfTemplates(t *testing.T) {
	var large strings.Builder
	for i := range 25_000 {
		fmt.Fprintf(&large, "Letter number %d goes to friend %x, in their language.\n", i, i*7919)
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for i, tc := range []struct {
			more   m
			levels string
			labels []string
			risk   string
		}{
			{nil, "[L1]", []string{"risk_low"}, "low"},
			{m{"memory": m{}}, "[L1]", []string{"risk_low"}, "low"},
			{m{"provider_settings": m{"default_provider_id": "x"}}, "[L3]", []string{"provider_override", "risk_high"}, "high"},
			{m{"command_permission": m{}}, "[L3]", []string{"provider_override", "risk_high"}, "high"},
			{m{"agent": m{"name": "x"}}, "[L2]", []string{"agent_orchestration", "risk_medium"}, "medium"},
			{m{"subagent_orchestrator": []string{}, "provider_settings": m{}}, "[L2 L3]", []string{"agent_orchestration", "provider_override", "risk_high"}, "high"},
		} {
			id := fmt.Sprintf("ada/level-%d", i)
			r := submitBundle(t, ada, id, tc.more)
			if got := fmt.Sprint(r.At("data.scan_summary.levels")); got != tc.levels || r.Str("data.risk_level") != tc.risk || !slices.Equal(texts(r.At("data.review_labels")), tc.labels) {
				t.Errorf("%v: %s %s %v", tc.more, got, r.Str("data.risk_level"), r.At("data.review_labels"))
			}
			s.Approve(t, r.Str("data.submission_id"))
			for name, value := range map[string]string{"risk_level": tc.risk, "review_label": tc.labels[0]} {
				if got := s.Nobody(t).Get("/api/templates", name, value).OK(t).All("data.templates", "template_id"); !slices.Contains(got, id) {
					t.Errorf("%s=%s does not find %s: %v", name, value, id, got)
				}
				if got := ada.Get("/api/member/submissions", name, value).OK(t).All("data.submissions", "template_id"); !slices.Contains(got, id) {
					t.Errorf("own submissions: %s=%s does not find %s: %v", name, value, id, got)
				}
			}
		}
		// One that is too large to be scanned at once has its level at once, and keeps it.
		zip := apitest.Zip(t, map[string]string{"bundle.json": `{"template_id": "ada/large", "version": "1.0.0", "prompt": "You write letters.", "agent": {}}`, "notes.md": large.String()})
		r := ada.Post("/api/templates/submit", m{"template_id": "ada/large", "package_name": "p.zip", "package_base64": apitest.Base64(zip)}).OK(t)
		for {
			did, err := s.App.ScanNext(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !did {
				break
			}
		}
		after := ada.Get("/api/member/submissions/detail", "submission_id", r.Str("data.submission_id")).OK(t)
		for _, r := range []*apitest.Reply{r, after} {
			if fmt.Sprint(r.At("data.scan_summary.levels")) != "[L2]" || !slices.Contains(texts(r.At("data.review_labels")), "agent_orchestration") || r.Str("data.risk_level") != "medium" {
				t.Errorf("%s", r.Body)
			}
		}
	})
}

// A pack is judged by its sections; what its scan says of compatibility is what the pack says.
func TestVerdictOfPacks(t *testing.T) {
	setup := func(t *testing.T) []byte {
		text, err := json.Marshal(m{
			"config_version": 2, "timezone": "Europe/Lisbon", "persona": []m{{"name": "gardener", "prompt": "You know plants."}},
			"provider":              []m{{"id": "local", "type": "openai_chat_completion", "api_base": "https://llm.example.org/v1", "key": []string{"${LLM_KEY}"}}},
			"subagent_orchestrator": m{"main_enable": true, "agents": []m{{"name": "on", "enabled": true}, {"name": "off", "enabled": false}, {"name": "plain"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		draft := ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": apitest.Base64(setup(t))}).OK(t)
		if got := fmt.Sprint(draft.At("data.scan_summary.levels")); got != "[L2 L3]" || draft.Str("data.scan_summary.risk_level") != "high" ||
			draft.Str("data.scan_summary.compatibility") != draft.Str("data.compatibility") || draft.Str("data.compatibility") != "degraded" {
			t.Errorf("%s", draft.At("data.scan_summary"))
		}
		if draft.Int("data.import_summary.subagent_count") != 2 || fmt.Sprint(draft.At("data.import_summary.subagent_ids")) != "[on plain]" {
			t.Errorf("subagents: %v", draft.At("data.import_summary"))
		}
		whole := ada.Post("/api/profile-pack/submit", m{"artifact_id": draft.Str("data.artifact_id"), "pack_id": "ada/whole"}).OK(t)
		part := ada.Post("/api/profile-pack/submit", m{"artifact_id": draft.Str("data.artifact_id"), "pack_id": "ada/part", "submit_options": m{"selected_sections": []string{"personas"}}}).OK(t)
		if got := fmt.Sprint(whole.At("data.capability_summary.declared")); got != "[environment.reconfigure file.read file.write provider.access]" {
			t.Errorf("the whole declares %s", got)
		}
		if got := fmt.Sprint(part.At("data.capability_summary.declared")); got != "[file.read file.write]" || part.Int("data.capability_summary.high_risk_count") != 1 {
			t.Errorf("the part declares %s", got)
		}
		if fmt.Sprint(part.At("data.scan_summary.levels")) != "[L1]" || part.Str("data.risk_level") != "low" || whole.Str("data.risk_level") != "high" {
			t.Errorf("part %s, whole %s", part.Str("data.risk_level"), whole.Str("data.risk_level"))
		}
		for _, r := range []*apitest.Reply{whole, part} {
			if r.Str("data.scan_summary.compatibility") != r.Str("data.compatibility") || !slices.Contains(texts(r.At("data.review_labels")), "compatibility_review_needed") {
				t.Errorf("%s", r.Body)
			}
		}
		// A pack that fits as it stands says so in both places, and has lists where there is nothing.
		zip := ada.Get("/api/member/profile-pack/submissions/export/download", "submission_id", part.Str("data.submission_id")).OK(t)
		again := ada.Post("/api/member/profile-pack/imports", m{"filename": "part.zip", "content_base64": apitest.Base64(zip.Body)}).OK(t)
		if again.Str("data.compatibility") != "compatible" || again.Str("data.scan_summary.compatibility") != "compatible" || again.Len("data.compatibility_issue_details") != 0 || again.At("data.compatibility_issue_details") == nil {
			t.Errorf("%s", again.Body)
		}
	})
}

// A failed upload keeps the names that stood before its bytes, in its job, its task and the answer.
func TestFailedUploadsKeepTheirNames(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		body := func(first, second, bytes string) []byte {
			return []byte("{" + first + "," + second + `:"` + bytes + `"}`)
		}
		for _, tc := range []struct {
			path, names, member, bytes, id, filename string
			status                                   int
		}{
			{"/api/templates/submit", `"template_id":"t","version":"2.0.0","package_name":"big.zip"`, `"package_base64"`, "!!not base64!!", "t", "big.zip", 400},
			{"/api/templates/submit", `"template_id":"t","package_name":"bigger.zip"`, `"package_base64"`, strings.Repeat("QUJD", 7<<20+1), "t", "bigger.zip", 413},
			{"/api/member/profile-pack/imports", `"filename":"setup.zip"`, `"content_base64"`, "!!", "", "setup.zip", 400},
		} {
			r := ada.Do("POST", tc.path, body(tc.names, tc.member, tc.bytes))
			if r.Status != tc.status || r.Str("data.transfer_job.template_id") != tc.id || r.Str("data.transfer_job.filename") != tc.filename || r.Str("data.transfer_job.status") != "failed" {
				t.Errorf("%s: %d %s", tc.path, r.Status, r.Body)
			}
			if tc.id != "" && r.Str("data.template_id") != tc.id {
				t.Errorf("%s: data.template_id is %q", tc.path, r.Str("data.template_id"))
			}
			if task := ada.Get("/api/member/tasks", "limit", "1").OK(t); !strings.HasSuffix(task.Str("data.tasks.0.message"), ": "+either2(tc.id, tc.filename)) {
				t.Errorf("the task says %q", task.Str("data.tasks.0.message"))
			}
		}
	})
}

func either2(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Tasks have the names that clients of the contract know, and an install answers what the reviewer said.
func TestNamesOfTasksAndNoteOfReview(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		sub := submitPlain(t, ada, "ada/letters", "1.0.0", nil).Str("data.submission_id")
		submitBundle(t, ada, "ada/zipped", nil)
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft})
		if _, err := s.App.Approve(t.Context(), sub, "welcome", false); err != nil {
			t.Fatal(err)
		}
		for _, options := range []m{{"preflight": true}, nil} {
			if r := ada.Post("/api/templates/install", m{"template_id": "ada/letters", "install_options": options}).OK(t); r.Str("data.review_note") != "welcome" {
				t.Errorf("%v: the note is %q", options, r.Str("data.review_note"))
			}
		}
		second := submitPlain(t, ada, "ada/letters", "1.1.0", nil).Str("data.submission_id")
		if _, err := s.App.Approve(t.Context(), second, "even better", false); err != nil {
			t.Fatal(err)
		}
		if r := ada.Post("/api/templates/install", m{"template_id": "ada/letters"}).OK(t); r.Str("data.version") != "1.0.0" || r.Str("data.review_note") != "welcome" {
			t.Errorf("the version that is installed: %s", r.Body)
		}
		if r := ada.Post("/api/templates/install", m{"template_id": "ada/letters", "install_options": m{"force_reinstall": true}}).OK(t); r.Str("data.review_note") != "even better" {
			t.Errorf("%s", r.Body)
		}
		names := map[string]string{}
		r := ada.Get("/api/member/tasks").OK(t)
		for i, action := range r.All("data.tasks", "action") {
			names[action] = r.All("data.tasks", "name")[i]
		}
		for action, want := range map[string]string{
			"submission.created": "submit_template", "submission.package_uploaded": "submit_template", "profile_pack.submission_created": "profile_pack_submit",
			"profile_pack.imported": "profile_pack_imported", "template.installed": "install",
		} {
			if names[action] != want {
				t.Errorf("%s is called %q, want %q", action, names[action], want)
			}
		}
	})
}

// What an earlier scanner judged is judged again: its verdict changes where it must, with a line in the audit log, what people
// added stays, and `stoa doctor` says how far that is.
func TestStoredItemsAreJudgedAgain(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		high := submitBundle(t, ada, "ada/rights", m{"provider_settings": m{}}).Str("data.submission_id")
		s.Approve(t, high)
		plain := submitBundle(t, ada, "ada/plain", nil).Str("data.submission_id")
		s.Approve(t, plain)
		pending := submitBundle(t, ada, "ada/pending", m{"agent": m{}}).Str("data.submission_id")
		draft := s.Draft(t, "ada", "cmd_config.json", apitest.Setup(t, "gardener"))
		s.Approve(t, s.SubmitPack(t, "ada", submit.PackInput{ArtifactID: draft, PackID: "ada/pack"}))
		progress := func() string {
			findings, err := s.App.Examine(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				if f.Check == "scans" {
					return f.Detail
				}
			}
			return ""
		}
		if n, err := s.App.RescanStored(t.Context()); n != 0 || err != nil || strings.Contains(progress(), "does the other") {
			t.Fatalf("%d %v %s", n, err, progress())
		}
		for _, id := range []string{"ada/rights", "ada/plain"} {
			s.As(t, "bob").Post("/api/templates/install", m{"template_id": id}).OK(t)
		}
		s.AgeScans(t)
		s.Clock.Advance(time.Hour)
		if got := progress(); !strings.Contains(got, "does the other") || !strings.Contains(got, "0 of 1 pending") {
			t.Errorf("before: %s", got)
		}
		if r := s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/rights").OK(t); r.Str("data.risk_level") != "low" {
			t.Fatalf("the verdict was to be an old one: %s", r.Body)
		}
		if _, err := s.App.RescanStored(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := progress(); strings.Contains(got, "does the other") || !strings.Contains(got, scan.Version()) || !strings.Contains(got, "changed verdicts wait for you") {
			t.Errorf("after: %s", got)
		}
		// What changed is listed first, and shown when whoever runs the server says so.
		if r := s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/rights").OK(t); r.Str("data.risk_level") != "low" {
			t.Errorf("a changed verdict is shown before it was published: %s", r.Body)
		}
		if n := s.Count(t, "notification WHERE kind = 'verdict_changed'"); n != 0 {
			t.Errorf("%d were told of a verdict that is not published", n)
		}
		waiting := func() map[string]review.VerdictChange {
			list, err := s.App.ListVerdictChanges(t.Context(), 0, "")
			if err != nil || list.Waiting != len(list.Changes) || list.Judged != list.Versions {
				t.Fatalf("%+v: %v", list, err)
			}
			all := map[string]review.VerdictChange{}
			for _, c := range list.Changes {
				all[c.ItemID] = c
			}
			return all
		}
		changed := waiting()
		if c := changed["ada/rights"]; c.RiskBefore != "low" || c.Risk != "high" || !slices.Contains(c.LabelsAdded, "provider_override") || !slices.Contains(c.LabelsRemoved, "risk_low") {
			t.Errorf("%+v", changed)
		}
		if _, listed := changed["ada/plain"]; listed {
			t.Error("a verdict that did not change is listed")
		}
		if n, err := s.App.DecideVerdicts(t.Context(), "ada/pack", false); n != 1 || err != nil {
			t.Errorf("dismissed %d: %v", n, err)
		}
		if n, err := s.App.DecideVerdicts(t.Context(), "ada/rights", true); n != 1 || err != nil {
			t.Errorf("published %d: %v", n, err)
		}
		if _, err := s.App.DecideVerdicts(t.Context(), "ada/rights", true); errs.CodeOf(err) != errs.NotFound {
			t.Errorf("published twice: %v", err)
		}
		if _, err := s.App.DecideVerdicts(t.Context(), "", true); err != nil || len(waiting()) != 0 {
			t.Errorf("left: %v (%v)", waiting(), err)
		}
		r := s.Nobody(t).Get("/api/templates/detail", "template_id", "ada/rights").OK(t)
		if r.Str("data.risk_level") != "high" || fmt.Sprint(r.At("data.scan_summary.levels")) != "[L3]" || r.Str("data.versions.0.risk_level") != "high" ||
			!slices.Equal(texts(r.At("data.review_labels")), []string{"provider_override", "risk_high", "manual_reviewed"}) {
			t.Errorf("%s", r.Body)
		}
		if got := s.Nobody(t).Get("/api/templates", "risk_level", "high").OK(t).All("data.templates", "template_id"); !slices.Contains(got, "ada/rights") {
			t.Errorf("risk_level=high: %v", got)
		}
		if r := ada.Get("/api/member/submissions/detail", "submission_id", pending).OK(t); r.Str("data.risk_level") != "medium" || !slices.Contains(texts(r.At("data.review_labels")), "agent_orchestration") {
			t.Errorf("%s", r.Body)
		}
		if r := ada.Post("/api/templates/install", m{"template_id": "ada/rights"}).OK(t); r.Str("data.risk_level") != "high" {
			t.Errorf("an install says %s", r.Str("data.risk_level"))
		}
		if n := s.Count(t, "audit_event WHERE action = 'item.rescanned' AND item_id = 'ada/rights' AND detail LIKE '%provider_override%'"); n != 1 {
			t.Errorf("%d lines in the audit log", n)
		}
		if n := s.Count(t, "audit_event WHERE action = 'item.rescanned' AND item_id = 'ada/plain'"); n != 0 {
			t.Errorf("a verdict that did not change has %d lines", n)
		}
		// Whoever has it installed is told, with what changed and the way back; nobody else, and of nothing else.
		told := s.As(t, "bob").Get("/api/notifications").OK(t)
		want(t, told, m{"data.count": 1, "data.events.0.kind": "verdict_changed", "data.events.0.target": "ada/rights"})
		if text := told.Str("data.events.0.message"); !strings.Contains(text, "its risk was low and is high") || !strings.Contains(text, "stoa apply --remove ada/rights") {
			t.Error(text)
		}
		list := s.As(t, "bob").Get("/api/member/installations").OK(t)
		for i, id := range list.All("data.installations", "template_id") {
			notice, before, risk := list.All("data.installations", "notice")[i], list.All("data.installations", "risk_before")[i], list.All("data.installations", "risk_level")[i]
			if judged := id == "ada/rights"; judged != (notice == "judged_again") || judged != (before == "low") || judged != (risk == "high") {
				t.Errorf("%s: %q %q %q", id, notice, before, risk)
			}
		}
		if n := s.Count(t, "notification WHERE kind = 'verdict_changed'"); n != 1 {
			t.Errorf("%d were told", n)
		}
		if n := s.Count(t, "audit_event WHERE action = 'submission.rescanned'"); n != 1 {
			t.Errorf("%d lines of submissions", n)
		}
		if n, err := s.App.RescanStored(t.Context()); n != 0 || err != nil {
			t.Errorf("again: %d %v", n, err)
		}
	})
}
