package card

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
)

// Card is one published version.
type Card struct {
	ID       string
	Slug     string // the id as clients take it that allow no slash; see Slug
	Version  string
	Kind     catalog.Kind
	Locale   string // of Title and Description
	Title    string
	Summary  string // one line, "" when the item says nothing of itself
	Texts    map[string]catalog.Text
	Category string
	Tags     []string
	Facts

	Maintainer string
	Homepage   string
	Personas   []Persona
	Skills     []Skill
	Servers    []Server
	Reach      *disclosure.Reach // nil where it was never computed
	Losses     []Loss
}

// Facts are what the catalog knows of a version beside its document. They never change.
type Facts struct {
	Published time.Time
	SHA256    string // of the package
	Size      int64  // of the package, in bytes
}

// Persona is a character that an assistant can speak as.
type Persona struct {
	Name    string
	Prompt  string
	Dialogs []string // alternating user and assistant, an even number
}

// Loss is a part that does not travel in any feed, or not as it stands.
type Loss struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
}

// Of makes the card of a document. sections are a profile pack's, parsed; nil for a template.
func Of(d *catalog.Document, sections map[string]any, f Facts) *Card {
	text, locale := d.Text(d.Fallback())
	c := &Card{
		ID: d.ID, Slug: Slug(d.ID), Version: d.Version, Kind: d.Kind, Locale: locale, Title: line(text.Title, 200), Texts: d.Locales, Category: d.Category, Tags: d.Tags,
		Facts: f, Maintainer: d.Maintainer, Homepage: d.Homepage, Reach: d.Reach,
	}
	c.Summary = line(text.Description, 1000)
	if c.Title == "" {
		c.Title = d.ID
	}
	if d.Kind == catalog.KindTemplate {
		c.template(text.Prompt)
		return c
	}
	c.skills(object(sections[pack.SectionSkills]))
	c.servers(object(sections[pack.SectionMCPServers]))
	c.personas(sections[pack.SectionPersonas])
	for _, name := range d.SectionNames() {
		if reason, stays := staysBehind[name]; stays {
			c.lose(name, reason)
		} else if !slices.Contains(carried, name) {
			c.lose(name, "no assistant has a place for this section")
		}
	}
	return c
}

// Carried are those of a pack's sections that cards are made of.
func Carried(sections map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range carried {
		if v, ok := sections[name]; ok {
			out[name] = v
		}
	}
	return out
}

// Weight estimates the memory of the card, in bytes.
func (c *Card) Weight() int {
	n := 2048
	for _, t := range c.Texts {
		n += len(t.Title) + len(t.Description) + len(t.Prompt)
	}
	for _, s := range c.Skills {
		n += len(s.Text) + len(s.Description)
	}
	for _, p := range c.Personas {
		n += len(p.Prompt) + len(strings.Join(p.Dialogs, ""))
	}
	return n
}

var carried = []string{pack.SectionSkills, pack.SectionMCPServers, pack.SectionPersonas}

// staysBehind are the sections that no feed carries, with why.
var staysBehind = map[string]string{
	pack.SectionPlugins:       "plugins are code of others and are installed by the bot they are made for",
	pack.SectionProviders:     "model providers belong to the account of whoever runs the assistant",
	pack.SectionCore:          "settings of one bot program mean nothing to another assistant",
	pack.SectionMemory:        "memories are not handed to assistants that did not make them",
	pack.SectionConversations: "conversations are not handed on",
	pack.SectionKnowledge:     "assistants have no common form for a knowledge base",
	pack.SectionEnvironment:   "nothing is changed on the machine of whoever installs",
	pack.SectionMeta:          "it describes the pack, not the assistant",
}

func (c *Card) lose(part, reason string) { c.Losses = append(c.Losses, Loss{part, reason}) }

// Runs names what an assistant may run later of this version: the commands of its MCP servers. It is empty for a version
// without code. Files of skills do not travel in packs, so no script can come with one.
func (c *Card) Runs() []string {
	var out []string
	for _, s := range c.Servers {
		if s.Command != "" {
			out = append(out, "MCP server "+s.Name+": "+line(strings.Join(append([]string{s.Command}, s.Args...), " "), 300))
		}
	}
	return out
}

// settingsName finds the settings of a machine that an assistant puts into a text: ${NAME} and ${NAME:-otherwise}.
var settingsName = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)`)

// Reaches names the addresses that an assistant will speak to for this version, with what of its machine's settings it tells them.
func (c *Card) Reaches() []string {
	var out []string
	for _, s := range c.Servers {
		if s.URL == "" {
			continue
		}
		told := s.URL
		for _, h := range s.Headers {
			told += " " + cmp.Or(h.Value, h.Reference())
		}
		names := []string{}
		for _, m := range settingsName.FindAllStringSubmatch(told, -1) {
			names = append(names, m[1])
		}
		text := "MCP server " + s.Name + ": " + line(s.URL, 300)
		if slices.Sort(names); len(names) > 0 {
			text += " is told the settings " + strings.Join(slices.Compact(names), ", ")
		}
		out = append(out, text)
	}
	return out
}

// template turns a prompt into a skill.
func (c *Card) template(prompt string) {
	name := SkillName(namePart(c.ID))
	s := Skill{Name: name, Description: c.describe()}
	body, defused := defuse(prompt)
	if defused {
		c.lose("prompt", "marks that make an assistant run a command while it reads were defused")
	}
	s.Text = frontMatter(s, nil) + "\n" + strings.TrimRight(body, "\n") + "\n"
	c.Skills = []Skill{s}
}

// describe is what a skill of the item says of itself when it has no words of its own.
func (c *Card) describe() string {
	if c.Summary != "" {
		return cut(c.Summary, maxDescription)
	}
	return cut(c.Title, maxDescription)
}

// personas takes the section in each of its forms: entries under a name, entries at its top, or a list.
func (c *Card) personas(section any) {
	var rows []map[string]any
	if list, ok := section.([]any); ok {
		for _, v := range list {
			rows = append(rows, named(object(v), ""))
		}
	}
	m := object(section)
	if entries := object(m["entries"]); entries != nil {
		m = entries
	}
	for _, name := range sorted(m) {
		if row := object(m[name]); row != nil && name != "runtime" {
			rows = append(rows, named(row, name))
		}
	}
	for _, row := range rows {
		p := Persona{Name: line(first(row, "name", "persona_id"), 100), Prompt: first(row, "system_prompt", "prompt")}
		if strings.TrimSpace(p.Prompt) == "" {
			continue
		}
		p.Dialogs = texts(row["begin_dialogs"])
		if len(p.Dialogs)%2 == 1 {
			p.Dialogs = p.Dialogs[:len(p.Dialogs)-1]
		}
		if p.Name == "" {
			p.Name = c.Title
		}
		var defused bool
		if p.Prompt, defused = defuse(p.Prompt); defused {
			c.lose("personas."+p.Name, "marks that make an assistant run a command while it reads were defused")
		}
		c.Personas = append(c.Personas, p)
	}
}

// named gives a row the name that it stands under, unless it has one.
func named(row map[string]any, name string) map[string]any {
	if row == nil || first(row, "name", "persona_id") != "" || name == "" {
		return row
	}
	out := map[string]any{"name": name}
	for k, v := range row {
		out[k] = v
	}
	return out
}
