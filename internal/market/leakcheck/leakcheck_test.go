package leakcheck

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func setup(field string, value any) map[string]any {
	return map[string]any{
		"providers":    map[string]any{"a": map[string]any{"id": "openai/gpt-5", "type": "openai_chat_completion", "model": "gpt-5-2025-08-07", "api_base": "https://api.example.com/v1", field: value}},
		"astrbot_core": map[string]any{"name": "ann2024bot", "prompt": "You keep the key to the garden."},
	}
}

func zlibOf(text string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// A value of a credential position is found in any output, however it is folded, split, turned or encoded.
func TestValuesAreFoundInEveryForm(t *testing.T) {
	secret := strings.Join([]string{"Zq7", "m2Wx", "9Kp4", "tRv8"}, "")
	v := Collect(setup("key", []any{secret}))
	half := len(secret) / 2
	b64 := base64.StdEncoding.EncodeToString
	quoted := ""
	for _, r := range secret {
		quoted += fmt.Sprintf(`\u%04x`, r)
	}
	entities := ""
	for _, r := range secret {
		entities += fmt.Sprintf("&#%d;", r)
	}
	forms := map[string]string{
		"raw": secret, "upper": strings.ToUpper(secret), "spaced": strings.Join(strings.Split(secret, ""), " "), "dashed": secret[:5] + "-" + secret[5:], "lines": secret[:6] + "\n  " + secret[6:],
		"added": `"` + secret[:half] + `" + "` + secret[half:] + `"`, "base64": b64([]byte("user:" + secret)), "base64url": base64.URLEncoding.EncodeToString([]byte(secret)), "twice": b64([]byte(b64([]byte(secret)))),
		"hex": hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))), "query": url.QueryEscape(secret + "&"), "escapes": quoted, "entities": entities,
		"reversed": reversed(secret), "halves": secret[half:] + secret[:half], "turned halves": reversed(secret[:half]) + reversed(secret[half:]), "zlib": b64(zlibOf("config: " + secret)), "zero width": strings.Join(strings.Split(secret, ""), "\u200b"),
		"percent": strings.ToUpper(percent(secret)),
	}
	for name, form := range forms {
		for file, text := range map[string]string{"a.json": mustJSON(map[string]any{"x": []any{"see " + form}}), "a.md": "Some words before " + form + " and behind.", "title": form} {
			if len(v.Search(file, []byte(text))) == 0 {
				t.Errorf("%s in %s is not found: %s", name, file, text)
			}
		}
	}
	if l := v.Search("sections/x.json", []byte(mustJSON(map[string]any{"a": []any{"b", secret}}))); len(l) != 1 || l[0].Path != "x.a[1]" || strings.Contains(fmt.Sprint(l), secret) {
		t.Errorf("the place is wrong: %v", l)
	}
}

func mustJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A value that is still in its place is found there, however short and plain it is, and nowhere else.
func TestPlainValues(t *testing.T) {
	for _, value := range []string{"k", "abc", "sunshine", "hunter2", "correct-horse"} {
		in := setup("key", []any{value})
		v := Collect(in)
		if l := v.Search("sections/providers.json", []byte(mustJSON(in["providers"]))); len(l) == 0 || l[len(l)-1].Path != "providers.a.key[0]" {
			t.Errorf("%q in its place: %v", value, l)
		}
	}
	v := Collect(setup("key", "sunshine"))
	if l := v.Search("README.md", []byte("Here comes the sunshine, it says ok, abc and k.")); len(l) > 0 {
		t.Errorf("prose is refused: %v", l)
	}
}

// What is no credential is neither searched for nor refused.
func TestHonestSettings(t *testing.T) {
	honest := map[string]any{
		"providers":   map[string]any{"a": map[string]any{"id": "x", "key": "***REDACTED***", "keys": []any{"${KEY}", "<your key>", "YOUR_API_KEY", "sk-xxxxxxxx", ""}, "max_tokens": 4096, "proxy": "http://127.0.0.1:7890", "tokenizer": "cl100k_base", "top_k": 3, "type": "openai"}},
		"mcp_servers": map[string]any{"git": map[string]any{"command": "uvx", "args": []any{"mcp-server-git"}, "env": map[string]any{"GITHUB_TOKEN": "***REDACTED***", "LOG_LEVEL": "info", "PATH": "/usr/bin"}}},
		"platform":    []any{map[string]any{"id": "tg", "type": "telegram", "token": "***SEALED***", "auth": map[string]any{"type": "bearer"}}},
	}
	v := Collect(honest)
	for name, section := range honest {
		if l := v.Search("sections/"+name+".json", []byte(mustJSON(section))); len(l) > 0 {
			t.Errorf("%s: %v", name, l)
		}
	}
	if len(v.seen) > 0 {
		t.Errorf("searched for: %v", v.seen)
	}
}
