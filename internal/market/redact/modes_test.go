package redact

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"stoa/internal/market/redact/detect"
	"stoa/internal/platform/errs"
)

func decoded(t testing.TB, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// sample is a pack with providers in all the places they have. KEY1… stand for keys that are made when the test runs.
func sampleSections(t testing.TB) (map[string]any, []string) {
	text := `{
		"providers": {"openai": {"id": "openai", "type": "openai", "base_url": "https://bot:KEY1@api.example.com/v1?key=KEY2", "model": "gpt-5", "key": ["KEY3", "KEY4"],
			"timeout": 120, "max_tokens": 4096, "custom_headers": {"X-Thing": "KEY5"}, "api_key": ""}},
		"environment_manifest": {"provider_sources": [{"id": "a", "api_base": "https://x.example.com", "key": ["KEY6"]}], "platform": [{"id": "qq", "appid": "102030405", "secret": "KEY7"}]},
		"astrbot_core": {"provider_settings": {"default_provider_id": "openai/gpt-5"}, "provider_stt": {"enable": false}, "timezone": "Asia/Shanghai", "pin": 482913, "deep": {"base_url": "https://y.example.com", "model": "m", "apiKey": "KEY8"}},
		"personas": {"a": {"system_prompt": "The key is KEY3, be careful. PIN 482913."}}
	}`
	r := rand.New(rand.NewPCG(1, 2))
	var keys []string
	for i := range 8 {
		key := drawMixed(r, alnum, 24)
		keys = append(keys, key)
		text = strings.ReplaceAll(text, "KEY"+string(rune('1'+i)), key)
	}
	return decoded(t, text), keys
}

func TestModes(t *testing.T) {
	e := New()
	identity, recipient, err := GenerateIdentity()
	if err != nil {
		t.Fatal(err)
	}
	expect := map[Mode]string{
		ExcludeSecrets: `{"astrbot_core":{"deep":{"apiKey":"***","base_url":"https://y.example.com","model":"m"},"pin":"***","provider_settings":{"default_provider_id":"openai/gpt-5"},"provider_stt":{"enable":false},"timezone":"Asia/Shanghai"},` +
			`"environment_manifest":{"platform":[{"appid":"***","id":"qq","secret":"***"}],"provider_sources":[{"api_base":"https://x.example.com","id":"a","key":["***"]}]},` +
			`"personas":{"a":{"system_prompt":"The key is ***, be careful. PIN ***."}},` +
			`"providers":{"openai":{"api_key":"","base_url":"https://***@api.example.com/v1?key=***","custom_headers":{"X-Thing":"***"},"id":"openai","key":["***","***"],"max_tokens":4096,"model":"gpt-5","timeout":120,"type":"openai"}}}`,
		ExcludeProvider: `{"astrbot_core":{"pin":"***","timezone":"Asia/Shanghai"},"environment_manifest":{"platform":[{"appid":"***","id":"qq","secret":"***"}]},"personas":{"a":{"system_prompt":"The key is ***, be careful. PIN ***."}}}`,
		IncludeProviderNoKey: `{"astrbot_core":{"deep":{"base_url":"https://y.example.com","model":"m"},"pin":"***","provider_settings":{"default_provider_id":"openai/gpt-5"},"provider_stt":{"enable":false},"timezone":"Asia/Shanghai"},` +
			`"environment_manifest":{"platform":[{"appid":"***","id":"qq","secret":"***"}],"provider_sources":[{"api_base":"https://x.example.com","id":"a"}]},` +
			`"personas":{"a":{"system_prompt":"The key is ***, be careful. PIN ***."}},` +
			`"providers":{"openai":{"api_key":"","base_url":"https://api.example.com/v1","id":"openai","max_tokens":4096,"model":"gpt-5","timeout":120,"type":"openai"}}}`,
	}
	expect[IncludeEncryptedSecrets] = expect[ExcludeSecrets]
	for mode, want := range expect {
		sections, keys := sampleSections(t)
		o := Options{Mode: mode, Binding: "profile/x"}
		if mode == IncludeEncryptedSecrets {
			o.Recipient = recipient
		}
		result, err := e.Sections(sections, o)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(result.Sections)
		got := strings.TrimSpace(b.String())
		got = strings.ReplaceAll(strings.ReplaceAll(got, detect.Masked, "***"), detect.Sealed, "***")
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", mode, got, want)
		}
		if (mode == IncludeEncryptedSecrets) != (result.Sealed != nil) {
			t.Errorf("%s: sealed %d bytes", mode, len(result.Sealed))
		}
		for _, k := range keys {
			if !slices.Contains(result.Known, k) {
				t.Errorf("%s: %s is not known", mode, k)
			}
		}
		if mode != IncludeEncryptedSecrets {
			continue
		}
		s, err := Unseal(result.Sealed, identity)
		if err != nil || s.Binding != "profile/x" || len(s.Entries) != 12 {
			t.Errorf("%v: %d entries, binding %q", err, len(s.Entries), s.Binding)
		}
		if other, _, _ := GenerateIdentity(); errs.CodeOf(second(Unseal(result.Sealed, other))) != errs.InvalidRequest {
			t.Error("a stranger's identity opened the secrets")
		}
	}
}

