package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/market/redact/detect"
)

// planted is a secret in a pack: its value and where it first stands.
type planted struct {
	kind   kind
	secret string
}

var prompts = []string{
	"You are a patient gardener. When asked, use %s and say nothing more.",
	"あなたは先生です。鍵は %s です。やさしく教えてください。",
	"请使用 %s 来登录，然后继续。",
	"curl -H 'X-Thing: %s' https://example.com/v1/run",
	"first line\nsecond line with `%s`\nthird line",
	"notes (%s), see the manual",
}

// plant puts a secret into a pack where such secrets stand, and then once more where nobody expects it.
func plant(r *rand.Rand, pack map[string]any, n int) planted {
	k := kinds[r.IntN(len(kinds))]
	value, secret := k.make(r)
	at := func(section string) map[string]any {
		m, _ := pack[section].(map[string]any)
		if m == nil {
			m = map[string]any{}
			pack[section] = m
		}
		return m
	}
	name := fmt.Sprintf("n%d", n)
	switch place := r.IntN(8); {
	case place == 0:
		at("providers")[name] = map[string]any{"id": name, "type": "openai", "base_url": "https://api.example.com/v1", "model": "m-1", k.field: value}
	case place == 1:
		at("plugins")[name] = map[string]any{"enabled": true, "config": map[string]any{k.field: []any{value}}}
	case place == 2:
		at("mcp_servers")[name] = map[string]any{"command": "npx", "env": map[string]any{k.field: value}}
	case place == 3:
		at("environment_manifest")[name] = []any{map[string]any{"name": k.field, "value": value}, map[string]any{"deep": []any{[]any{map[string]any{k.field: value}}}}}
	case place == 4:
		text, _ := json.Marshal(map[string]any{"a": 1, k.field: value})
		at("memory_store")[name] = map[string]any{"state": string(text)}
	case place == 5 && !strings.Contains(value, "\n"):
		at("personas")[name] = map[string]any{"system_prompt": "settings:\n" + k.field + ": " + value + "\nend"}
	case place == 6 && k.blind:
		at("personas")[name] = map[string]any{"system_prompt": fmt.Sprintf(prompts[r.IntN(len(prompts))], value)}
	case place == 7 && k.blind:
		at("knowledge_base")[name] = "note: " + base64.StdEncoding.EncodeToString([]byte(prompts[0][:r.IntN(20)]+" "+value+" end"))
	default:
		at("astrbot_core")[name] = map[string]any{k.field: value}
	}
	for range r.IntN(3) {
		echo(r, at, name, secret)
	}
	return planted{k, secret}
}

// echo repeats a secret elsewhere, as it is or encoded.
func echo(r *rand.Rand, at func(string) map[string]any, name, secret string) {
	m := at("skills")
	key := fmt.Sprintf("%s-%d", name, len(m))
	switch r.IntN(8) {
	case 0:
		m[key] = fmt.Sprintf(prompts[r.IntN(len(prompts))], secret)
	case 1:
		m[key] = "before" + secret + "after"
	case 2:
		m[key] = "https://example.com/a?x=" + url.QueryEscape(secret) + "&y=1"
	case 3:
		m[key] = "blob " + base64.StdEncoding.EncodeToString([]byte("ab"[:r.IntN(3)]+secret+"tail"))
	case 4:
		m[key] = hex.EncodeToString([]byte(secret))
	case 5:
		m[key] = map[string]any{secret: []any{1, "x"}}
	case 6:
		text, _ := json.Marshal([]any{map[string]any{"q": secret}})
		m[key] = []any{[]any{string(text)}}
	default:
		at("conversation_history")[key] = []any{map[string]any{"role": "user", "content": "my thing is " + secret + ", keep it"}}
	}
}

func decoys(r *rand.Rand, pack map[string]any) {
	m := map[string]any{}
	for name, value := range lookAlikes {
		if r.IntN(8) == 0 {
			m["about "+name] = map[string]any{name: value}
		}
	}
	pack["look"] = m
}

// leaks says in which form a secret stands in an output.
func leaks(out, secret string) string {
	quoted, _ := json.Marshal(secret)
	forms := map[string]string{
		"raw": secret, "json": string(quoted[1 : len(quoted)-1]), "query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"hex": hex.EncodeToString([]byte(secret)),
	}
	for shift := range 3 {
		enc := base64.StdEncoding.EncodeToString([]byte("abc"[:shift] + secret))
		forms[fmt.Sprint("base64+", shift)] = strings.TrimRight(enc[4*((shift+2)/3):], "=")[:len(enc)-4*((shift+2)/3)-4]
	}
	for how, form := range forms {
		if len(form) >= 6 && strings.Contains(out, form) {
			return how
		}
	}
	return ""
}

