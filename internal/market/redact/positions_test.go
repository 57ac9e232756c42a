package redact

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/market/redact/detect"
)

// plainSecrets are what people use for keys although no rule could know them.
var plainSecrets = []string{"k", "abc", "hunter2", "sunshine", "Summer2024", "my-proxy-pass", "correct-horse", "letmein!", "xyzzy", "0451", "püree", "花园"}

// providerOf is a provider as configurations hold it, with one field that holds a secret.
func providerOf(field string, value any) map[string]any {
	return map[string]any{
		"id": "groq", "type": "groq_chat_completion", "enable": true, "model": "llama-3.3-70b-versatile", "api_base": "https://api.groq.com/openai/v1", "timeout": json.Number("120"),
		"model_config": map[string]any{"model": "gpt-5", "temperature": json.Number("0.7"), "max_tokens": json.Number("4096"), "top_p": json.Number("0.9")},
		"modalities":   []any{"text", "image"}, "name": "Groq, fast", "voice": "alloy", "region": "eu-west-1", field: value,
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Everything in a credential position is taken, however short or plain, in every shape, section and mode; the fields of the
// allowlist stay.
func TestCredentialPositions(t *testing.T) {
	t.Parallel()
	e := New()
	shapes := map[string]func(v string) any{
		"text": func(v string) any { return v },
		"list": func(v string) any { return []any{v, v + "2"} },
		"map":  func(v string) any { return map[string]any{"inner": v} },
		"deep": func(v string) any { return map[string]any{"a": []any{map[string]any{"b": []any{v}}}} },
		"json": func(v string) any { return asJSON(map[string]any{"inner": v}) },
		"yaml": func(v string) any { return "inner: " + v + "\nother: " + v + "\n" },
		"base64": func(v string) any {
			return base64.StdEncoding.EncodeToString([]byte(asJSON(map[string]any{"inner": v})))
		},
	}
	fields := []string{"key", "keys", "token", "secret", "auth", "credential", "foo", "extra", "x1", "custom_extra_body", "pw", "appid", "openai", "value"}
	holders := map[string]func(field string, v any) map[string]any{
		"providers map": func(f string, v any) map[string]any {
			return map[string]any{"providers": map[string]any{"b": providerOf(f, v)}}
		},
		"bare provider": func(f string, v any) map[string]any {
			return map[string]any{"providers": map[string]any{"b": map[string]any{"type": "groq", f: v}}}
		},
		"provider_sources": func(f string, v any) map[string]any {
			return map[string]any{"astrbot_core": map[string]any{"provider_sources": []any{providerOf(f, v)}}}
		},
		"platform": func(f string, v any) map[string]any {
			return map[string]any{"astrbot_core": map[string]any{"platform": []any{map[string]any{"id": "tg", "type": "telegram", f: v}}}}
		},
		"mcp env": func(f string, v any) map[string]any {
			return map[string]any{"mcp_servers": map[string]any{"git": map[string]any{"command": "uvx", "env": map[string]any{f: v}}}}
		},
		"mcp headers": func(f string, v any) map[string]any {
			return map[string]any{"mcp_servers": map[string]any{"git": map[string]any{"url": "https://mcp.example.com/sse", "headers": map[string]any{"X-" + f: v}}}}
		},
		"embedding": func(f string, v any) map[string]any {
			return map[string]any{"environment_manifest": map[string]any{"embedding_provider": map[string]any{"type": "openai", f: v}}}
		},
		"tts": func(f string, v any) map[string]any {
			return map[string]any{"astrbot_core": map[string]any{"tts": map[string]any{"enable": true, f: v}}}
		},
		"nested": func(f string, v any) map[string]any {
			return map[string]any{"plugins": map[string]any{"p": map[string]any{"config": map[string]any{"mcpServers": map[string]any{"s": map[string]any{"command": "x", "env": map[string]any{f: v}}}}}}}
		},
	}
	cases := 0
	for _, mode := range []Mode{ExcludeSecrets, IncludeProviderNoKey, ExcludeProvider} {
		for holder, hold := range holders {
			for _, field := range fields {
				for shape, form := range shapes {
					for n, v := range plainSecrets {
						if mode != ExcludeSecrets && n%4 != 0 {
							continue
						}
						cases++
						result, err := e.Sections(hold(field, form(v)), Options{Mode: mode})
						if err != nil {
							t.Fatal(err)
						}
						if left := leftOf(result.Sections, v); left != "" {
							t.Errorf("%s, %s, %s, %s %q is left: %s", mode, holder, field, shape, v, left)
						}
					}
				}
			}
		}
	}
	t.Logf("%d cases", cases)
	result, err := e.Sections(map[string]any{"providers": map[string]any{"b": providerOf("key", []any{"k"})}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asJSON(result.Sections["providers"]), asJSON(map[string]any{"b": providerOf("key", []any{detect.Masked})}); got != want {
		t.Errorf("an honest field is gone:\n%s\n%s", got, want)
	}
}

// leftOf returns the value that equals v or holds it in an encoding, "" when there is none.
func leftOf(node any, v string) string {
	switch n := node.(type) {
	case map[string]any:
		for _, m := range n {
			if left := leftOf(m, v); left != "" {
				return left
			}
		}
	case []any:
		for _, m := range n {
			if left := leftOf(m, v); left != "" {
				return left
			}
		}
	case string:
		if n == v || n == v+"2" || strings.Contains(n, `"`+v+`"`) || strings.Contains(n, "inner: "+v) || strings.Contains(n, base64.StdEncoding.EncodeToString([]byte(`{"inner":"`))[:12]) {
			return n
		}
	}
	return ""
}

// Settings that stand in a harmless field, encoded or not, are read as settings.
func TestSettingsInsideHarmlessFields(t *testing.T) {
	e := New()
	for _, v := range []string{"k", "hunter2", "sunshine"} {
		inner := fmt.Sprintf(`{"key":"%s","type":"x"}`, v)
		for shape, text := range map[string]string{
			"json": inner, "yaml": "type: x\nkey: " + v + "\n", "base64": base64.StdEncoding.EncodeToString([]byte(inner)), "url": base64.URLEncoding.EncodeToString([]byte(inner)),
			"zlib": zipped(inner), "twice": base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(inner)))),
			"address": "https://api.example.com/v1?foo=" + v, "login": "https://u:" + v + "@api.example.com/v1", "user": "https://" + v + "@api.example.com/v1",
		} {
			result, err := e.Sections(map[string]any{"providers": map[string]any{"b": map[string]any{"type": "x", "api_base": text}}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(result.Masked) == 0 || holds(result.Sections, v+`\"`) || holds(result.Sections, v+"@") || holds(result.Sections, "="+v) {
				t.Errorf("%s of %q is left: %s", shape, v, asJSON(result.Sections))
			}
		}
	}
}

// The arguments of a server keep its package, paths and flags.
func TestArgumentsOfServers(t *testing.T) {
	e := New()
	honest := []any{"-y", "@modelcontextprotocol/server-filesystem@1.2.3", "/srv/files", "--port", "8080", "--host", "127.0.0.1", "run", "mcp-server-git", "./main.py", "https://example.com/mcp", "--token", "${TOKEN}", "-m", "mcp_server_fetch"}
	hold := func(args []any) map[string]any {
		return map[string]any{"mcp_servers": map[string]any{"a": map[string]any{"command": "npx", "args": args}}}
	}
	result, err := e.Sections(hold(honest), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := asJSON(result.Sections); got != asJSON(hold(honest)) {
		t.Errorf("honest arguments: %s", got)
	}
	for _, v := range plainSecrets {
		if strings.Trim(v, detect.Digits) == "" {
			continue // a number may be a port
		}
		for i, args := range [][]any{{"--token", v}, {"--token=" + v}, {"-k", v}, {"srv.py", v}, {"--foo", v}, {"--foo=" + v}, {"-e", "FOO=" + v}, {"-y", "pkg/x", v}, {v}} {
			in := hold(args)
			if i == 8 { // the first argument of npx is a package
				in["mcp_servers"].(map[string]any)["a"].(map[string]any)["command"] = "serve-tools"
			}
			result, err := e.Sections(in, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if holds(result.Sections, v+`"`) {
				t.Errorf("%v: %s", args, asJSON(result.Sections))
			}
		}
	}
}

// The package that a runner runs stays, however short or plain its name is and whatever else is called like it, and nothing of
// the setup is refused for it; a short value in a place of a credential is masked there.
func TestPackagesOfRunners(t *testing.T) {
	t.Parallel()
	e := New()
	rng := rand.New(rand.NewPCG(8, 15))
	letters := "abcdefghijklmnopqrstuvwxyz0123456789"
	for range 3000 {
		name := "w" // and no word that only stands for a value, such as on
		for range rng.IntN(4) {
			name += letters[rng.IntN(36):][:1]
		}
		short := name[:min(1+rng.IntN(3), len(name))]
		args := []any{"-y", name, "--port", "8080"}[rng.IntN(2):]
		command := []string{"npx", "uvx", "/usr/bin/bunx", `C:\\node\\npx.cmd`}[rng.IntN(4)]
		server := map[string]any{"command": command, "args": args, "env": map[string]any{"API_KEY": short}}
		result, err := e.Sections(map[string]any{"mcp_servers": map[string]any{name: server}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		server["env"] = map[string]any{"API_KEY": detect.Masked}
		want := map[string]any{"mcp_servers": map[string]any{name: server}}
		if got := asJSON(result.Sections); got != asJSON(want) {
			t.Fatalf("%s, want %s", got, asJSON(want))
		}
		text := []byte(asJSON(result.Sections["mcp_servers"]))
		if found := e.Verify(text, "sections/mcp_servers.json", result.Known); len(found) > 0 {
			t.Fatalf("%s is refused: %+v", text, found)
		}
	}
	for _, args := range [][]any{{"w"}, {"srv.py", "w"}, {"-y", "pkg/x", "abc"}} { // of somebody else's pack, with any command
		other := map[string]any{"w": map[string]any{"command": "node", "args": args}}
		if found := e.Verify([]byte(asJSON(other)), "sections/mcp_servers.json", nil); len(found) > 0 {
			t.Errorf("%v is refused: %+v", args, found)
		}
	}
	for _, args := range [][]any{{"-y", "w", "hunter2"}, {"--token", "w"}, {"-y", "w", "--token=abc"}, {"-y", strings.Join([]string{"Zq7m2W", "x9Kp4tRv8b"}, "")}} {
		other := map[string]any{"w": map[string]any{"command": "npx", "args": args}}
		if found := e.Verify([]byte(asJSON(other)), "sections/mcp_servers.json", nil); len(found) == 0 {
			t.Errorf("%v is not refused", args)
		}
	}
}
