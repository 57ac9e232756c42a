package botimport

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/market/pack"
)

// personaNoise are columns of the persona table that mean nothing outside their database.
var personaNoise = []string{"id", "persona_id", "name", "prompt", "system_prompt", "created_at", "updated_at", "folder_id", "sort_order", "_begin_dialogs_processed", "_mood_imitation_dialogs_processed"}

// nullMatters are columns where nothing means "all of them".
var nullMatters = []string{"tools", "skills", "subagents"}

// entries is the map of personas by name.
func (b *builder) entries() map[string]any {
	return member(b.section(pack.SectionPersonas), "entries")
}

// persona maps one persona: a record of the database, an element of an older configuration's list, or one that
// was exported by itself. folders gives names to folder ids.
func (b *builder) persona(v any, source string, folders map[string]string) {
	row := object(v)
	name := clip(first(row, "persona_id", "name", "id"), maxName)
	prompt, isText := row["system_prompt"].(string)
	promptKey := "system_prompt"
	if !isText {
		prompt, isText = row["prompt"].(string)
		promptKey = "prompt"
	}
	if row == nil || !isText {
		b.odd(source, "a persona must be an object with a system_prompt")
		return
	}
	into := b.entries()
	if b.full(len(into), source, "personas") {
		return
	}
	if name == "" {
		name = "persona-" + strconv.Itoa(len(into)+1)
	}
	if known := object(into[name]); known != nil && known["system_prompt"] == prompt {
		b.rep.add(Field{SourcePath: source, Outcome: Omitted, Note: "the same persona is taken from another file already"})
		return
	}
	name = free(into, name)
	target := pack.AppendKey("personas.entries", name)
	out := map[string]any{"system_prompt": prompt}
	b.rep.mapped(inside(source, promptKey), target+".system_prompt")
	for _, key := range sortedKeys(row) {
		if slices.Contains(personaNoise, key) || row[key] == nil && !slices.Contains(nullMatters, key) {
			continue
		}
		out[key] = b.take(row[key], inside(source, key), pack.AppendKey(target, key))
	}
	if folder := folders[text(row["folder_id"])]; folder != "" {
		out["folder"] = folder
		b.rep.mapped(inside(source, "folder_id"), target+".folder")
	}
	into[name] = out
}

// oldPersonas maps the persona list of configurations before version 4.
func (b *builder) oldPersonas(v any, source string) {
	for i, item := range list(v) {
		b.persona(item, pack.AppendIndex(source, i), nil)
	}
	if m := object(v); len(m) > 0 {
		for _, name := range sortedKeys(m) {
			item := m[name]
			if prompt, ok := item.(string); ok {
				item = map[string]any{"persona_id": name, "system_prompt": prompt}
			} else if o := object(item); o != nil && first(o, "persona_id", "name") == "" {
				o = maps.Clone(o)
				o["persona_id"] = name
				item = o
			}
			b.persona(item, pack.AppendKey(source, name), nil)
		}
	}
}

// missingPersona reports the persona a bot speaks as when it is not among those that were found.
func (b *builder) missingPersona(source string) {
	name := b.sum.DefaultPersonality
	if name == "" || strings.EqualFold(name, "default") || name == "[%None]" || source == "" {
		return
	}
	if _, ok := object(object(b.sections[pack.SectionPersonas])["entries"])[name]; ok {
		return
	}
	b.rep.add(Field{
		SourcePath: source + ":provider_settings.default_personality", Outcome: NeedsAPerson, IssueCode: pack.IssueDatabaseNotRead,
		Note: "the persona the bot speaks as lies in its database; make a backup in AstrBot's dashboard and import that to take it along",
	})
}

// personaJSON tells whether v is a persona or a list of them, exported by itself, and gives the list.
func personaJSON(v any) []any {
	items := list(v)
	if m := object(v); m != nil {
		if items = list(m["personas"]); items == nil {
			items = []any{m}
		}
	}
	for _, item := range items {
		m := object(item)
		_, isNew := m["system_prompt"].(string)
		_, isOld := m["prompt"].(string)
		if !isNew && !isOld || first(m, "persona_id", "name") == "" {
			return nil
		}
	}
	return items
}
