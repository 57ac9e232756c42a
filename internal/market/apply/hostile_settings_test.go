package apply

import (
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/pack"
)

// A pack that wants to reach what no pack may change, or to bring or blank a credential, says that under other names, in lists, and by
// names that a program takes for something else. None of it is brought, all of it is said, and what stands beside it stays.
func TestSettingsThatReachFurther(t *testing.T) {
	m := func(key string, v any) map[string]any { return map[string]any{key: v} }
	for _, c := range []struct {
		section string
		content map[string]any
	}{
		{pack.SectionCore, m("dashboard.username", "evil")},
		{pack.SectionCore, m("dashboard.port", 1)},
		{pack.SectionCore, m("provider_settings.x", 1)},
		{pack.SectionCore, m("", 1)},
		{pack.SectionCore, m("__proto__", m("polluted", true))},
		{pack.SectionCore, m("a", m("__proto__", m("polluted", true)))},
		{pack.SectionCore, m("a", m("constructor", 1))},
		{pack.SectionCore, m("a", m("apiKey", "k"))},
		{pack.SectionCore, m("a", m("accessToken", "k"))},
		{pack.SectionCore, m("a", m("access-token", "k"))},
		{pack.SectionCore, m("a", m("clientSecret", "k"))},
		{pack.SectionCore, m("a", m("userPassword", "k"))},
		{pack.SectionCore, m("a", m("apikey", "k"))},
		{pack.SectionCore, m("a", m("API KEY", "k"))},
		{pack.SectionCore, m("a", m("api_tokens", []any{"k"}))},
		{pack.SectionCore, m("a", []any{m("name", "x"), map[string]any{"name": "y", "api_key": "k"}})},
		{pack.SectionCore, m("a", []any{[]any{m("b", m("token", "k"))}})},
		{pack.SectionPersonas, m("runtime", m("websearch_tavily_key", "k"))},
		{pack.SectionPersonas, m("runtime", m("a.b", 1))},
		{pack.SectionPersonas, m("runtime", m("list", []any{m("password", "p")}))},
		{pack.SectionPersonas, m("runtime", m("a", m("secret", "p")))},
		{pack.SectionPersonas, m("runtime", m("__proto__", 1))},
		{pack.SectionSkills, m("../evil", m("text", "x"))},
		{pack.SectionSkills, m("..", m("text", "x"))},
		{pack.SectionSkills, m("a/b", m("text", "x"))},
		{pack.SectionSkills, m("a\\b", m("text", "x"))},
	} {
		objects, left, err := Sections(map[string]any{c.section: c.content}, Wants{Providers: true, Config: true})
		if err != nil || len(objects) > 0 || len(left) != 1 {
			t.Errorf("%v brings %v, leaves %v, %v", c.content, objects, left, err)
		}
	}
	// What only sounds alike is brought.
	objects, left, err := Sections(map[string]any{pack.SectionCore: map[string]any{"max_tokens": 1, "keyboard": "q", "tokenizer": "x", "monkey": "m", "wake_prefix": []any{"/"}, "hotkeys": m("a", []any{m("b", 1)})}}, Wants{Config: true})
	var ids []string
	for _, o := range objects {
		ids = append(ids, o.ID)
	}
	if slices.Sort(ids); strings.Join(ids, " ") != "hotkeys.a keyboard max_tokens monkey tokenizer wake_prefix" || len(left) > 0 || err != nil {
		t.Errorf("%v, %v, %v", ids, left, err)
	}
}
