package botimport

import (
	"fmt"
	"path"
	"strings"

	"stoa/internal/market/pack"
)

// places are files of a bot that are not taken over, by their folder. The first that fits counts.
var places = []struct{ dir, outcome, issue, note string }{
	{"plugins/", OmittedRuntime, pack.IssueRuntimeOmitted, "plugin code is installed from its source, never from a pack"},
	{"plugin_data/", OmittedRuntime, pack.IssueRuntimeOmitted, "what plugins stored while running; it may hold private data"},
	{"files/attachments/", Omitted, pack.IssueRuntimeOmitted, "files that people sent"},
	{"attachments/", Omitted, pack.IssueRuntimeOmitted, "files that people sent"},
	{"files/kb_media/", OmittedRuntime, pack.IssueRuntimeOmitted, "pictures of knowledge bases"},
	{"webchat/", Omitted, pack.IssueRuntimeOmitted, "private chats with people"},
	{"temp/", OmittedRuntime, pack.IssueRuntimeOmitted, "temporary files"},
	{"cache/", OmittedRuntime, pack.IssueRuntimeOmitted, "temporary files"},
	{"logs/", OmittedRuntime, pack.IssueRuntimeOmitted, "logs; they may hold private data"},
	{"backups/", OmittedRuntime, pack.IssueRuntimeOmitted, "older backups"},
	{"t2i_templates/", OmittedRuntime, pack.IssueRuntimeOmitted, "templates for pictures of texts"},
	{"dist/", OmittedRuntime, pack.IssueRuntimeOmitted, "the bot's own web pages"},
	{"site-packages/", OmittedRuntime, pack.IssueRuntimeOmitted, "installed libraries"},
	{"knowledge_base/", OmittedRuntime, pack.IssueRuntimeOmitted, "documents of knowledge bases"},
	{"databases/kb_", OmittedRuntime, pack.IssueRuntimeOmitted, "documents of knowledge bases"},
	{"skills/", OmittedRuntime, pack.IssueSkillFilesOmitted, "files of skills without a SKILL.md"},
	{"config/", NeedsAPerson, "", "a file among the configurations whose meaning is not known"},
}

type leftGroup struct {
	field Field
	size  int64
}

// leftovers reports every file that was not read, by folder, with counts and sizes.
func (b *builder) leftovers(l *layout) {
	var order []string
	groups := map[string]*leftGroup{}
	for _, name := range l.names {
		if l.used[name] || name == l.sqlite {
			continue
		}
		key, f := place(l, name)
		g := groups[key]
		if g == nil {
			g = &leftGroup{field: f}
			groups[key] = g
			order = append(order, key)
		}
		g.field.Count++
		g.size += max(b.files.Size(name), 0)
	}
	for _, key := range order {
		g := groups[key]
		g.field.Note = fmt.Sprintf("%s (files: %d, %s)", g.field.Note, g.field.Count, bytes(g.size))
		b.rep.add(g.field)
	}
}

func place(l *layout, name string) (string, Field) {
	rest := strings.TrimPrefix(l.show(name), "directories/")
	for _, p := range places {
		if strings.HasPrefix(rest, p.dir) {
			dir := strings.TrimSuffix(l.show(name), rest) + p.dir
			if !strings.HasSuffix(dir, "/") {
				dir += "*/"
			}
			return dir, Field{SourcePath: dir, Outcome: p.outcome, IssueCode: p.issue, Note: p.note}
		}
	}
	if path.Base(name) == "cmd_config.json" || isProfile(name) {
		return name, Field{SourcePath: l.show(name), Outcome: NeedsAPerson, Note: "a configuration of another bot; import it by itself"}
	}
	return "", Field{SourcePath: "other files", Outcome: Omitted, Note: "not part of a bot's setup"}
}

// bytes writes a size for people.
func bytes(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
