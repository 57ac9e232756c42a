package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
)

func gardener() Item {
	item := Item{ID: "ada/garden", Version: "1.2.0", Kind: catalog.KindProfilePack, Title: "Garden", Description: "Knows plants.", Author: "ada", Tags: []string{"plants"}, URL: "https://stoa.example/market/ada/garden", PublishedAt: "2026-11-01T10:00:00Z"}
	item.AddSections(map[string]any{
		"personas": map[string]any{
			"entries": map[string]any{
				"园丁": map[string]any{"system_prompt": "You know plants.", "begin_dialogs": []any{"Hi", "Hello! What grows?"}, "tools": []any{"web_search"}},
			},
			"runtime": map[string]any{"default_personality": "园丁"},
		},
		"skills":      map[string]any{"plant-care": map[string]any{"text": "---\nname: plant-care\ndescription: Seasonal steps\n---\n\n1. Ask.\n", "name": "plant-care", "description": "Seasonal steps", "files": []any{"scripts/run.sh"}}},
		"mcp_servers": map[string]any{"weather": map[string]any{"command": "npx", "args": []any{"-y", "weather"}, "env": map[string]any{"WEATHER_KEY": "***REDACTED***", "LANG": "en"}}},
		"providers":   map[string]any{"openai": map[string]any{"model": "gpt-5"}},
	})
	return item
}

// A persona that may use no tool is another than one that says nothing of tools: the report names what was forbidden.
func TestWhatAPersonaMayNotUseIsNamed(t *testing.T) {
	for _, format := range []Format{Prompt, CardV2, CardV3, CardPNG, Skills, Agents, Dify, LobeChat} {
		item := Item{ID: "ada/garden", Version: "1.0.0", Kind: catalog.KindProfilePack, Title: "Garden"}
		item.AddSections(map[string]any{"personas": map[string]any{"entries": map[string]any{
			"strict": map[string]any{"system_prompt": "You know plants.", "tools": []any{}, "skills": nil, "begin_dialogs": []any{}},
		}}})
		result, err := Write(item, format, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(result.Losses) != 1 || result.Losses[0].Path != "personas.entries.strict.tools" {
			t.Errorf("%s: %v", format, result.Losses)
		}
	}
}

// Every value is in a file or in the loss report, whatever a pack holds.
func TestNothingIsLostSilently(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		leaf := rapid.Custom(func(t *rapid.T) any {
			n++
			return fmt.Sprintf("token%06d%s", n, rapid.SampledFrom([]string{"x", "y"}).Draw(t, "end"))
		})
		texts := rapid.Custom(func(t *rapid.T) any {
			out := []any{}
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				out = append(out, leaf.Draw(t, "text"))
			}
			return out
		})
		some := rapid.Custom(func(t *rapid.T) any {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				return texts.Draw(t, "list")
			case 1:
				return map[string]any{"inner": leaf.Draw(t, "inner"), "entries": []any{map[string]any{"content": leaf.Draw(t, "content")}}}
			}
			return leaf.Draw(t, "leaf")
		})
		entries := map[string]any{}
		for range rapid.IntRange(1, 3).Draw(t, "personas") {
			fields := map[string]any{"system_prompt": leaf.Draw(t, "prompt")}
			for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom(append(append([]string{"begin_dialogs", "tools", "skills", "custom_error_message", "folder", "odd field"}, cardHeld...), cardV3Held...)), 0, 8, rapid.ID).Draw(t, "fields") {
				fields[key] = some.Draw(t, key)
			}
			entries[leaf.Draw(t, "name").(string)] = fields
		}
		skill := map[string]any{"text": leaf.Draw(t, "skill"), "description": leaf.Draw(t, "description"), "license": leaf.Draw(t, "license"), "files": texts.Draw(t, "files")}
		sections := map[string]any{
			"personas":     map[string]any{"entries": entries, "runtime": some.Draw(t, "runtime")},
			"skills":       map[string]any{"s": skill, "broken": leaf.Draw(t, "broken")},
			"mcp_servers":  map[string]any{"m": map[string]any{"command": leaf.Draw(t, "command"), "env": map[string]any{"A": leaf.Draw(t, "env")}}},
			"astrbot_core": some.Draw(t, "core"),
		}
		item := Item{ID: "a/b", Version: "1.0.0", Kind: catalog.KindProfilePack}
		item.AddSections(sections)
		for _, format := range Formats {
			result, err := Write(item, format, Options{})
			if err != nil {
				t.Fatal(err)
			}
			held := contents(t, result)
			each(sections, "", func(path, token string) {
				if strings.Contains(held, token) {
					return
				}
				for _, l := range result.Losses {
					if rest, ok := strings.CutPrefix(path, l.Path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
						return
					}
				}
				t.Fatalf("%s: %s at %s is neither written nor reported\n%v", format, token, path, result.Losses)
			})
		}
	})
}

