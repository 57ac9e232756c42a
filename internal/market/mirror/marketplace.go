package mirror

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"stoa/internal/market/pack"
)

// marketPlugin is a plugin in a marketplace.json, as Claude Code, Codex and Copilot read it.
type marketPlugin struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Version     string          `json:"version"`
	Homepage    string          `json:"homepage"`
	Source      json.RawMessage `json:"source"`
}

type marketSource struct {
	Source string `json:"source"`
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

func listMarketplace(ctx context.Context, f Fetcher, base, _, etag string) (Page, error) {
	var list struct {
		Plugins []json.RawMessage `json:"plugins"`
	}
	answer, err := getJSON(ctx, f, base, etag, maxList, &list)
	out := Page{ETag: answer.ETag, NotModified: answer.NotModified}
	for _, raw := range list.Plugins {
		var p marketPlugin
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		if r, ok := ref(p.Name, raw); ok {
			out.Refs = append(out.Refs, r)
		}
	}
	return out, err
}

// itemMarketplace reads a plugin that comes as an archive. Sources in repositories are not fetched.
func itemMarketplace(ctx context.Context, f Fetcher, base string, r Ref) (Item, error) {
	var p marketPlugin
	var s marketSource
	if err := json.Unmarshal(r.raw, &p); err != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	if json.Unmarshal(p.Source, &s) != nil || s.Source != "archive" {
		return Item{}, refuse("its source is no archive: repositories and packages are not fetched")
	}
	address, err := resolve(base, s.URL)
	if err != nil {
		return Item{}, err
	}
	answer, err := f.Get(ctx, address, "", maxPackage)
	if err != nil {
		return Item{}, err
	}
	sum := digest(answer.Body)
	if s.SHA256 != "" && !strings.EqualFold(s.SHA256, sum) {
		return Item{}, refuse("its archive is not the one that was listed: the digests differ")
	}
	files, err := unpack(answer.Body)
	if err != nil {
		return Item{}, err
	}
	sections := map[string]any{}
	if skills := skillsIn(files); len(skills) > 0 {
		sections[pack.SectionSkills] = skills
	}
	personas := map[string]any{}
	for name, text := range files {
		if path.Dir(name) == "agents" && path.Ext(name) == ".md" {
			personas[strings.TrimSuffix(path.Base(name), ".md")] = map[string]any{"system_prompt": afterFront(text)}
		}
	}
	if len(personas) > 0 {
		sections[pack.SectionPersonas] = personas
	}
	var servers struct {
		Servers map[string]any `json:"mcpServers"`
	}
	if json.Unmarshal([]byte(files[".mcp.json"]), &servers) == nil && len(servers.Servers) > 0 {
		sections[pack.SectionMCPServers] = servers.Servers
	}
	if len(sections) == 0 {
		return Item{}, refuse("it holds no skill, no agent and no MCP server")
	}
	item, err := packItem(p.Name, p.Version, p.Description, sections)
	item.Texts, item.Digest, item.Page = files, sum, base
	return item, err
}

// afterFront is a text without its front matter.
func afterFront(text string) string {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return text
	}
	_, body, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return text
	}
	return strings.TrimLeft(body, "\n")
}
