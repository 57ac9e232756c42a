package httpapi_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
)

// step is one call of the session that is played on each engine.
type step struct {
	user, method, target string
	body                 m
	wait                 time.Duration
	keep                 string // under which the id that is answered can be named later, as {keep}
}

// session touches every operation, and the searches and orders where engines could differ.
func session() (steps []step) {
	get := func(user, target string) { steps = append(steps, step{user: user, method: "GET", target: target}) }
	post := func(user, path string, body m) {
		steps = append(steps, step{user: user, method: "POST", target: path, body: body, wait: time.Second})
	}
	for _, query := range []string{
		"", "helper", "Helper 1", "HELPER", "help", "rehears", "古诗", "翻译", "译", "俳句", "の", "ｈｅｌｐｅｒ", "official", "a", "re-hearsal", "task number", "helper -07", "\"helper 07\"", "helper*", "Ines", "alpha beta",
		"naïve", "naive", "日本", "don't", "0", "line-03 line-04", "übersetzer", strings.Repeat("x ", 100),
	} {
		get("", "/api/templates"+apitest.Query("query", query, "facets", "1", "limit", "5"))
		get("", "/api/templates"+apitest.Query("query", query, "sort_by", "newest", "limit", "5"))
		get("ada", "/api/profile-pack/catalog"+apitest.Query("pack_query", query))
	}
	for _, id := range []string{translator, "line-03", "zh-only", "ja-only", "official/Careful-translator", "é", "\u200b", "'"} {
		get("", "/api/templates/detail"+apitest.Query("template_id", id, "locale", "zh"))
		post("ada", "/api/trial", m{"template_id": id, "session_id": "s"})
		post("bob", "/api/templates/install", m{"template_id": id, "install_options": m{"selected_sections": []string{"b", "a"}}})
		post("ada", "/api/templates/install", m{"template_id": id, "install_options": m{"preflight": true}})
		post("ada", "/api/templates/prompt", m{"template_id": id, "locale": "ja"})
		post("ada", "/api/templates/package", m{"template_id": id})
		get("ada", "/api/templates/package/download"+apitest.Query("template_id", id))
		get("ada", "/api/trial/status"+apitest.Query("template_id", id))
	}
	post("ada", "/api/preferences/mode", m{"mode": "inline_execution"})
	post("ada", "/api/preferences/observe", m{"enabled": true})
	post("ada", "/api/templates/install", m{"template_id": starter, "session_id": strings.Repeat("é", 128)})
	post("bob", "/api/member/installations/uninstall", m{"template_id": "line-03"})
	post("bob", "/api/member/installations/uninstall", m{"template_id": "line-03"})
	for _, user := range []string{"ada", "bob", "cyn", ""} {
		for _, path := range []string{"/api/preferences", "/api/member/installations", "/api/member/tasks", "/api/notifications", "/api/ui/capabilities", "/api/member/tasks?limit=2", "/api/member/installations?limit=1"} {
			get(user, path)
		}
		post(user, "/api/member/tasks/refresh", m{"limit": 3})
		post(user, "/api/member/installations/refresh", m{"limit": 1})
		get(user, "/api/runtime-request-trace?method=POST&limit=200")
		get(user, "/api/runtime-request-trace?pathPrefix=/api/%E2%82%AC&statusAtLeast=400")
	}
	get("", "/api/auth-info")
	get("", "/api/health")
	get("", "/api/profile-pack/catalog/insights")
	get("", "/api/profile-pack/catalog/detail?pack_id=pack/tools")
	post("", "/api/login", m{"user_id": "ada", "password": apitest.Password})
	post("", "/api/login", m{"user_id": "ada", "password": "x"})
	post("", "/api/signup", m{"user_id": "ada", "password": apitest.Password})
	post("", "/api/signup", m{"user_id": "Ada", "password": apitest.Password})
	post("cyn", "/api/logout", m{})
	return steps
}