// contents is all that an export holds, cards out of their pictures.
func contents(t interface{ Fatalf(string, ...any) }, r Result) string {
	var out strings.Builder
	for _, f := range r.Files {
		out.WriteString(f.Path)
		if strings.HasSuffix(f.Path, ".png") {
			for _, key := range []string{"chara", "ccv3"} {
				text, err := base64.StdEncoding.DecodeString(textChunk(f.Data, key))
				if err != nil || len(text) == 0 {
					t.Fatalf("%s of %s: %v", key, f.Path, err)
				}
				out.Write(text)
			}
			continue
		}
		out.Write(f.Data)
	}
	return out.String()
}

// each calls use for every text in v with its path.
func each(v any, path string, use func(path, text string)) {
	switch v := v.(type) {
	case string:
		use(path, v)
	case []any:
		for i, item := range v {
			each(item, pack.AppendIndex(path, i), use)
		}
	case map[string]any:
		for key, item := range v {
			each(item, pack.AppendKey(path, key), use)
		}
	}
}

// textChunk walks the chunks of a picture as any reader of PNG does, checksums included.
func textChunk(data []byte, key string) string {
	rest := data[8:]
	for len(rest) >= 12 {
		size := binary.BigEndian.Uint32(rest)
		body := rest[4 : 8+size]
		if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(rest[8+size:]) {
			return ""
		}
		if text, ok := strings.CutPrefix(string(body), "tEXt"+key+"\x00"); ok {
			return text
		}
		rest = rest[12+size:]
	}
	return ""
}

