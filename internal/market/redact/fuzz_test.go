package redact

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Any JSON: no panic, the same keys and lengths, nothing left to do a second time, and the verifier agrees.
func FuzzSections(f *testing.F) {
	sections, _ := sampleSections(f)
	f.Add(asJSON(sections))
	f.Add(asJSON(lookAlikes))
	f.Add(`{"a": {"token": ["x", 1, null, {"password": 12345678}], "b": "password: abc123!\nkey: [\"a1b2c3d4e5f6\"]", "c": "{\"secret\": \"abcdef123456\"}"}}`)
	f.Add(`{"s": "https://u:p4ssw0rd@h/?token=abc123def456#key=x", "t": "--token abc123def456 Bearer aaaabbbbcccc1111", "u": "密码是abc12345，口令：xyz987654"}`)
	e := New()
	f.Fuzz(func(t *testing.T, text string) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var tree map[string]any
		if d.Decode(&tree) != nil || !utf8.ValidString(text) || len(text) > 1<<16 {
			return
		}
		result, err := e.Sections(tree, Options{})
		if err != nil {
			return
		}
		if problem := differs(tree, result.Sections); problem != "" {
			t.Fatalf("%s: %s → %s", problem, text, asJSON(result.Sections))
		}
		again, err := e.Sections(result.Sections, Options{})
		if err != nil || asJSON(again.Sections) != asJSON(result.Sections) {
			t.Fatalf("not settled: %s\n→ %s\n→ %s %v", text, asJSON(result.Sections), asJSON(again.Sections), again.Masked)
		}
	})
}

// differs compares the shape of two trees: keys that are no secrets, lengths of lists.
func differs(a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(m) != len(a) {
			return "a map changed"
		}
		for k, v := range a {
			if w, ok := m[k]; ok {
				if p := differs(v, w); p != "" {
					return p
				}
			}
		}
	case []any:
		l, ok := b.([]any)
		if !ok || len(l) != len(a) {
			return "a list changed"
		}
		for i := range a {
			if p := differs(a[i], l[i]); p != "" {
				return p
			}
		}
	case bool, nil:
		if a != b {
			return "a value changed"
		}
	}
	return ""
}

func FuzzText(f *testing.F) {
	for _, v := range []string{"password: hunter2x", "\xff\xfe\x41\x00", "key:\n  - abc123def456\n", "-----BEGIN PRIVATE KEY-----\nAAAA", "a://b@c:d@e?f=g&h", "「密码」是「abc123」"} {
		f.Add([]byte(v), 3)
	}
	e := New()
	f.Fuzz(func(_ *testing.T, text []byte, piece int) {
		s := e.NewText("a.yaml")
		for rest := text; len(rest) > 0; {
			n := min(max(piece, 1), len(rest))
			_, _ = s.Write(rest[:n])
			rest = rest[n:]
		}
		s.Findings()
		e.Verify(text, "x.json", []string{"abcdef1", string(text)})
	})
}