// publishing is the part of the session that brings things in: what one answer gives the next step names.
func publishing(t *testing.T) (steps []step) {
	t.Helper()
	post := func(user, path, keep string, body m) {
		steps = append(steps, step{user: user, method: "POST", target: path, body: body, wait: time.Second, keep: keep})
	}
	get := func(user, target string) { steps = append(steps, step{user: user, method: "GET", target: target}) }
	setup := apitest.Base64(apitest.Setup(t, "gardener"))
	for range 2 { // the second time all are replays
		post("ada", "/api/member/profile-pack/imports", "draft", m{"filename": "cmd_config.json", "content_base64": setup, "idempotency_key": "import"})
		post("ada", "/api/profile-pack/submit", "pack", m{"artifact_id": "{draft}", "pack_id": "ada/garden-100", "title": "花園", "submit_options": m{"idempotency_key": "pack"}})
		post("ada", "/api/templates/submit", "template", m{
			"template_id": "ada/letters", "package_name": "a b.zip", "package_base64": apitest.Base64(apitest.TemplatePackage(t, "ada/letters", "1.0.0", "You write.", nil)), "upload_options": m{"idempotency_key": "template"},
		})
	}
	post("ada", "/api/templates/submit", "", m{"template_id": "ada/letters", "prompt": "x", "upload_options": m{"idempotency_key": "pack"}})
	post("ada", "/api/profile-pack/preview", "", m{"artifact_id": "{draft}", "submit_options": m{"redaction_mode": "exclude_provider", "selected_sections": []string{"personas"}}})
	post("ada", "/api/profile-pack/preview", "", m{"artifact_id": "{draft}", "submit_options": m{"selected_sections": []string{"no_such"}}})
	post("bob", "/api/profile-pack/submit", "", m{"artifact_id": "{draft}"})
	post("ada", "/api/templates/submit", "plain", m{"template_id": "ada/letters", "version": "1.1.0", "prompt": "You write more.", "upload_options": m{"replace_existing": true}})
	post("bob", "/api/templates/submit", "", m{"template_id": translator, "prompt": "Mine now."})
	post("ada", "/api/templates/submit", "", m{"template_id": "ada/x", "package_name": "p.zip", "package_base64": "AAAA"})
	for _, user := range []string{"ada", "bob"} {
		for _, id := range []string{"{template}", "{plain}", "{pack}", "x"} {
			get(user, "/api/member/submissions/detail?submission_id="+id)
			get(user, "/api/member/profile-pack/submissions/detail?submission_id="+id)
			get(user, "/api/member/submissions/package/download?submission_id="+id)
			get(user, "/api/member/profile-pack/submissions/export/download?submission_id="+id)
		}
		get(user, "/api/member/profile-pack/imports/{draft}")
		get(user, "/api/profile-pack/catalog/compare?base_artifact_id={draft}&pack_id="+starter)
		for _, list := range []string{
			"/api/member/submissions", "/api/member/submissions?template_query=LETT", "/api/member/submissions?status=replaced", "/api/member/submissions?limit=1", "/api/member/submissions?review_label=ownership_conflict",
			"/api/member/profile-pack/submissions?pack_query=GARDEN", "/api/member/profile-pack/submissions?pack_query=_100%25", "/api/member/profile-pack/submissions?pack_type=bot_profile_pack",
			"/api/member/profile-pack/imports", "/api/member/transfers", "/api/member/transfers?status=failed", "/api/member/transfers?direction=download&limit=2", "/api/member/tasks", "/api/notifications",
		} {
			get(user, list)
		}
	}
	steps = append(steps, step{user: "ada", method: "DELETE", target: "/api/member/profile-pack/imports/{draft}"})
	for _, id := range []string{"{pack}", "{pack}", "{plain}", "{template}"} {
		post("ada", "/api/member/profile-pack/submissions/withdraw", "", m{"submission_id": id})
		post("ada", "/api/member/submissions/withdraw", "", m{"submission_id": id})
	}
	steps = append(steps, step{user: "ada", method: "DELETE", target: "/api/member/profile-pack/imports/{draft}"})
	get("ada", "/api/profile-pack/catalog/compare?pack_id="+starter)
	get("", "/api/profile-pack/package/download?pack_id="+starter)
	get("bob", "/api/profile-pack/package/download?pack_id="+starter)
	return steps
}

// named puts the ids that were kept into a text.
func named(kept map[string]string, text string) string {
	for name, id := range kept {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

// play runs the session and writes down every answer, without what differs from run to run.
func play(t *testing.T, e apitest.Engine) (lines []string) {
	t.Helper()
	s := apitest.Start(t, e, apitest.Options{SignupOpen: true})
	s.Market(t)
	clients := map[string]*apitest.Client{"": s.Nobody(t), "ada": s.As(t, "ada"), "bob": s.As(t, "bob"), "cyn": s.As(t, "cyn")}
	n := &names{seen: map[string]string{}}
	kept := map[string]string{}
	for i, step := range append(publishing(t), session()...) {
		s.Clock.Advance(step.wait)
		c := clients[step.user].With("X-Request-Id", fmt.Sprintf("step-%d", i)).With("User-Agent", "player")
		var r *apitest.Reply
		if target := named(kept, step.target); step.method == "POST" {
			r = c.Do("POST", target, []byte(named(kept, string(mustJSON(step.body)))))
		} else {
			r = c.Do(step.method, target, nil)
		}
		if step.keep != "" {
			if kept[step.keep] = either(r, "data.submission_id", "data.import_id"); kept[step.keep] == "" {
				t.Fatalf("%s: %d %.500s", step.target, r.Status, r.Body)
			}
		}
		body := string(r.Body)
		if r.Header.Get("Content-Type") == "application/zip" {
			body = r.Header.Get("ETag")
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %v → %d %s", step.user, step.method, step.target, step.body, r.Status, n.normal(body)))
	}
	return lines
}

// names gives every generated id a number, in the order of their first appearance.
type names struct{ seen map[string]string }

var (
	generated = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|"token":"[^"]*"`)
	measured  = regexp.MustCompile(`"(durationMs|averageDurationMs|p95DurationMs)":[0-9.e-]+|"(startedAt|finishedAt|lastErrorAt)":"[^"]*"|"responseContentLength":\d+`)
)

func (n *names) normal(body string) string {
	body = measured.ReplaceAllString(body, `"measured":0`)
	return generated.ReplaceAllStringFunc(body, func(id string) string {
		if n.seen[id] == "" {
			n.seen[id] = fmt.Sprintf("#%d", len(n.seen)+1)
		}
		return n.seen[id]
	})
}

func TestBothEnginesAnswerAlike(t *testing.T) {
	engines := apitest.Engines(t)
	if len(engines) < 2 {
		t.Skip("STOA_TEST_POSTGRES is not set: there is nothing to compare SQLite with")
	}
	want, got := play(t, engines[0]), play(t, engines[1])
	for i := range want {
		if want[i] != got[i] {
			at := 0
			for at < min(len(want[i]), len(got[i])) && want[i][at] == got[i][at] {
				at++
			}
			from := max(0, at-200)
			t.Errorf("%.200s\n%s: …%.600s\n%s: …%.600s", want[i], engines[0].Name, want[i][from:], engines[1].Name, got[i][from:])
		}
	}
}
