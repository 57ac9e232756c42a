package botimport

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"stoa/internal/market/pack"
)

// Bounds of skills.
const (
	maxSkillBytes  = 1 << 20 // of one SKILL.md
	maxSkillsBytes = 6 << 20 // of all
	maxSkillFiles  = 200     // listed for one skill
)

// skillFields are members of a SKILL.md's front matter, under the names of the pack.
var skillFields = []struct{ from, to string }{
	{"name", "name"},
	{"description", "description"},
	{"license", "license"},
	{"compatibility", "compatibility"},
	{"metadata", "metadata"},
	{"allowed-tools", "allowed_tools"},
	{"version", "version"},
	{"author", "author"},
}

// skillSet collects skills within the bounds.
type skillSet struct {
	b    *builder
	size int
}

// skill maps one SKILL.md or Markdown text. fallback names it when it does not name itself; others are the further
// files of its folder, which stay behind.
func (s *skillSet) skill(name, shown, fallback string, others []string) {
	b := s.b
	body, err := b.files.Read(name, maxSkillBytes)
	if err != nil {
		b.unreadable(shown, err)
		return
	}
	body = decoded(body)
	into := b.section(pack.SectionSkills)
	switch {
	case !utf8.Valid(body) || slices.Contains(body, 0):
		b.odd(shown, "a skill must be a text in UTF-8")
		return
	case b.full(len(into), shown, "skills"):
		return
	case s.size+len(body) > maxSkillsBytes:
		b.rep.add(Field{SourcePath: shown, Outcome: NeedsAPerson, IssueCode: pack.IssueItemsTruncated, Note: "the skills are larger than 6 MiB together; this one was left out"})
		return
	}
	s.size += len(body)
	front, _ := frontMatter(string(body))
	id := fallback
	if id == "" {
		id = first(front, "name")
	}
	if id == "" {
		id = "skill"
	}
	id = free(into, clip(id, maxName))
	target := pack.AppendKey(pack.SectionSkills, id)
	out := map[string]any{"text": string(body)}
	for _, f := range skillFields {
		if v, ok := front[f.from]; ok && v != nil {
			out[f.to] = v
			b.rep.mapped(shown+":"+pack.AppendKey("", f.from), target+"."+f.to)
		}
	}
	b.rep.mapped(shown, target+".text")
	if len(others) > 0 {
		out["files"] = anys(others[:min(len(others), maxSkillFiles)])
		if len(others) > maxSkillFiles {
			out["files_not_listed"] = number(len(others) - maxSkillFiles)
		}
		b.rep.add(Field{
			SourcePath: path.Dir(shown) + "/", TargetPath: target + ".files", Outcome: OmittedRuntime, IssueCode: pack.IssueSkillFilesOmitted, Count: len(others),
			Note: "scripts and other files of a skill are listed by name; their content does not travel in a profile pack",
		})
	}
	into[id] = out
	b.sum.SkillCount = len(into)
}

// isSkillFile tells whether a file is a skill's text.
func isSkillFile(name string) bool { return strings.EqualFold(path.Base(name), "SKILL.md") }

// botSkills maps the skills folder of a bot.
func (b *builder) botSkills(l *layout) {
	set := skillSet{b: b}
	for _, name := range l.names {
		rest, ok := l.below("skills", name)
		if !ok || !isSkillFile(name) {
			continue
		}
		dir := path.Dir(rest)
		if dir == "." || strings.Contains(dir, "/") {
			continue // nested ones belong to the skill above them
		}
		others := filesBelow(l.names, path.Dir(name)+"/", name)
		for _, o := range append(others, path.Base(name)) {
			l.used[path.Dir(name)+"/"+o] = true
		}
		set.skill(name, l.show(name), dir, others)
	}
}

// filesBelow lists the other files of a folder, relative to it.
func filesBelow(names []string, dir, except string) []string {
	var out []string
	start, _ := slices.BinarySearch(names, dir)
	for _, name := range names[start:] {
		rest, ok := strings.CutPrefix(name, dir)
		if !ok {
			break
		}
		if name != except {
			out = append(out, rest)
		}
	}
	return out
}

// skillFolders maps a folder or zip of skills: each SKILL.md with the files around it, and where there is none, each
// Markdown file as a skill of its own. It tells whether there was any.
func (b *builder) skillFolders(names []string) bool {
	set := skillSet{b: b}
	var tops []string
	for _, name := range names {
		dir := path.Dir(name) + "/"
		if isSkillFile(name) && !slices.ContainsFunc(tops, func(top string) bool { return top != "./" && strings.HasPrefix(dir, top) }) {
			tops = append(tops, dir)
			prefix := strings.TrimPrefix(dir, "./")
			fallback := path.Base(path.Dir(name))
			if fallback == "." {
				fallback = ""
			}
			set.skill(name, name, fallback, filesOf(names, prefix, name))
		}
	}
	if len(tops) > 0 {
		return true
	}
	for _, name := range names {
		base := strings.ToLower(path.Base(name))
		ext := path.Ext(base)
		if (ext != ".md" && ext != ".markdown") || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "license") {
			continue
		}
		set.skill(name, name, strings.TrimSuffix(path.Base(name), path.Ext(name)), nil)
	}
	return b.sum.SkillCount > 0
}

// filesOf is filesBelow, for a SKILL.md at the very top only the folders that skills have.
func filesOf(names []string, dir, except string) []string {
	if dir != "" {
		return filesBelow(names, dir, except)
	}
	var out []string
	for _, name := range names {
		if name != except {
			out = append(out, name)
		}
	}
	return out
}
