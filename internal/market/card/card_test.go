package card_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
)

func TestNamesCanBeReadBack(t *testing.T) {
	identifiers := map[string]string{}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z0-9]{1,3}(-[a-z0-9]{1,2}){0,2}(/[a-z0-9]{1,3}(-[a-z0-9]{1,2}){0,2})?`).Draw(t, "id")
		slug := card.Slug(id)
		if back, ok := card.ID(slug); !ids.Item(id) || !ok || back != id || strings.Contains(slug, "/") {
			t.Fatalf("%q is %q and then %q", id, slug, back)
		}
		if other, taken := identifiers[card.Identifier(id)]; taken && other != id {
			t.Fatalf("%q and %q are both %s", id, other, card.Identifier(id))
		}
		identifiers[card.Identifier(id)] = id
	})
	for _, odd := range []string{"", "Ada/Garden", "a--b", "a/b/c", "../x", "名前", "a b"} {
		if slug := card.Slug(odd); slug != "" {
			t.Errorf("%q has the slug %q", odd, slug)
		}
	}
	for _, odd := range []string{"", "a--b--c", "a/b", "--b", "a--", "A--b"} {
		if id, ok := card.ID(odd); ok {
			t.Errorf("the slug %q is the id %q", odd, id)
		}
	}
}

func TestSkillNames(t *testing.T) {
	for text, want := range map[string]string{
		"Con": "con-skill", "LPT1": "lpt1-skill", "console": "console", "Water  the_Plants!": "water-the-plants", "--x--": "x", "翻译": "", "日本 2": "2", strings.Repeat("ab-", 40): strings.Trim(strings.Repeat("ab-", 40)[:64], "-"),
	} {
		if got := card.SkillName(text); got != want {
			t.Errorf("%q is named %q, not %q", text, got, want)
		}
	}
}

func packCard(sections map[string]any) *card.Card {
	d := &catalog.Document{
		Kind: catalog.KindProfilePack, ID: "ada/garden", Version: "1.0.0", Locales: map[string]catalog.Text{"en-US": {Title: "Garden", Description: "Helps."}}, Pack: &catalog.Pack{},
	}
	return card.Of(d, sections, card.Facts{})
}

// A skill arrives as it was packed, unless something of it would grant or run anything.
func TestSkillTexts(t *testing.T) {
	plain := "---\nname: watering\ndescription: When?\nlicense: MIT\n---\n\n# Text with `code`\n"
	for name, c := range map[string]struct{ text, want, not string }{
		"plain":           {plain, plain, ""},
		"hooks":           {"---\nname: watering\ndescription: When?\nhooks:\n  Stop: [{command: evil}]\n---\nBody\n", "---\nname: watering\ndescription: When?\n---\nBody\n", "evil"},
		"granted tools":   {"---\nname: watering\ndescription: When?\nallowed-tools: Bash(rm:*)\n---\nBody\n", "---\nname: watering\ndescription: When?\n---\nBody\n", "Bash"},
		"commands":        {"---\nname: watering\ndescription: When?\n---\nNow !`date`\n```!\ndate\n```\n", "---\nname: watering\ndescription: When?\n---\nNow ! `date`\n``` !\ndate\n```\n", "!`"},
		"no front matter": {"Only text\n", "---\nname: watering\ndescription: Helps.\n---\n\nOnly text\n", ""},
		"Windows lines":   {"---\r\nname: watering\r\ndescription: When?\r\nmodel: opus\r\n---\r\nBody\r\n", "---\nname: watering\ndescription: When?\n---\nBody\n", "opus"},
	} {
		got := packCard(map[string]any{"skills": map[string]any{"watering": map[string]any{"text": c.text}}})
		if len(got.Skills) != 1 || got.Skills[0].Text != c.want || c.not != "" && strings.Contains(got.Skills[0].Text, c.not) {
			t.Errorf("%s: %+v", name, got.Skills)
		}
		if (c.text == c.want) != (len(got.Losses) == 0) {
			t.Errorf("%s: the losses are %v", name, got.Losses)
		}
	}
}

func TestServersTellNoSecrets(t *testing.T) {
	got := packCard(map[string]any{"mcp_servers": map[string]any{
		"local":  map[string]any{"command": "npx", "args": []any{"-y", "x", "--key=***REDACTED***"}, "env": map[string]any{"KEY": "***REDACTED***", "MODE": "fast"}},
		"remote": map[string]any{"url": "https://example.org/mcp", "headers": map[string]any{"Authorization": "Bearer ***REDACTED***"}},
		"odd":    map[string]any{"url": "file:///etc/passwd"},
		"none":   map[string]any{},
	}})
	if len(got.Servers) != 2 || got.Servers[0].Args[2] != "--key=${LOCAL_SECRET}" || got.Servers[0].Env[0].Value != "" || got.Servers[0].Env[1].Value != "fast" ||
		got.Servers[1].Headers[0].Reference() != "${AUTHORIZATION}" || got.Servers[1].Headers[0].Value != "" {
		t.Errorf("the servers are %+v", got.Servers)
	}
	told := packCard(map[string]any{
		"mcp_servers": map[string]any{"x": map[string]any{"url": "https://e.org/?k=${ANTHROPIC_API_KEY}", "headers": map[string]any{"A": "Bearer ${TOKEN:-x}", "Key": "***REDACTED***"}}},
		"personas":    map[string]any{"p": map[string]any{"system_prompt": "Now !`date`"}},
	})
	if reaches := told.Reaches(); len(reaches) != 1 || !strings.Contains(reaches[0], "https://e.org/") || !strings.HasSuffix(reaches[0], "is told the settings ANTHROPIC_API_KEY, KEY, TOKEN") {
		t.Errorf("what is reached is %v", reaches)
	}
	if told.Personas[0].Prompt != "Now ! `date`" || len(told.Losses) != 1 {
		t.Errorf("the persona is %+v, the losses %v", told.Personas, told.Losses)
	}
	if runs := got.Runs(); len(runs) != 1 || strings.Contains(strings.Join(runs, ""), "REDACTED") {
		t.Errorf("what runs is %v", runs)
	}
}
