package export

import (
	"bytes"
	"encoding/json"
	"time"

	"stoa/internal/market/pack"
)

// cardHeld are the fields of a persona that a card of either version holds.
var cardHeld = []string{
	"first_mes", "mes_example", "post_history_instructions", "creator_notes", "alternate_greetings", "tags", "creator", "character_version",
	"lorebook", "source_format",
}

// cardV3Held are those that Version 3 holds beyond.
var cardV3Held = []string{"nickname", "creator_notes_multilingual", "source", "group_only_greetings", "creation_date", "modification_date"}

// cards writes the cards of an item. Version 2 and 3 share most fields.
func (w *writer) cards(format Format) error {
	for i := range w.item.Personas {
		p := &w.item.Personas[i]
		v2 := map[string]any{"spec": "chara_card_v2", "spec_version": "2.0", "data": w.cardData(p)}
		v3data := w.cardData(p)
		w.addV3(v3data, p)
		v3 := map[string]any{"spec": "chara_card_v3", "spec_version": "3.0", "data": v3data}
		held := append([]string{}, cardHeld...)
		if p.Dialogs() != nil {
			held = append(held, "begin_dialogs")
		}
		if p.text("mes_example") != "" && p.Dialogs() != nil {
			held = held[:len(held)-1] // the card's own examples are kept
		}
		if format != CardV2 {
			held = append(held, cardV3Held...)
		}
		name := w.names.pick(p.Name, w.item.ID)
		var data []byte
		var err error
		switch format {
		case CardV2:
			data, err = pretty(v2)
			name += ".json"
		case CardV3:
			data, err = pretty(v3)
			name += ".json"
		default:
			data, err = w.cardPNG(p, v2, v3)
			name += ".png"
		}
		if err != nil {
			return err
		}
		w.file(name, data)
		w.loseFields(p.Path, p.Fields, "A character card has no field for it.", held...)
		w.loseTypes(p, held)
	}
	w.loseSkills("A character card holds no skills.")
	w.loseServers("A character card holds no MCP servers.")
	return nil
}

// cardTexts and cardLists are held only when they have the type that a card wants.
var (
	cardTexts = []string{"first_mes", "mes_example", "post_history_instructions", "creator_notes", "creator", "character_version", "nickname"}
	cardLists = []string{"alternate_greetings", "tags", "source", "group_only_greetings"}
	cardMaps  = []string{"lorebook", "creator_notes_multilingual"}
	cardTimes = []string{"creation_date", "modification_date"}
)

func (w *writer) loseTypes(p *Persona, held []string) {
	const reason = "It has another type than the card's field."
	for _, key := range held {
		v := p.Fields[key]
		if empty(v) {
			continue
		}
		ok := true
		switch {
		case contains(cardTexts, key):
			_, ok = v.(string)
		case contains(cardLists, key):
			_, ok = p.texts(key)
		case contains(cardMaps, key):
			_, ok = v.(map[string]any)
		case contains(cardTimes, key):
			_, ok = v.(json.Number)
		case key == "source_format":
			_, ok = v.(string)
		}
		if !ok {
			w.lose(pack.AppendKey(p.Path, key), reason)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// cardData is what both versions hold. Every field of the specification stands, also when it is empty.
func (w *writer) cardData(p *Persona) map[string]any {
	notes := p.text("creator_notes")
	if notes == "" {
		notes = w.item.Description
	}
	version := p.text("character_version")
	if version == "" {
		version = w.item.Version
	}
	creator := p.text("creator")
	if creator == "" {
		creator = w.item.Author
	}
	tags, _ := p.texts("tags")
	if len(tags) == 0 {
		tags = w.item.Tags
	}
	greetings, _ := p.texts("alternate_greetings")
	examples := p.text("mes_example")
	if examples == "" {
		examples = exampleBlocks(p.Dialogs())
	}
	stoa := map[string]any{"id": w.item.ID, "version": w.item.Version}
	if w.item.SHA256 != "" {
		stoa["sha256"] = w.item.SHA256
	}
	if format := p.text("source_format"); format != "" {
		stoa["source_format"] = format
	}
	data := map[string]any{
		"name": p.Name, "description": "", "personality": "", "scenario": "", "first_mes": p.text("first_mes"), "mes_example": examples,
		"creator_notes": notes, "system_prompt": p.Prompt, "post_history_instructions": p.text("post_history_instructions"),
		"alternate_greetings": orEmpty(greetings), "tags": orEmpty(tags), "creator": creator, "character_version": version,
		"extensions": map[string]any{"stoa": stoa},
	}
	if book, ok := p.Fields["lorebook"].(map[string]any); ok && len(book) > 0 {
		data["character_book"] = lorebook(book)
	}
	return data
}

// addV3 adds the fields of Version 3.
func (w *writer) addV3(data map[string]any, p *Persona) {
	greetings, _ := p.texts("group_only_greetings")
	data["group_only_greetings"] = orEmpty(greetings)
	if s := p.text("nickname"); s != "" {
		data["nickname"] = s
	}
	if m, ok := p.Fields["creator_notes_multilingual"].(map[string]any); ok && len(m) > 0 {
		data["creator_notes_multilingual"] = m
	}
	source, _ := p.texts("source")
	if w.item.URL != "" && !contains(source, w.item.URL) {
		source = append(source, w.item.URL)
	}
	if len(source) > 0 {
		data["source"] = source
	}
	for _, key := range cardTimes {
		if n, ok := p.Fields[key].(json.Number); ok {
			data[key] = n
		}
	}
	if at, err := time.Parse(time.RFC3339, w.item.PublishedAt); err == nil && data["modification_date"] == nil {
		data["modification_date"] = at.Unix()
	}
}

// lorebook gives a lorebook its needed fields.
func lorebook(book map[string]any) map[string]any {
	out := map[string]any{"extensions": map[string]any{}}
	for key, v := range book {
		out[key] = v
	}
	entries, _ := book["entries"].([]any)
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = e
		if m, ok := e.(map[string]any); ok {
			entry := map[string]any{"extensions": map[string]any{}, "enabled": true, "insertion_order": i, "keys": []any{}, "content": "", "use_regex": false}
			for key, v := range m {
				entry[key] = v
			}
			list[i] = entry
		}
	}
	if entries != nil || book["entries"] == nil {
		out["entries"] = list
	}
	return out
}

// exampleBlocks writes example messages as a card has them.
func exampleBlocks(dialogs []string) string {
	var b bytes.Buffer
	for i, text := range dialogs {
		if i%2 == 0 {
			b.WriteString("<START>\n{{user}}: ")
		} else {
			b.WriteString("{{char}}: ")
		}
		b.WriteString(text)
		b.WriteByte('\n')
	}
	return b.String()
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// pretty writes JSON for people: indented, no HTML escapes.
func pretty(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return out.Bytes(), err
}
