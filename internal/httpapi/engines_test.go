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

// play runs the session and writes down every answer, without what differs from run to run.
func play(t *testing.T, e apitest.Engine) (lines []string) {
	t.Helper()
	s := apitest.Start(t, e, apitest.Options{SignupOpen: true})
	s.Market(t)
	clients := map[string]*apitest.Client{"": s.Nobody(t), "ada": s.As(t, "ada"), "bob": s.As(t, "bob"), "cyn": s.As(t, "cyn")}
	n := &names{seen: map[string]string{}}
	for i, step := range session() {
		s.Clock.Advance(step.wait)
		c := clients[step.user].With("X-Request-Id", fmt.Sprintf("step-%d", i)).With("User-Agent", "player")
		var r *apitest.Reply
		if step.method == "GET" {
			r = c.Do("GET", step.target, nil)
		} else {
			r = c.Post(step.target, step.body)
		}
		body := string(r.Body)
		if r.Header.Get("Content-Type") == "application/zip" {
			body = r.Header.Get("ETag")
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %v → %d %s", step.user, step.method, step.target, step.body, r.Status, n.normal(body)))
	}
	return lines
}

// names gives every id that is made anew a number, in the order of their first appearance.
type names struct{ seen map[string]string }

var (
	madeAnew = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|"token":"[^"]*"`)
	measured = regexp.MustCompile(`"(durationMs|averageDurationMs|p95DurationMs)":[0-9.e-]+|"startedAt":"[^"]*"|"responseContentLength":\d+`)
)

func (n *names) normal(body string) string {
	body = measured.ReplaceAllString(body, `"measured":0`)
	return madeAnew.ReplaceAllStringFunc(body, func(id string) string {
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
			t.Errorf("%s: %s\n%s: %s", engines[0].Name, want[i], engines[1].Name, got[i])
		}
	}
}
