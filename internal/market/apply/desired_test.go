package apply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/market/redact/detect"
)

// Each thing of a pack comes into the bot as the bot writes it, or is told as left out with the reason.
func TestSectionsComeInOrAreTold(t *testing.T) {
	m := func(pairs ...any) map[string]any {
		out := map[string]any{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(string)] = pairs[i+1]
		}
		return out
	}
	all := Wants{Providers: true, Config: true}
	for name, c := range map[string]struct {
		section string
		content any
		wants   Wants
		brings  []string // kind id value
		leaves  map[string]string
	}{
		"a persona": {"personas", m("entries", m(" Ada ", m("system_prompt", " Be kind. ", "tools", []any{"x"}, "custom_error_message", " Sorry. ", "mood", "calm"))), Wants{}, []string{
			`persona Ada {"begin_dialogs":[],"custom_error_message":"Sorry.","skills":null,"system_prompt":"Be kind.","tools":["x"]}`,
		}, map[string]string{`personas.entries[" Ada "].mood`: "no field"}},
		"personas that are none": {"personas", m("entries", m("a", "x", "b", m("system_prompt", " "), "c", m("system_prompt", "c", "begin_dialogs", []any{"one"}, "skills", []any{1}))), Wants{}, []string{
			`persona c {"begin_dialogs":[],"custom_error_message":null,"skills":null,"system_prompt":"c","tools":null}`,
		}, map[string]string{"personas.entries.a": "no persona", "personas.entries.b": "a system prompt", "personas.entries.c.begin_dialogs": "an even number", "personas.entries.c.skills": "a list of texts"}},
		"settings of personas":          {"personas", m("runtime", m("default_personality", "Ada")), all, []string{`config provider_settings.default_personality "Ada"`}, nil},
		"settings of personas unwanted": {"personas", m("runtime", m("default_personality", "Ada")), Wants{Providers: true}, nil, map[string]string{"personas.runtime.default_personality": "unless asked for"}},
		"skills": {"skills", m("water", m("text", "# Water", "files", []any{"a.py"}), "bad name", m("text", "x"), "..", m("text", "x"), "empty", m("text", " "), "long", m("text", strings.Repeat("x", maxSkillText+1)), "longest", m("text", strings.Repeat("x", maxSkillText))), Wants{}, []string{
			`skill longest {"text":"` + strings.Repeat("x", maxSkillText) + `"}`, `skill water {"text":"# Water"}`,
		}, map[string]string{"skills.water.files": "other files", `skills["bad name"]`: "letters, digits", `skills[".."]`: "letters, digits", "skills.empty": "SKILL.md", "skills.long": "SKILL.md"}},
		"servers": {"mcp_servers", m("weather", m("command", "uvx", "args", []any{"w"}, "enabled", true, "errlogs", []any{}), "bare", "x", "mine", m("env", m("KEY", detect.Masked))), Wants{}, []string{
			`mcp_server weather {"active":true,"args":["w"],"command":"uvx"}`,
		}, map[string]string{"mcp_servers.bare": "no MCP server", "mcp_servers.mine": "only you have"}},
		"providers": {"providers", m("gpt", m("type", "openai", "key", []any{detect.Masked}, "model", "m"), "local", m("type", "ollama", "enable", nil), "x", 1), all, []string{
			`provider gpt {"enable":false,"id":"gpt","key":[],"model":"m","type":"openai"}`, `provider local {"enable":true,"id":"local","type":"ollama"}`,
		}, map[string]string{"providers.gpt": "switched off", "providers.x": "no provider"}},
		"providers unwanted": {"providers", m("gpt", m("type", "openai")), Wants{Config: true}, nil, map[string]string{"providers.gpt": "unless asked for"}},
		"settings": {"astrbot_core", m("wake_prefix", []any{"/"}, "dashboard", m("port", 1), "platform_settings", m("a", m("b", 2, "api_key", "k", "x.y", 1), "empty", m())), all, []string{
			`config platform_settings.a.b 2`, `config platform_settings.empty {}`, `config wake_prefix ["/"]`,
		}, map[string]string{"astrbot_core.dashboard": "No pack may", "astrbot_core.platform_settings.a.api_key": "Secrets are yours", `astrbot_core.platform_settings.a["x.y"]`: "cannot be addressed"}},
		"settings unwanted": {"astrbot_core", m("wake_prefix", []any{"/"}), Wants{Providers: true}, nil, map[string]string{"astrbot_core.wake_prefix": "unless asked for"}},
		"another section":   {"knowledge_base", m("a", 1), all, nil, map[string]string{"knowledge_base": "from outside"}},
	} {
		objects, left, err := Sections(map[string]any{c.section: c.content}, c.wants)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var brings []string
		for _, o := range objects {
			brings = append(brings, string(o.Kind)+" "+o.ID+" "+string(o.Value))
		}
		if diff := cmp.Diff(c.brings, brings); diff != "" {
			t.Errorf("%s brings (-want +got)\n%.2000s", name, diff)
		}
		for _, l := range left {
			reason, expected := c.leaves[l.Path]
			if !expected || !strings.Contains(l.Reason, reason) {
				t.Errorf("%s leaves %s: %s", name, l.Path, l.Reason)
			}
			delete(c.leaves, l.Path)
		}
		for path := range c.leaves {
			t.Errorf("%s does not say that %s is left out", name, path)
		}
	}
}

// A journal is one bot's and one process's at a time; what is damaged or another's is refused and stays as it is.
func TestJournalFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bots")
	j, err := OpenFile(dir, "http://bot")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFile(dir, "http://bot"); !errors.Is(err, ErrBusy) {
		t.Errorf("a second process: %v", err)
	}
	if other, err := OpenFile(dir, "http://other"); err != nil {
		t.Errorf("another bot: %v", err)
	} else if err := other.Close(); err != nil {
		t.Error(err)
	}
	if s, err := j.Load(); err != nil || s.Target != "http://bot" || len(s.Log) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	want := State{Target: "http://bot", Holds: []Hold{{Item: "ada/garden", Pin: true}}}
	if err := j.Save(want); err != nil {
		t.Fatal(err)
	}
	if got, err := j.Load(); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	for _, file := range []string{j.path, j.path + ".lock"} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	for _, text := range []string{`{"target":"http://bot"`, `{"target":"http://other"}`} {
		if err := os.WriteFile(j.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Load(); err == nil {
			t.Errorf("%s is taken", text)
		}
		if left, _ := os.ReadFile(j.path); string(left) != text {
			t.Errorf("it became %s", left)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if again, err := OpenFile(dir, "http://bot"); err != nil {
		t.Errorf("after it was closed: %v", err)
	} else {
		_ = again.Close()
	}
}
