package export

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact/detect"
)

// Bounds of the Agent Skills specification.
const (
	maxSkillDescription = 1024
	skillFile           = "SKILL.md"
)

// skillFolders writes personas and skills as SKILL.md folders.
func (w *writer) skillFolders() {
	w.writeSkills("")
	for i := range w.item.Personas {
		p := &w.item.Personas[i]
		name := w.names.pick(p.Name, w.item.ID)
		w.file(name+"/"+skillFile, w.markdown(name, p))
		w.losePersona(p)
	}
	w.loseServers("A skill folder holds no MCP servers.")
}

// agentFiles writes what coding assistants read: agents/ for personas, commands/ for templates, skills/, .mcp.json.
func (w *writer) agentFiles() error {
	w.writeSkills("skills/")
	for i := range w.item.Personas {
		p := &w.item.Personas[i]
		name := w.names.pick(p.Name, w.item.ID)
		w.file("agents/"+name+".md", w.markdown(name, p))
		if w.item.Kind == catalog.KindTemplate {
			front := frontMatter([]pair{{"description", oneLine(w.describe(p), maxSkillDescription)}})
			w.file("commands/"+name+".md", append(front, p.Prompt+"\n\n$ARGUMENTS\n"...))
		}
		w.losePersona(p)
	}
	if len(w.item.Servers) == 0 {
		return nil
	}
	servers := map[string]any{}
	for _, s := range w.item.Servers {
		servers[s.Name] = w.server(s)
	}
	text, err := pretty(map[string]any{"mcpServers": servers})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	w.file(".mcp.json", text)
	return nil
}

func (w *writer) losePersona(p *Persona) {
	held := []string{}
	if p.Dialogs() != nil {
		held = append(held, "begin_dialogs") // as a section of examples
	}
	w.loseFields(p.Path, p.Fields, "A Markdown file of an assistant has no field for it.", held...)
}

// describe is the line by which an assistant chooses.
func (w *writer) describe(p *Persona) string {
	for _, s := range []string{w.item.Description, w.item.Title, p.Name} {
		if strings.TrimSpace(s) != "" {
			if s != p.Name && len(w.item.Personas) > 1 {
				return p.Name + ": " + s
			}
			return s
		}
	}
	return w.item.ID
}

// markdown is a persona as a file with front matter; example messages stand in a section of their own.
func (w *writer) markdown(name string, p *Persona) []byte {
	front := []pair{{"name", name}, {"description", oneLine(w.describe(p), maxSkillDescription)}}
	if w.item.License != "" {
		front = append(front, pair{"license", oneLine(w.item.License, 200)})
	}
	front = append(front, pair{"metadata", map[string]string{"stoa-id": w.item.ID, "stoa-version": w.item.Version, "persona": p.Name}})
	out := append(frontMatter(front), p.Prompt...)
	if dialogs := p.Dialogs(); len(dialogs) > 0 {
		out = append(out, "\n\n## Examples\n"...)
		for i, text := range dialogs {
			out = fmt.Appendf(out, "\n%s: %s\n", []string{"User", "Assistant"}[i%2], text)
		}
	}
	return append(out, '\n')
}

// writeSkills writes the skills of a pack. Their text stays as it is when its front matter names the folder.
func (w *writer) writeSkills(dir string) {
	for _, s := range w.item.Skills {
		name := w.names.pick(s.Name, w.item.ID)
		w.file(dir+name+"/"+skillFile, w.skillText(name, s))
		w.loseFields(s.Path, s.Fields, "The other files of a skill are not in the pack.")
	}
}

// skillText makes sure that a SKILL.md has the two fields that are needed and the name of its folder.
func (w *writer) skillText(name string, s Skill) []byte {
	front, body, ok := splitFront(s.Text)
	fields := map[string]any{}
	if ok && yaml.Unmarshal([]byte(front), &fields) == nil && fields["name"] == name && fields["description"] != nil {
		return []byte(s.Text)
	}
	pairs := []pair{{"name", name}}
	description := s.Description
	if description == "" {
		description = either(w.item.Description, w.item.Title, s.Name)
	}
	pairs = append(pairs, pair{"description", oneLine(description, maxSkillDescription)})
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if key != "name" && key != "description" {
			pairs = append(pairs, pair{key, fields[key]})
		}
	}
	if ok && len(fields) == 0 && strings.TrimSpace(front) != "" {
		body = s.Text // front matter that cannot be read stays below ours
	}
	return append(frontMatter(pairs), body...)
}

// splitFront splits a Markdown text at its front matter.
func splitFront(text string) (front, body string, ok bool) {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !ok {
		return "", text, false
	}
	front, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		return "", text, false
	}
	return front, body, true
}

// server is an MCP server as assistants write it. Values that were masked become references to variables: an assistant
// fills them in from the environment.
func (w *writer) server(s Server) map[string]any {
	out := map[string]any{}
	for key, v := range s.Config {
		if v = referenced(v, variable(s.Name, key)); v != nil {
			out[key] = v
		}
	}
	if env, ok := s.Config["env"].(map[string]any); ok {
		named := map[string]any{}
		for key, v := range env {
			named[key] = referenced(v, variable(key))
		}
		out["env"] = named
	}
	return out
}

// referenced copies a value; a text with a redaction mark becomes ${NAME}.
func referenced(v any, name string) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, detect.Masked) || strings.Contains(v, detect.Sealed) {
			return strings.NewReplacer(detect.Masked, "${"+name+"}", detect.Sealed, "${"+name+"}").Replace(v)
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = referenced(item, name+"_"+strconv.Itoa(i))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = referenced(item, name+"_"+variable(key))
		}
		return out
	}
	return v
}

// variable is the name of an environment variable.
func variable(parts ...string) string {
	name := strings.ToUpper(strings.ReplaceAll(slug(strings.Join(parts, "-"), 60), "-", "_"))
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "STOA_" + name
	}
	return name
}

type pair struct {
	key   string
	value any
}

// frontMatter writes YAML front matter in the order given.
func frontMatter(pairs []pair) []byte {
	var out bytes.Buffer
	out.WriteString("---\n")
	for _, p := range pairs {
		text, err := yaml.Marshal(map[string]any{p.key: value(p.value)})
		if err == nil {
			out.Write(text)
		}
	}
	out.WriteString("---\n\n")
	return out.Bytes()
}

// oneLine makes a text one line of at most limit characters.
func oneLine(text string, limit int) string {
	s := []rune(strings.Join(strings.Fields(pack.Clean(text)), " "))
	return string(s[:min(len(s), limit)])
}

func either(texts ...string) string {
	for _, s := range texts {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	return "No description."
}
