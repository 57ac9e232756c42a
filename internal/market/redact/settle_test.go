package redact

import (
	"math/rand/v2"
	"strings"
	"testing"

	"stoa/internal/market/redact/detect"
)

// fragments are pieces that rules take hold of, in whole and in part, with what confuses them in between.
func fragments(r *rand.Rand) string {
	if r.IntN(3) == 0 {
		v, _ := kinds[r.IntN(len(kinds))].make(r)
		if r.IntN(4) == 0 {
			v = v[:r.IntN(len(v))]
		}
		return strings.ToValidUTF8(v, "")
	}
	pieces := []string{
		detect.Masked, detect.Sealed, "***", "password", "token: ", "api_key=", "\"secret\": \"", "\"", "\\\"", "'", "Bearer ", "Basic ", "https://", "http://user:", "@host.example:8080/", "?access_token=", "&key=", "#",
		"密码是", "パスワードは「", "」", "：", "key:\n  - ", "[", "]", "{", "}", ",", "\n", " ", " is ", "--token ", "-u ", "curl ", "${API_KEY}", "{{x}}", "<your-key>", "xxxx", "sk-", "-----BEGIN PRIVATE KEY-----",
		"SESSDATA=", ";", "cookie: ", "authorization: ", "seed", "public key: ", "name: API_KEY\nvalue: ", "webhook: https://a.example/hooks/", "a1B2c3D4e5F6g7H8", "12345678", "hunter2!", "ordinary words here", "\\n", "\\u0041",
		"QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "/api/webhooks/", "bot:", "@tcp(", "é", "😀", "\x00", "...", "=", ":", "->",
	}
	return pieces[r.IntN(len(pieces))]
}

func randomTree(r *rand.Rand, depth int) any {
	text := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(fragments(r))
		}
		return b.String()
	}
	switch n := r.IntN(10); {
	case depth > 0 && n < 4:
		m := map[string]any{}
		for range r.IntN(5) {
			key := kinds[r.IntN(len(kinds))].field
			if r.IntN(3) == 0 {
				key = text(2)
			}
			m[key] = randomTree(r, depth-1)
		}
		return m
	case depth > 0 && n < 6:
		l := make([]any, r.IntN(4))
		for i := range l {
			l[i] = randomTree(r, depth-1)
		}
		return l
	case n == 6:
		return []any{true, nil, 1234567.0, "x"}[r.IntN(4)]
	}
	return text(8)
}

// Whatever a tree is made of: its shape stays, redacting again changes nothing, and the verifier agrees.
func TestRandomTreesSettle(t *testing.T) {
	t.Parallel()
	e := New()
	n := 600
	switch {
	case testing.Short() || raceEnabled:
		n = 300
	case everything:
		n = 5_000
	}
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(11, seed))
		tree := map[string]any{"s": randomTree(r, 4), "t": randomTree(r, 2)}
		result, err := e.Sections(tree, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if problem := differs(tree, result.Sections); problem != "" {
			t.Fatalf("seed %d: %s:\n%s\n%s", seed, problem, asJSON(tree), asJSON(result.Sections))
		}
		again, err := e.Sections(result.Sections, Options{})
		if err != nil || asJSON(again.Sections) != asJSON(result.Sections) {
			t.Fatalf("seed %d: not settled:\n%s\n%s\n%s\n%v", seed, asJSON(tree), asJSON(result.Sections), asJSON(again.Sections), again.Masked)
		}
		for name, section := range result.Sections {
			if f := e.Verify([]byte(asJSON(section)), name+".json", result.Known); len(f) > 0 {
				t.Fatalf("seed %d: the verifier finds %v after\n%s\n%s", seed, f, asJSON(tree), asJSON(section))
			}
		}
	}
}
