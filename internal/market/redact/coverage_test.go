package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func holds(v any, secret string) bool {
	text, _ := json.Marshal(v)
	quoted, _ := json.Marshal(secret)
	return strings.Contains(string(text), string(quoted[1:len(quoted)-1]))
}

// Every kind is found in each of the shapes it is kept in: 48 × 3 of the research and what came since.
func TestEveryKindInEveryShape(t *testing.T) {
	t.Parallel()
	e := New()
	found := map[string]int{}
	for i, k := range kinds {
		for seed := range seeds() {
			r := rand.New(rand.NewPCG(uint64(i), seed))
			value, secret := k.make(r)
			shapes := map[string]any{
				"field": map[string]any{"id": "a", k.field: value},
				"list":  map[string]any{"id": "a", k.field: []any{value, value}},
				"yaml":  map[string]any{"text": "name: bot\n" + yamlLine(k.field, value) + "\nport: 8080\n"},
			}
			if k.blind {
				shapes["blind"] = map[string]any{"x": []any{"see " + value}}
				shapes["key"] = map[string]any{"m": map[string]any{value: 1}}
			}
			for shape, tree := range shapes {
				result, err := e.Sections(map[string]any{"s": tree}, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if holds(result.Sections, secret) {
					t.Errorf("%s as %s (seed %d) is left: %.300s", k.name, shape, seed, fmt.Sprint(result.Sections))
					continue
				}
				if i < researched && seed == 0 {
					found[shape]++
				}
			}
			texts := map[string]string{
				"yaml text": "name: bot\n" + yamlLine(k.field, value) + "\nport: 8080\n",
				"json text": asJSON(map[string]any{"id": "a", k.field: value}),
				"json list": asJSON(map[string]any{"id": "a", k.field: []any{value}}),
				"indented":  indented(map[string]any{"id": "a", k.field: []any{value}}),
			}
			for shape, text := range texts {
				scan := e.NewText("f")
				_, _ = scan.Write([]byte(text))
				if len(scan.Findings()) == 0 {
					t.Errorf("%s in %s (seed %d) is not found: %s", k.name, shape, seed, text)
				} else if i < researched && seed == 0 {
					found[shape]++
				}
			}
		}
	}
	t.Logf("of %d researched kinds: %v", researched, found)
	for _, shape := range []string{"field", "list", "yaml", "json text", "yaml text", "json list"} {
		if found[shape] != researched {
			t.Errorf("%s: %d of %d", shape, found[shape], researched)
		}
	}
}

func yamlLine(field, value string) string {
	if strings.Contains(value, "\n") {
		return field + ": |\n  " + strings.ReplaceAll(value, "\n", "\n  ")
	}
	return field + ": " + value
}

func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func indented(v any) string {
	text, _ := json.MarshalIndent(v, "", "  ")
	return string(text)
}

// Nothing that only looks like a secret is touched, as a field or in a text.
func TestLookAlikesAreLeft(t *testing.T) {
	e := New()
	if len(lookAlikes) < 60 {
		t.Fatal("too few")
	}
	for field, value := range lookAlikes {
		tree := map[string]any{"s": map[string]any{"a": 1, field: value}}
		result, err := e.Sections(tree, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if asJSON(result.Sections) != asJSON(tree) {
			t.Errorf("%s was touched: %s %v", field, asJSON(result.Sections), result.Masked)
		}
		for shape, text := range map[string]string{"json": asJSON(tree), "yaml": fmt.Sprintf("%s: %v\n", field, value)} {
			scan := e.NewText("f")
			_, _ = scan.Write([]byte(text))
			if f := scan.Findings(); len(f) > 0 {
				t.Errorf("%s as %s: %v in %s", field, shape, f, text)
			}
		}
	}
}

// seeds is how many secrets of a kind are drawn.
func seeds() uint64 {
	if testing.Short() || raceEnabled {
		return 3
	}
	return 20
}
