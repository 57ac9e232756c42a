package feed

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stoa/internal/market/card"
)

// File is a file of a plugin. No file is executable.
type File struct {
	Path string
	Body []byte
}

// person is how manifests name somebody.
type person struct {
	Name string `json:"name"`
}

type pluginManifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Description string   `json:"description"`
	Author      *person  `json:"author,omitempty"`
	Homepage    string   `json:"homepage,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
}

func author(name string) *person {
	if name == "" {
		return nil
	}
	return &person{name}
}

// plugin is the folder of a plugin, sorted by path. It holds nothing of the server that it comes from, so that its commit id is
// the same everywhere.
func plugin(c *card.Card) []File {
	description := c.Summary
	if description == "" {
		description = c.Title
	}
	m := pluginManifest{Name: c.Slug, Version: c.Version, Description: description, Author: author(c.Maintainer), Homepage: c.Homepage, Keywords: c.Tags}
	files := []File{
		{".claude-plugin/plugin.json", indented(m)},
		{".codex-plugin/plugin.json", indented(pluginManifest{Name: m.Name, Version: m.Version, Description: m.Description, Author: m.Author})},
		{"STOA.json", indented(origin(c))},
	}
	for _, s := range c.Skills {
		files = append(files, File{"skills/" + s.Name + "/SKILL.md", []byte(s.Text)})
	}
	taken := map[string]bool{}
	for _, p := range c.Personas {
		name := agentName(taken, p.Name)
		files = append(files, File{"agents/" + name + ".md", agent(name, c, p)})
	}
	if len(c.Servers) > 0 {
		files = append(files, File{".mcp.json", indented(map[string]any{"mcpServers": servers(c.Servers)})})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// stoaFile says where a plugin comes from, what of it may run and what did not travel.
type stoaFile struct {
	ID       string      `json:"id"`
	Version  string      `json:"version"`
	SHA256   string      `json:"package_sha256"`
	Size     int64       `json:"package_size_bytes"`
	CodeFree bool        `json:"code_free"`
	Runs     []string    `json:"runs"`
	Reaches  []string    `json:"reaches,omitempty"`
	Losses   []card.Loss `json:"not_carried"`
}

func origin(c *card.Card) stoaFile {
	f := stoaFile{ID: c.ID, Version: c.Version, SHA256: c.SHA256, Size: c.Size, Runs: c.Runs(), Reaches: c.Reaches(), Losses: slices.Clone(c.Losses)}
	f.CodeFree = len(f.Runs) == 0
	for _, p := range c.Personas {
		if len(p.Dialogs) > 0 {
			f.Losses = append(f.Losses, card.Loss{Part: "personas." + p.Name, Reason: "its opening dialogs stand as examples below the prompt"})
		}
	}
	if f.Runs == nil {
		f.Runs = []string{}
	}
	if f.Losses == nil {
		f.Losses = []card.Loss{}
	}
	return f
}

// agentName is a file name for a persona, which may be written in any script.
func agentName(taken map[string]bool, name string) string {
	base := card.SkillName(name)
	if base == "" {
		base = "persona"
	}
	name = base
	for i := 2; taken[name]; i++ {
		name = base + "-" + strconv.Itoa(i)
	}
	taken[name] = true
	return name
}

// agent writes a persona as an agent: its prompt, and its opening dialogs as examples.
func agent(name string, c *card.Card, p card.Persona) []byte {
	description := "Speaks as " + p.Name + ", of " + c.Title + "."
	if c.Summary != "" {
		description += " " + c.Summary
	}
	var out bytes.Buffer
	out.WriteString("---\n")
	e := yaml.NewEncoder(&out)
	if err := e.Encode(struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}{name, description}); err != nil {
		panic(err) // texts always encode
	}
	_ = e.Close() // into memory
	out.WriteString("---\n\n" + strings.TrimSpace(p.Prompt) + "\n")
	if len(p.Dialogs) > 0 {
		out.WriteString("\n## Examples\n")
		for i := 0; i+1 < len(p.Dialogs); i += 2 {
			out.WriteString("\nUser: " + p.Dialogs[i] + "\n\nYou: " + p.Dialogs[i+1] + "\n")
		}
	}
	return out.Bytes()
}

type serverEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// servers writes .mcp.json's entries. What has to be given is named as a variable, never a value.
func servers(list []card.Server) map[string]serverEntry {
	out := make(map[string]serverEntry, len(list))
	for _, s := range list {
		e := serverEntry{Command: s.Command, Args: s.Args, Env: settings(s.Env), URL: s.URL, Headers: settings(s.Headers)}
		if s.Transport != "stdio" {
			e.Type = s.Transport
		}
		out[s.Name] = e
	}
	return out
}

func settings(list []card.Variable) map[string]string {
	out := map[string]string{}
	for _, v := range list {
		out[v.Name] = v.Value
		if v.Value == "" {
			out[v.Name] = v.Reference()
		}
	}
	return out
}

// indented writes JSON for people too.
func indented(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // the types of this package always encode
	}
	return out.Bytes()
}

// compact writes JSON on one line.
func compact(v any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the types of this package always encode
	}
	return out.Bytes()
}
