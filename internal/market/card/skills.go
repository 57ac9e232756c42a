package card

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Skill is a text that an assistant reads when it has use for it.
type Skill struct {
	Name        string // as the Agent Skills specification takes it, unique within the card
	Description string // at most 1024 characters, never empty
	Text        string // of its SKILL.md, front matter included
}

const (
	maxDescription = 1024
	maxCompatible  = 500
	// maxFrontMatter bounds the front matter that is read, in bytes; a longer one is taken for a part of the text.
	maxFrontMatter = 16 << 10
)

func (c *Card) skills(section map[string]any) {
	taken := map[string]bool{}
	for _, id := range sorted(section) {
		row := object(section[id])
		raw := first(row, "text", "content", "prompt")
		if row == nil || strings.TrimSpace(raw) == "" {
			c.lose("skills."+id, "the pack names this skill without its text")
			continue
		}
		s, changed := c.skill(id, row, raw)
		s.Name = free(taken, s.Name)
		if len(changed) > 0 || !sameName(raw, s.Name) {
			s.Text = frontMatter(s, keptFields(raw)) + afterFrontMatter(s.Text)
		}
		for _, reason := range changed {
			c.lose("skills."+id, reason)
		}
		if files := texts(row["files"]); len(files) > 0 {
			c.lose("skills."+id, strconv.Itoa(len(files))+" further files of the skill do not travel in packs")
		}
		c.Skills = append(c.Skills, s)
	}
}

// skill reads one row. changed says in words what of its text does not go on as it stands.
func (c *Card) skill(id string, row map[string]any, raw string) (s Skill, changed []string) {
	front, _, has := split(raw)
	s = Skill{Description: cut(line(either(first(front, "description"), first(row, "description")), maxDescription), maxDescription)}
	for _, name := range []string{first(front, "name"), id, namePart(c.ID)} {
		if s.Name = SkillName(name); s.Name != "" {
			break
		}
	}
	if s.Description == "" {
		s.Description = c.describe()
		changed = append(changed, "it had no description and got the pack's")
	} else if !has {
		changed = append(changed, "its text had no front matter and got one")
	} else if len(text(front["description"])) > maxDescription {
		changed = append(changed, "its description was cut to 1024 bytes")
	}
	var dropped []string
	for _, key := range sorted(front) {
		if !slices.Contains(keptKeys, key) {
			dropped = append(dropped, line(key, 40))
		}
	}
	if len(dropped) > 0 {
		changed = append(changed, "front matter that grants or runs something, or that nobody knows, stays behind: "+strings.Join(dropped, ", "))
	}
	text, defused := defuse(raw)
	if defused {
		changed = append(changed, "marks that make an assistant run a command while it reads were defused")
	}
	s.Text = text
	return s, changed
}

// keptKeys are the members of a front matter that only describe. allowed-tools is not among them: it lets a skill use tools
// without anybody being asked.
var keptKeys = []string{"name", "description", "license", "compatibility", "metadata"}

// keptFields reads those beside name and description, as far as they are plain texts.
func keptFields(raw string) map[string]any {
	front, _, _ := split(raw)
	out := map[string]any{}
	for key, limit := range map[string]int{"license": 200, "compatibility": maxCompatible} {
		if v := line(text(front[key]), limit); v != "" {
			out[key] = v
		}
	}
	meta := map[string]string{}
	for k, v := range object(front["metadata"]) {
		if s := line(text(v), 300); s != "" && len(meta) < 32 {
			meta[line(k, 60)] = s
		}
	}
	if len(meta) > 0 {
		out["metadata"] = meta
	}
	return out
}

// frontMatter writes the front matter of a skill.
func frontMatter(s Skill, more map[string]any) string {
	type node struct {
		Name          string            `yaml:"name"`
		Description   string            `yaml:"description"`
		License       string            `yaml:"license,omitempty"`
		Compatibility string            `yaml:"compatibility,omitempty"`
		Metadata      map[string]string `yaml:"metadata,omitempty"`
	}
	n := node{Name: s.Name, Description: s.Description, License: text(more["license"]), Compatibility: text(more["compatibility"])}
	n.Metadata, _ = more["metadata"].(map[string]string)
	var out bytes.Buffer
	out.WriteString("---\n")
	e := yaml.NewEncoder(&out)
	if err := e.Encode(n); err != nil {
		panic(err) // texts always encode
	}
	_ = e.Close() // into memory
	out.WriteString("---\n")
	return out.String()
}

func sameName(raw, name string) bool {
	front, _, has := split(raw)
	return has && text(front["name"]) == name
}

func afterFrontMatter(raw string) string {
	if _, body, has := split(raw); has {
		return body
	}
	return "\n" + strings.TrimLeft(raw, "\n")
}

// split parts a SKILL.md. A front matter that is no map of YAML is a part of the body.
func split(raw string) (front map[string]any, body string, has bool) {
	raw = strings.ReplaceAll(strings.TrimPrefix(raw, "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(raw, "---\n")
	if !ok {
		return nil, raw, false
	}
	end := strings.Index("\n"+rest, "\n---\n")
	if end < 0 && strings.HasSuffix(rest, "\n---") {
		end = len(rest) - len("---")
	}
	if end < 0 || end > maxFrontMatter || yaml.Unmarshal([]byte(rest[:end]), &front) != nil || front == nil {
		return nil, raw, false
	}
	return front, strings.TrimPrefix(strings.TrimPrefix(rest[end:], "---"), "\n"), true
}

// running finds what Claude Code runs while it reads a skill: !`command` and a code block opened with ```!.
var running = regexp.MustCompile("(!)(`)|(```+|~~~+)(!)")

// defuse parts the marks by a space, so that they are text.
func defuse(s string) (string, bool) {
	if !running.MatchString(s) {
		return s, false
	}
	return running.ReplaceAllString(s, "$1$3 $2$4"), true
}

func free(taken map[string]bool, name string) string {
	for i := 2; taken[name]; i++ {
		base, tail := name, "-"+strconv.Itoa(i)
		if !taken[base+tail] {
			name = cut(base, maxSkillName-len(tail)) + tail
		}
	}
	taken[name] = true
	return name
}

// cut shortens a text to at most n bytes, not within a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