// The importer, which reads cards of other programs, gets back what was written.
func TestCardsAreRead(t *testing.T) {
	for _, format := range []Format{CardPNG, CardV3, CardV2} {
		r, err := Write(gardener(), format, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Files[0]
		if format == CardPNG {
			if _, err := png.Decode(bytes.NewReader(f.Data)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := botimport.Read(context.Background(), f.Path, "", bytes.NewReader(f.Data), int64(len(f.Data)), archive.Default)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		entries := d.Sections["personas"].(map[string]any)["entries"].(map[string]any)
		persona, _ := entries["园丁"].(map[string]any)
		if persona["system_prompt"] != "You know plants." || persona["mes_example"] != "<START>\n{{user}}: Hi\n{{char}}: Hello! What grows?\n" {
			t.Errorf("%s: %v", format, entries)
		}
	}
}

// Every field that the specification of Version 3 demands stands.
func TestCardV3IsWhole(t *testing.T) {
	r, err := Write(gardener(), CardV3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var card struct {
		Spec, SpecVersion string
		Data              map[string]any
	}
	if err := json.Unmarshal(r.Files[0].Data, &card); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"name", "description", "tags", "creator", "character_version", "mes_example", "extensions", "system_prompt", "post_history_instructions", "first_mes", "alternate_greetings", "personality", "scenario", "creator_notes", "group_only_greetings"} {
		if _, ok := card.Data[key]; !ok {
			t.Errorf("%s is missing", key)
		}
	}
	if card.Spec != "chara_card_v3" || card.Data["source"].([]any)[0] != "https://stoa.example/market/ada/garden" {
		t.Errorf("%s %v", card.Spec, card.Data["source"])
	}
}

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// The rules of the Agent Skills specification hold for every folder, also for names in other scripts.
func TestSkillRules(t *testing.T) {
	for _, format := range []Format{Skills, Agents} {
		r, err := Write(gardener(), format, Options{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, f := range r.Files {
			if !strings.HasSuffix(f.Path, "/SKILL.md") {
				continue
			}
			n++
			parts := strings.Split(f.Path, "/")
			dir := parts[len(parts)-2]
			front, _, ok := splitFront(string(f.Data))
			var fields struct {
				Name, Description string
				Metadata          map[string]string
			}
			if err := yaml.Unmarshal([]byte(front), &fields); err != nil || !ok {
				t.Fatal(err, f.Path)
			}
			if fields.Name != dir || len(dir) > 64 || !skillName.MatchString(dir) || fields.Description == "" || len(fields.Description) > 1024 {
				t.Errorf("%s: %+v", f.Path, fields)
			}
		}
		if n == 0 {
			t.Error("no skill")
		}
	}
}

func TestAssistantFiles(t *testing.T) {
	r, err := Write(gardener(), Agents, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range r.Files {
		got[f.Path] = string(f.Data)
	}
	if s := got[".mcp.json"]; !strings.Contains(s, `"WEATHER_KEY": "${WEATHER_KEY}"`) || !strings.Contains(s, `"LANG": "en"`) {
		t.Error(s)
	}
	if s := got["agents/ada-garden.md"]; !strings.HasPrefix(s, "---\nname: ada-garden\ndescription: Knows plants.\n") || !strings.Contains(s, "User: Hi\n") {
		t.Error(s)
	}
	template := Item{ID: "translator", Version: "1.0.0", Kind: catalog.KindTemplate, Title: "Translator"}
	template.AddTemplate("Translate {{text}}.", map[string]any{"provider_settings": map[string]any{"model": "x"}})
	if r, err = Write(template, Agents, Options{}); err != nil || r.Files[1].Path != "commands/translator.md" || !strings.HasSuffix(string(r.Files[1].Data), "\n\n$ARGUMENTS\n") {
		t.Fatal(r, err)
	}
	if len(r.Losses) != 1 || r.Losses[0].Path != "provider_settings" {
		t.Error(r.Losses)
	}
}

func TestDocuments(t *testing.T) {
	template := Item{ID: "translator", Version: "1.0.0", Kind: catalog.KindTemplate, Title: "Translator", Author: "ann", PublishedAt: "2026-11-01T10:00:00Z"}
	template.AddTemplate("Translate {{ text }} into {{lang}}; {{text}} again.", nil)
	r, err := Write(template, Dify, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var dsl struct {
		Version, Kind string
		App           struct{ Name, Mode string }
		Model         struct {
			Prompt string                      `yaml:"pre_prompt"`
			Form   []map[string]map[string]any `yaml:"user_input_form"`
		} `yaml:"model_config"`
	}
	if err := yaml.Unmarshal(r.Files[0].Data, &dsl); err != nil {
		t.Fatal(err)
	}
	if dsl.Version != "0.6.0" || dsl.Kind != "app" || dsl.App.Mode != "chat" || len(dsl.Model.Form) != 2 || dsl.Model.Form[1]["paragraph"]["variable"] != "lang" {
		t.Errorf("%+v", dsl)
	}
	if r, err = Write(template, LobeChat, Options{}); err != nil {
		t.Fatal(err)
	}
	var agent struct {
		SchemaVersion         int
		Identifier, CreatedAt string
		Config                struct{ SystemRole string }
		Meta                  struct{ Title string }
	}
	if err := json.Unmarshal(r.Files[0].Data, &agent); err != nil || agent.SchemaVersion != 1 || agent.Identifier != "translator" || agent.CreatedAt != "2026-11-01" || agent.Config.SystemRole == "" || agent.Meta.Title != "Translator" {
		t.Errorf("%+v %v", agent, err)
	}
}

func TestDownload(t *testing.T) {
	item := gardener()
	for format, want := range map[Format]string{Prompt: "ada-garden.txt", Agents: "ada-garden-agent.zip", CardPNG: "ada-garden.png", Dify: "ada-garden.yml"} {
		r, err := Write(item, format, Options{Persona: "园丁"})
		if err != nil {
			t.Fatal(err)
		}
		name, media, data, err := r.Download(item)
		if err != nil || name != want || media == "" {
			t.Errorf("%s: %s %s %v", format, name, media, err)
		}
		if strings.HasSuffix(name, ".zip") {
			z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
			if err != nil || len(z.File) != len(r.Files) {
				t.Fatal(err)
			}
			for _, f := range z.File {
				if f.Mode()&0o111 != 0 {
					t.Errorf("%s may be run", f.Name)
				}
			}
		}
	}
	if _, err := Write(item, Prompt, Options{Persona: "nobody"}); err == nil {
		t.Error("a persona that is not there was exported")
	}
	if _, err := Write(item, "docx", Options{}); err == nil {
		t.Error("an unknown format was written")
	}
}
