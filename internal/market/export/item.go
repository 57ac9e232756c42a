package export

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
)

// Item is one version of a template or profile pack, as the writers see it.
type Item struct {
	ID          string
	Version     string
	Kind        catalog.Kind
	Title       string
	Description string
	Author      string
	Category    string
	Tags        []string
	License     string
	URL         string // of the item's page; "" when it is not known
	SHA256      string // of the package; "" when it is not known
	PublishedAt string // RFC 3339; "" when it is not known

	Personas []Persona
	Skills   []Skill
	Servers  []Server
	Rest     []Value // everything else that the item holds
}

// Persona is one system prompt with what belongs to it.
type Persona struct {
	Name   string
	Path   string // in the pack; "prompt" for a template
	Prompt string
	Fields map[string]any // the other fields, by their name in the pack
}

// Skill is one SKILL.md.
type Skill struct {
	Name        string
	Path        string
	Text        string // the whole file, front matter included
	Description string
	Fields      map[string]any // the other fields
}

// Server is one MCP server.
type Server struct {
	Name   string
	Path   string
	Config map[string]any
}

// Value is a value of the item with its path.
type Value struct {
	Path  string
	Value any
}

// Loss is a value that the target cannot hold, or not as it is.
type Loss struct {
	Path   string `json:"path"`   // in the pack or template
	Reason string `json:"reason"` // a sentence
}

// AddTemplate makes the item hold a template's prompt as its one persona.
func (i *Item) AddTemplate(prompt string, other map[string]any) {
	name := i.Title
	if name == "" {
		name = i.ID
	}
	i.Personas = append(i.Personas, Persona{Name: name, Path: "prompt", Prompt: prompt, Fields: map[string]any{}})
	for _, key := range slices.Sorted(maps.Keys(other)) {
		i.Rest = append(i.Rest, Value{Path: pack.AppendKey("", key), Value: other[key]})
	}
}

// AddSections makes the item hold the sections of a profile pack. They are not changed.
func (i *Item) AddSections(sections map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		section, isObject := sections[name].(map[string]any)
		switch {
		case !isObject:
			i.rest(name, sections[name])
		case name == pack.SectionPersonas:
			i.addPersonas(section)
		case name == pack.SectionSkills:
			i.addSkills(section)
		case name == pack.SectionMCPServers:
			i.addServers(section)
		case name == pack.SectionMeta:
			i.describe(section)
		default:
			i.rest(name, section)
		}
	}
}

func (i *Item) rest(path string, v any) {
	if !empty(v) {
		i.Rest = append(i.Rest, Value{Path: path, Value: v})
	}
}

// describe takes the listing out of the meta section where the catalog said nothing.
func (i *Item) describe(meta map[string]any) {
	listing, _ := meta["listing"].(map[string]any)
	for _, f := range []struct {
		into *string
		key  string
	}{{&i.Title, "title"}, {&i.Description, "description"}, {&i.License, "license"}} {
		if s, ok := listing[f.key].(string); ok && *f.into == "" {
			*f.into = s
		}
	}
}

func (i *Item) addPersonas(section map[string]any) {
	entries, _ := section["entries"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		path := pack.AppendKey(pack.SectionPersonas+".entries", name)
		fields, _ := entries[name].(map[string]any)
		prompt, ok := fields["system_prompt"].(string)
		if !ok {
			i.rest(path, entries[name])
			continue
		}
		others := maps.Clone(fields)
		delete(others, "system_prompt")
		i.Personas = append(i.Personas, Persona{Name: name, Path: path, Prompt: prompt, Fields: others})
	}
	for _, key := range slices.Sorted(maps.Keys(section)) {
		if key != "entries" {
			i.rest(pack.AppendKey(pack.SectionPersonas, key), section[key])
		}
	}
}

func (i *Item) addSkills(section map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(section)) {
		path := pack.AppendKey(pack.SectionSkills, name)
		fields, _ := section[name].(map[string]any)
		text, ok := fields["text"].(string)
		if !ok {
			i.rest(path, section[name])
			continue
		}
		others := maps.Clone(fields)
		description, _ := fields["description"].(string)
		delete(others, "text")
		delete(others, "description") // stands in the front matter, which is made where there is none
		front, _, _ := splitFront(text)
		for _, key := range []string{"name", "license", "compatibility", "metadata", "allowed_tools", "version", "author"} {
			if strings.Contains("\n"+front, "\n"+strings.ReplaceAll(key, "_", "-")+":") {
				delete(others, key) // was read out of the front matter, so it travels with the text
			}
		}
		i.Skills = append(i.Skills, Skill{Name: name, Path: path, Text: text, Description: description, Fields: others})
	}
}

func (i *Item) addServers(section map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(section)) {
		path := pack.AppendKey(pack.SectionMCPServers, name)
		config, ok := section[name].(map[string]any)
		if !ok {
			i.rest(path, section[name])
			continue
		}
		i.Servers = append(i.Servers, Server{Name: name, Path: path, Config: config})
	}
}

// text is a field of a persona as text.
func (p *Persona) text(key string) string {
	s, _ := p.Fields[key].(string)
	return s
}

// texts is a field of a persona as a list of texts; ok is false for anything else.
func (p *Persona) texts(key string) (out []string, ok bool) {
	items, ok := p.Fields[key].([]any)
	for _, item := range items {
		s, isText := item.(string)
		if !isText {
			return nil, false
		}
		out = append(out, s)
	}
	return out, ok
}

// Dialogs are the example messages, user and assistant in turn.
func (p *Persona) Dialogs() []string {
	out, ok := p.texts("begin_dialogs")
	if !ok || len(out)%2 != 0 {
		return nil
	}
	return out
}

// empty tells whether a value says nothing, so that leaving it out loses nothing.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// slug makes a name of small letters, digits and single hyphens, at most limit bytes, as the Agent Skills specification
// and others want it; "" when nothing is left.
func slug(text string, limit int) string {
	s := strings.Trim(notName.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return strings.Trim(s[:min(len(s), limit)], "-")
}

// names gives each thing of one export a name of its own.
type names map[string]bool

// pick is the slug of text, else of fallback, with a number when it is taken.
func (n names) pick(text, fallback string) string {
	base := slug(text, 56)
	if base == "" {
		base = slug(fallback, 56)
	}
	if base == "" {
		base = "persona"
	}
	name := base
	for i := 2; n[name]; i++ {
		name = base + "-" + strconv.Itoa(i)
	}
	n[name] = true
	return name
}

// value copies a JSON value as encoding/json gives it, so that YAML and PNG writers see plain numbers.
func value(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}
