package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// A vault's settings say which folder holds templates and what parts the sides of cards. They are a document that nobody learns or finds,
// what they say holds on every node, and for their own vault alone.
func TestSettingsOfAVault(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		note := func(path, text string) m { return m{"sourcePath": path, "content": text} }
		const ring = "A ring is a set with an addition and a multiplication, which distributes over the addition.\n\nSee [[templates]] and [[data]].\n"
		templates := func(folder string) m {
			return note("V/.obsidian/templates.json", fmt.Sprintf(`{"folder": %q, "key": "sk-secret-of-a-plugin"}`, folder))
		}
		cards := note("V/.obsidian/plugins/obsidian-spaced-repetition/data.json", `{"settings": {"singleLineCardSeparator": ">>"}}`)
		ada.Post("/api/knowledge/ingest", m{"documents": []m{
			note("V/Muster/ring.md", ring), note("W/Muster/ring.md", ring), note("V/cards.md", "Capital of France>>Paris\n"), note("W/cards.md", "Capital of Italy>>Rome\n"),
		}}).OK(t)
		other := s.Node(t).As(t, "ada")
		left := func(who *apitest.Client) (paths []string) {
			for _, one := range who.Get(leftOutPath).OK(t).At("data.items").([]any) {
				one := one.(map[string]any)
				paths = append(paths, fmt.Sprint(one["sourcePath"], " ", one["reason"]))
			}
			return paths
		}
		asked := func(who *apitest.Client, answer string) bool {
			return strings.Contains(string(who.Get("/api/knowledge/questions", "limit", "100").OK(t).Body), answer)
		}
		if got := left(ada); strings.Contains(fmt.Sprint(got), "ring") || len(left(other)) != len(got) {
			t.Fatalf("before: %v", got)
		}
		ada.Post("/api/knowledge/ingest", m{"documents": []m{templates("Muster"), cards}}).OK(t)
		for name, who := range map[string]*apitest.Client{"this node": ada, "another": other} {
			if got := fmt.Sprint(left(who)); !strings.Contains(got, "V/Muster/ring.md template") || strings.Contains(got, "W/Muster") || strings.Contains(got, ".obsidian") {
				t.Errorf("%s: %s", name, got)
			}
			if !asked(who, "Paris") || asked(who, "Rome") {
				t.Errorf("%s: the mark holds in another vault, or not in its own", name)
			}
			all := ""
			for _, path := range []string{"/api/knowledge/graph", "/api/knowledge/documents", leftOutPath} {
				all += string(who.Get(path, "limit", "100").OK(t).Body)
			}
			if strings.Contains(all, "sk-secret") || strings.Contains(all, "Templater") || strings.Contains(string(who.Get("/api/knowledge/graph", "limit", "100").OK(t).Body), ".obsidian") {
				t.Errorf("%s shows what is no note: %s", name, all)
			}
		}
		// Settings that change change what was read before, and those that are gone are as those that never were.
		ada.Post("/api/knowledge/ingest", m{"documents": []m{templates("")}, "deletedDocuments": []m{{"sourcePath": "V/.obsidian/plugins/obsidian-spaced-repetition/data.json"}}}).OK(t)
		for name, who := range map[string]*apitest.Client{"this node": ada, "another": other} {
			if got := fmt.Sprint(left(who)); strings.Contains(got, "ring") || asked(who, "Paris") {
				t.Errorf("%s: what is gone holds: %s", name, got)
			}
		}
	})
}
