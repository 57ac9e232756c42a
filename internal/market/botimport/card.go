package botimport

import (
	"fmt"
	"path"
	"strings"

	"stoa/internal/market/pack"
)

// cardData gives the card in a JSON value and its version; "" when it is none. Versions 2 and 3 wrap it in data,
// version 1 and the older names of its fields stand bare.
func cardData(v any) (data map[string]any, version string) {
	m := object(v)
	if data = object(m["data"]); data != nil {
		switch spec := text(m["spec"]); {
		case spec == "chara_card_v3":
			return data, "v3"
		case spec == "chara_card_v2", spec == "" && first(data, "name") != "" && isCard(data):
			return data, "v2"
		}
	}
	if m["char_name"] != nil && m["char_persona"] != nil {
		return map[string]any{
			"name": m["char_name"], "description": m["char_persona"], "scenario": m["world_scenario"], "first_mes": m["char_greeting"],
			"mes_example": m["example_dialogue"],
		}, "v1"
	}
	if first(m, "name") != "" && isCard(m) && m["persona_id"] == nil {
		return m, "v1"
	}
	return nil, ""
}

// isCard tells a bare card from other JSON with a name.
func isCard(m map[string]any) bool {
	n := 0
	for _, key := range []string{"description", "personality", "scenario", "first_mes", "mes_example"} {
		if _, ok := m[key].(string); ok {
			n++
		}
	}
	return n >= 3 || n >= 1 && (m["first_mes"] != nil || m["mes_example"] != nil)
}

// cardFields are taken over under their names.
var cardFields = []string{
	"nickname", "first_mes", "alternate_greetings", "group_only_greetings", "mes_example", "post_history_instructions", "creator_notes",
	"creator_notes_multilingual", "creator", "character_version", "tags", "source", "creation_date", "modification_date",
}

// promptParts are what a card's system prompt is put together from.
var promptParts = []struct{ key, head string }{
	{"system_prompt", ""}, {"description", ""}, {"personality", "Personality: "}, {"scenario", "Scenario: "},
}

// card maps a character card to a persona. shown is the file it came from.
func (b *builder) card(data map[string]any, version, shown string) {
	name := first(data, "name", "nickname")
	if name == "" {
		name = strings.TrimSuffix(path.Base(shown), path.Ext(shown))
	}
	into := b.entries()
	if b.full(len(into), shown, "personas") {
		return
	}
	name = free(into, clip(name, maxName))
	target := pack.AppendKey("personas.entries", name)
	out := map[string]any{"source_format": "chara_card_" + version, "system_prompt": b.cardPrompt(data, name, shown, target)}
	known := map[string]bool{"name": true, "extensions": true, "assets": true, "character_book": true}
	for _, p := range promptParts {
		known[p.key] = true
	}
	for _, key := range cardFields {
		known[key] = true
		if v := data[key]; v != nil && v != "" && len(list(v)) == 0 || len(list(v)) > 0 {
			out[key] = b.take(v, inside(shown, key), pack.AppendKey(target, key))
		}
	}
	if book := object(data["character_book"]); book != nil {
		out["lorebook"] = b.lorebook(book, inside(shown, "character_book"), target+".lorebook")
	}
	if n := len(object(data["extensions"])); n > 0 {
		b.cardPart(inside(shown, "extensions"), n, "settings and scripts of other programs, such as replacement rules, which would run on every message")
	}
	if n := len(list(data["assets"])); n > 0 {
		b.cardPart(inside(shown, "assets"), n, "pictures and sounds do not travel in a profile pack")
	}
	if version != "v1" {
		for _, key := range sortedKeys(data) {
			if !known[key] {
				b.cardPart(inside(shown, key), 1, "not a field of a character card")
			}
		}
	}
	into[name] = out
	b.rep.issue(pack.IssueCardConverted, pack.SectionPersonas, "")
}

func (b *builder) cardPart(source string, n int, note string) {
	b.rep.add(Field{SourcePath: source, Outcome: Omitted, IssueCode: pack.IssueCardPartsOmitted, Note: note, Count: n})
}

// cardPrompt puts the describing parts together, the card's placeholders filled in.
func (b *builder) cardPrompt(data map[string]any, name, shown, target string) string {
	who := first(data, "nickname")
	if who == "" {
		who = name
	}
	fill := strings.NewReplacer("{{char}}", who, "{{Char}}", who, "<BOT>", who, "<bot>", who, "<char>", who, "{{user}}", "the user", "{{User}}", "the user", "<USER>", "the user", "<user>", "the user", "{{original}}", "")
	var parts []string
	for _, p := range promptParts {
		s := text(data[p.key])
		if s == "" {
			continue
		}
		parts = append(parts, p.head+strings.TrimSpace(fill.Replace(s)))
		b.rep.add(Field{SourcePath: inside(shown, p.key), TargetPath: target + ".system_prompt", Outcome: Mapped, Note: "joined into the system prompt, names filled in"})
	}
	return strings.Join(parts, "\n\n")
}

// lorebook copies a lorebook without the extensions of other programs.
func (b *builder) lorebook(book map[string]any, source, target string) map[string]any {
	out := map[string]any{}
	extensions := 0
	for _, key := range sortedKeys(book) {
		switch v := book[key]; key {
		case "extensions":
			extensions += len(object(v))
		case "entries":
			var entries []any
			items := list(v)
			if m := object(v); m != nil { // as some tools write them
				for _, k := range sortedKeys(m) {
					items = append(items, m[k])
				}
			}
			for i, item := range items {
				entry := object(item)
				if entry == nil {
					b.odd(pack.AppendIndex(inside(source, key), i), "an entry of a lorebook must be an object")
					continue
				}
				clean := map[string]any{}
				for _, k := range sortedKeys(entry) {
					if k == "extensions" {
						extensions += len(object(entry[k]))
						continue
					}
					clean[k] = entry[k]
				}
				b.rep.add(Field{SourcePath: pack.AppendIndex(inside(source, key), i), TargetPath: pack.AppendIndex(target+".entries", len(entries)), Outcome: Mapped, Count: len(clean)})
				entries = append(entries, clean)
			}
			out["entries"] = append([]any{}, entries...)
		default:
			out[key] = b.take(v, inside(source, key), pack.AppendKey(target, key))
		}
	}
	if extensions > 0 {
		b.cardPart(inside(source, "extensions"), extensions, fmt.Sprintf("settings of other programs in the lorebook (%d)", extensions))
	}
	return out
}

// maxTried bounds the files that are looked into for what they may be.
const maxTried = 500

// pictureCards maps the cards in the pictures and JSON files of a zip; it tells whether there was any.
func (b *builder) pictureCards(names []string) bool {
	found, tried := false, 0
	for _, name := range names {
		ext := strings.ToLower(path.Ext(name))
		if ext != ".png" && ext != ".json" {
			continue
		}
		if tried++; tried > maxTried || b.ctx.Err() != nil {
			break
		}
		body, err := b.files.Read(name, maxSingle)
		if err != nil {
			continue
		}
		if ext == ".png" {
			if body, err = cardInPNG(body); err != nil || body == nil {
				continue
			}
		}
		v, err := parse(body)
		if err != nil {
			continue
		}
		if data, version := cardData(v); version != "" {
			b.card(data, version, name)
			found = true
		}
	}
	return found
}