func second[A, B any](_ A, b B) B { return b }

func TestOptionsAreChecked(t *testing.T) {
	e := New()
	for name, c := range map[string]struct {
		o    Options
		code errs.Code
	}{
		"mode":         {Options{Mode: "other"}, errs.InvalidRequest},
		"no recipient": {Options{Mode: IncludeEncryptedSecrets}, errs.EncryptionKeyRequired},
		"recipient":    {Options{Mode: IncludeEncryptedSecrets, Recipient: "age1nonsense"}, errs.InvalidRequest},
		"mask path":    {Options{MaskPaths: []string{"a..b"}}, errs.InvalidRequest},
		"drop path":    {Options{DropPaths: []string{`a["b`}}, errs.InvalidRequest},
	} {
		if _, err := e.Sections(map[string]any{}, c.o); errs.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := any("x")
	for range 2000 {
		deep = []any{deep}
	}
	if _, err := e.Sections(map[string]any{"a": deep}, Options{}); err == nil {
		t.Error("too deep a tree is taken")
	}
}

func TestMaskAndDropPaths(t *testing.T) {
	sections := decoded(t, `{"a": {"list": [{"x": "one1one", "y": 2}, {"x": "two2two", "y": true}], "odd.key": {"z": "three3", "w": null}, "go": "away", "ref": "see two2two"}, "b": {"c": 1}}`)
	result, err := New().Sections(sections, Options{MaskPaths: []string{`a.list[*].x`, `a["odd.key"]`, "a.list.1.y", "nowhere.at.all"}, DropPaths: []string{"a.go", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":{"list":[{"x":"***REDACTED***","y":2},{"x":"***REDACTED***","y":"***REDACTED***"}],"odd.key":{"w":null,"z":"***REDACTED***"},"ref":"see ***REDACTED***"}}`
	if got := asJSON(result.Sections); got != want {
		t.Errorf("%s", got)
	}
	if len(result.Dropped) != 2 || !slices.Equal(result.Unmatched, []string{"nowhere.at.all"}) {
		t.Errorf("%v %v", result.Dropped, result.Unmatched)
	}
}

func TestPaths(t *testing.T) {
	for _, key := range []string{"a", "a.b", "a[0]", `q"uote`, "", "日本", "x y", "*", "openai/gpt-5", "a-b_c", "\n"} {
		path := pathIndex(pathKey("s", key), 3)
		steps, err := parsePath(path)
		if err != nil || len(steps) != 3 || steps[1].key != key || steps[1].kind != stepKey || steps[2].index != 3 {
			t.Errorf("%q → %s → %v %v", key, path, steps, err)
		}
	}
	for _, bad := range []string{"", ".", "a.", "a..b", "a[", "a[x]", "a[-1]", `a["b]`, "a]b[", "[0]x", strings.Repeat("a", 2000)} {
		if _, err := parsePath(bad); err == nil && bad != "a]b[" {
			t.Errorf("%q is taken for a path", bad)
		}
	}
}

// Why a mark was set is told in words, and never with the value.
func TestReasons(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	secret := drawMixed(r, alnum, 30)
	glpat := parts("glp", "at-") + drawMixed(r, alnum, 20)
	result, err := New().Sections(map[string]any{"s": map[string]any{
		"secret": secret, "text": "use " + glpat + " for it", secret: "x", "m": map[string]any{"again " + secret: map[string]any{"token": drawMixed(r, alnum, 20)}}, "token": "${TOKEN}",
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := asJSON([]any{result.Masked, result.Kept, result.Sections})
	if strings.Contains(text, secret) {
		t.Errorf("the value is shown: %s", text)
	}
	for _, want := range []string{"the key name `secret` names a credential", "gitleaks rule gitlab-pat", "this key is a credential that was found elsewhere", "refers to an environment variable"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}
