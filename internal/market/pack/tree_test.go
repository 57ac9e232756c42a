package pack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSelectionTree(t *testing.T) {
	tree := SelectionTree(parsed(t, `{
		"personas": {"entries": {"園丁": {"system_prompt": "line one\n  line two", "tools": [{"name": "search"}, {"x": 1}, "plain"]}}, "runtime": {"default_personality": "園丁"}},
		"plugins": {"weather": {"config": {"city": {"name": "Kyoto"}}}}}`).(map[string]any))
	if len(tree) != 2 || tree[0].Name != "personas" || tree[0].Label != "Personas" || tree[0].Kind != kindObject {
		t.Fatalf("%+v", tree)
	}
	entries, runtime := tree[0].Items[0], tree[0].Items[1]
	gardener := entries.Children[0]
	if gardener.Path != "personas.entries.園丁" || gardener.Label != "園丁" || runtime.Children[0].Label != "Default Personality" {
		t.Errorf("%+v %+v", gardener, runtime.Children[0])
	}
	if diff := cmp.Diff([]string{"line one", "  line two"}, gardener.Children[0].PreviewLines); diff != "" {
		t.Error(diff)
	}
	tools := gardener.Children[1]
	if tools.Kind != kindList || len(tools.Children) != 3 {
		t.Fatalf("tools %+v", tools)
	}
	for i, want := range []string{"search", "#2", "plain"} {
		if tools.Children[i].Label != want || tools.Children[i].Path != fmt.Sprintf("personas.entries.園丁.tools[%d]", i) {
			t.Errorf("%+v", tools.Children[i])
		}
	}
	config := tree[1].Items[0].Children[0]
	if config.Path != "plugins.weather.config" || len(config.Children) != 0 {
		t.Errorf("plugins are opened too deep: %+v", config)
	}
	if diff := cmp.Diff([]string{"{", `  "city": {`, `    "name": "Kyoto"`, "  }", "}"}, config.PreviewLines); diff != "" {
		t.Error(diff)
	}
}

func nodes(list []*Node) (listed, hidden int) {
	for _, n := range list {
		l, h := nodes(n.Children)
		listed, hidden = listed+1+l, hidden+n.ChildrenNotListed+h
	}
	return listed, hidden
}

func TestTreeIsBounded(t *testing.T) {
	big := map[string]any{}
	for i := range 3_000 {
		big[fmt.Sprintf("key%04d", i)] = strings.Repeat("word ", 200)
	}
	tree := SelectionTree(map[string]any{"astrbot_core": big, "personas": map[string]any{"entries": map[string]any{"a": map[string]any{}}}})
	listed, _ := nodes(tree[0].Items)
	other, _ := nodes(tree[1].Items)
	if listed+other != maxTreeNodes || tree[0].ItemsNotListed != 3_000-listed {
		t.Errorf("%d + %d nodes, %d not listed", listed, other, tree[0].ItemsNotListed)
	}
	if text, err := json.Marshal(tree); err != nil || len(text) > 2<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestPreviews(t *testing.T) {
	for name, c := range map[string]struct {
		value     any
		lines     int
		truncated bool
	}{
		"empty text":   {"", 0, false},
		"12 lines":     {strings.Repeat("x\n", 12), 12, false},
		"13 lines":     {strings.Repeat("x\n", 13), 12, true},
		"long line":    {strings.Repeat("é", 300), 1, true},
		"empty object": {map[string]any{}, 1, false},
		"24 lines":     {make([]any, 22), 24, false},
		"25 lines":     {make([]any, 23), 24, true},
		"large":        {make([]any, 1_000_000), 24, true},
		"number":       {json.Number("1.50"), 1, false},
	} {
		lines, truncated := preview(c.value)
		if len(lines) != c.lines || truncated != c.truncated {
			t.Errorf("%s: %d lines, %v", name, len(lines), truncated)
		}
	}
}

// TestPreviewIsTheStartOfIndentedJSON compares with the standard library's indentation.
func TestPreviewIsTheStartOfIndentedJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.MapOfN(rapid.StringMatching(`[a-z]{1,5}`), anyTree(3), 0, 5).Draw(t, "value")
		var out strings.Builder
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		got, truncated := preview(any(v))
		if truncated != (len(want) > jsonLines) {
			t.Fatalf("truncated %v with %d lines", truncated, len(want))
		}
		if diff := cmp.Diff(want[:min(len(want), jsonLines)], got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestEveryPathOfTheTreeCanBeSelected: what is shown can be chosen.
func TestEveryPathOfTheTreeCanBeSelected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anySections().Draw(t, "sections")
		var visit func(list []*Node)
		visit = func(list []*Node) {
			for _, n := range list {
				if _, err := Select(all, nil, []string{n.Path}); err != nil {
					t.Fatalf("%s: %v", n.Path, err)
				}
				visit(n.Children)
			}
		}
		for _, s := range SelectionTree(all) {
			visit(s.Items)
		}
	})
}