// The law: whatever is planted, in whatever mode, nothing of it is in the output.
func TestNothingPlantedLeaks(t *testing.T) {
	packs := 1000
	switch {
	case testing.Short() || raceEnabled:
		packs = 300
	case everything:
		packs = 10_000
	}
	t.Parallel()
	e := New()
	identity, recipient, err := GenerateIdentity()
	if err != nil {
		t.Fatal(err)
	}
	modes := []Mode{ExcludeSecrets, ExcludeProvider, IncludeProviderNoKey, IncludeEncryptedSecrets}
	var next, secrets atomic.Int64
	seen := make([]atomic.Bool, len(kinds))
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for n := int(next.Add(1)); n <= packs && !t.Failed(); n = int(next.Add(1)) {
				r := rand.New(rand.NewPCG(7, uint64(n)))
				pack := map[string]any{}
				decoys(r, pack)
				var all []planted
				for i := range 1 + r.IntN(6) {
					p := plant(r, pack, i)
					all = append(all, p)
					for j := range kinds {
						if kinds[j].name == p.kind.name {
							seen[j].Store(true)
						}
					}
				}
				secrets.Add(int64(len(all)))
				onePack(t, e, pack, all, modes[n%4], identity, recipient, n)
			}
		})
	}
	wait.Wait()
	count := 0
	for i := range seen {
		if seen[i].Load() {
			count++
		}
	}
	t.Logf("%d packs, %d secrets of %d kinds", packs, secrets.Load(), count)
	if count < 40 {
		t.Error("too few kinds")
	}
}

func onePack(t *testing.T, e *Engine, pack map[string]any, all []planted, mode Mode, identity, recipient string, n int) {
	before := asJSON(pack)
	o := Options{Mode: mode, Binding: "profile/p"}
	if mode == IncludeEncryptedSecrets {
		o.Recipient = recipient
	}
	result, err := e.Sections(pack, o)
	if err != nil {
		t.Error(err)
		return
	}
	if asJSON(pack) != before {
		t.Errorf("pack %d: the input was changed", n)
	}
	var shown strings.Builder
	for name, section := range result.Sections {
		text := asJSON(section)
		shown.WriteString(text)
		if f := e.Verify([]byte(text), "sections/"+name+".json", result.Known); len(f) > 0 {
			t.Errorf("pack %d, %s: the verifier finds %v in %.600s", n, mode, f, text)
		}
	}
	shown.WriteString(asJSON([]any{result.Masked, result.Dropped, result.Kept}))
	for _, p := range all {
		if how := leaks(shown.String(), p.secret); how != "" {
			t.Errorf("pack %d, %s: a %s leaks (%s):\n%s\n%s", n, mode, p.kind.name, how, before, shown.String())
		}
	}
	if left := asJSON(result.Sections["look"]); left != asJSON(pack["look"]) && !strings.Contains(before, "nothing") {
		t.Errorf("pack %d: look-alikes were touched: %s", n, left)
	}
	again, err := e.Sections(result.Sections, o)
	if err != nil || asJSON(again.Sections) != asJSON(result.Sections) {
		t.Errorf("pack %d, %s: redacting again changed it (%v):\n%s\n%s %v", n, mode, err, asJSON(result.Sections), asJSON(again.Sections), again.Masked)
	}
	if mode == IncludeEncryptedSecrets {
		unsealed(t, result, all, identity, n)
	}
}

// unsealed checks that the sealed document holds the planted secrets and nothing else.
func unsealed(t *testing.T, result Result, all []planted, identity string, n int) {
	s, err := Unseal(result.Sealed, identity)
	if err != nil || s.Binding != "profile/p" {
		t.Errorf("pack %d: %v %q", n, err, s.Binding)
		return
	}
	text := asJSON(result.Sections)
	if marks := strings.Count(text, detect.Sealed); marks != len(s.Entries) {
		t.Errorf("pack %d: %d marks, %d sealed", n, marks, len(s.Entries))
	}
	has := map[string]bool{}
	for _, entry := range s.Entries {
		value, _ := entry.Value.(string)
		known := false
		for _, p := range all {
			if relates(value, p.secret) {
				has[p.secret], known = true, true
			}
		}
		if !known {
			t.Errorf("pack %d: sealed %q (%s), which nobody planted", n, value, entry.Path)
		}
	}
	for _, p := range all {
		if !has[p.secret] {
			t.Errorf("pack %d: the %s was not sealed", n, p.kind.name)
		}
	}
}

// relates says whether a sealed value is a planted secret, holds it, or is the part of it that is secret.
func relates(value, secret string) bool {
	for _, v := range []string{value, detect.Unescaped(value)} {
		if strings.Contains(v, secret) || len(v) >= 6 && strings.Contains(secret, v) || leaks(value, secret) != "" {
			return true
		}
	}
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding} {
		if b, err := enc.DecodeString(strings.TrimRight(value, "=")); err == nil && strings.Contains(string(b), secret) {
			return true
		}
	}
	return false
}
