package botimport

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"stoa/internal/market/pack"
)

// database is what a backup's main_db.json says beside its personas.
type database struct {
	folders  map[string]string // names of persona folders
	profiles map[string]string // names of configuration profiles by file
	inactive []string          // module paths of plugins that are switched off
}

// left are tables that are never taken over, and why.
var left = []struct{ table, outcome, note string }{
	{"conversations", Omitted, "private chats with people"},
	{"platform_message_history", Omitted, "private chats with people"},
	{"platform_sessions", Omitted, "who talked to the bot"},
	{"webchat_threads", Omitted, "private chats with people"},
	{"chatui_projects", Omitted, "private chats with people"},
	{"session_project_relations", Omitted, "who talked to the bot"},
	{"attachments", Omitted, "files that people sent"},
	{"api_keys", Omitted, "keys to this bot"},
	{"preferences", Omitted, "choices of single chats; switched-off plugins and names of profiles were read from them"},
	{"cron_jobs", Omitted, "reminders and tasks of single chats"},
	{"platform_stats", OmittedRuntime, "statistics"},
	{"provider_stats", OmittedRuntime, "statistics"},
	{"command_configs", NeedsAPerson, "renamed or disabled commands; set them again after the installation"},
	{"command_conflicts", OmittedRuntime, "worked out by the bot itself"},
	{"persona_folders", Mapped, ""},
	{"personas", Mapped, ""},
}

// readDatabase maps databases/main_db.json, read as a stream since chats can make it very large.
func (b *builder) readDatabase(l *layout) database {
	db := database{folders: map[string]string{}, profiles: map[string]string{}}
	name := l.first("databases/main_db.json", "main_db.json")
	if name == "" {
		return db
	}
	l.used[name] = true
	shown := l.show(name)
	type persona struct {
		at  string
		row any
	}
	var found []persona
	size := int64(0)
	row := func(table string, i int, v any) {
		at := shown + ":" + pack.AppendIndex(table, i)
		switch table {
		case "personas":
			if size += int64(weight(v)); size > maxConfigBytes || len(found) > maxItems {
				b.full(maxItems, at, "personas or 8 MiB of them")
				return
			}
			found = append(found, persona{at, v})
		case "persona_folders":
			if m := object(v); len(db.folders) < maxItems {
				db.folders[text(m["folder_id"])] = clip(text(m["name"]), 200)
			}
		case "preferences":
			db.preference(object(v))
		}
	}
	counts, err := b.stream(name, shown, row, "personas", "persona_folders", "preferences")
	if err != nil {
		b.unreadable(shown, err)
	}
	for _, p := range found {
		b.persona(p.row, p.at, db.folders)
	}
	b.tablesLeft(shown, counts)
	return db
}

// stream reads the wanted tables of a dump.
func (b *builder) stream(name, shown string, row func(string, int, any), wanted ...string) (map[string]int, error) {
	r, err := b.files.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return tables(contextReader{b.ctx, r}, func(table string) bool { return slices.Contains(wanted, table) }, row,
		func(table string, i int, err error) { b.unreadable(shown+":"+pack.AppendIndex(table, i), err) })
}

func (b *builder) tablesLeft(shown string, counts map[string]int) {
	for _, table := range sortedKeys(counts) {
		if counts[table] == 0 {
			continue
		}
		f := Field{SourcePath: shown + ":" + pack.AppendKey("", table), Outcome: Omitted, Note: "not part of a bot's setup", Count: counts[table]}
		if i := slices.IndexFunc(left, func(t struct{ table, outcome, note string }) bool { return t.table == table }); i >= 0 {
			if left[i].outcome == Mapped {
				continue
			}
			f.Outcome, f.Note = left[i].outcome, left[i].note
		}
		f.Note = fmt.Sprintf("%s (records: %d)", f.Note, counts[table])
		b.rep.add(f)
	}
}

// preference reads the few global choices that belong to a setup.
func (db *database) preference(row map[string]any) {
	if text(row["scope"]) != "global" {
		return
	}
	value := row["value"]
	if m := object(value); len(m) == 1 && m["val"] != nil {
		value = m["val"]
	}
	switch text(row["key"]) {
	case "inactivated_plugins":
		db.inactive = texts(value)
	case "abconf_mapping":
		for _, v := range object(value) {
			if file, name := text(object(v)["path"]), text(object(v)["name"]); file != "" && name != "" {
				db.profiles[path.Base(file)] = clip(name, 120)
			}
		}
	}
}

// off tells whether a plugin of this folder is switched off.
func (db *database) off(dir string) bool {
	return slices.ContainsFunc(db.inactive, func(module string) bool {
		return slices.Contains(strings.FieldsFunc(module, func(r rune) bool { return r == '.' || r == '/' }), dir)
	})
}

// weight is about how many bytes a value holds.
func weight(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) + 16
	case []any:
		n := 24
		for _, item := range v {
			n += weight(item)
		}
		return n
	case map[string]any:
		n := 48
		for key, item := range v {
			n += len(key) + weight(item)
		}
		return n
	}
	return 16
}
