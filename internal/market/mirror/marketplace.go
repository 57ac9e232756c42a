package mirror

import (
	"context"
	"encoding/json"
	"errors"
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
	Skills      json.RawMessage `json:"skills"` // folders, where the entry names them
}

// archiveSource is a plugin that comes as a zip.
type archiveSource struct {
	Source string `json:"source"`
	URL    string `json:"url"`
	SHA256 string `json:"sha256"`
}

// placedPlugin is an entry with where its files were when the list was read.
type placedPlugin struct {
	Plugin json.RawMessage `json:"plugin"`
	Place  *place          `json:"place"`
	Packed *packed         `json:"packed,omitempty"`
	Wrong  string          `json:"wrong,omitempty"` // why its files cannot be read
}

func listMarketplace(ctx context.Context, s *Session, base, _, etag string) (Page, error) {
	answer, err := s.Get(ctx, base, etag, maxList)
	if err != nil || answer.NotModified {
		return Page{ETag: answer.ETag, NotModified: answer.NotModified}, err
	}
	if err := countValues(answer.Body, maxList); err != nil {
		return Page{}, err
	}
	page, err := listPluginsOf(ctx, s, answer.Body, nil)
	if page.ETag != follows {
		page.ETag = answer.ETag
	} else {
		page.ETag = ""
	}
	return page, err
}

// listPluginsOf lists the plugins of a marketplace. inside finds a folder of the marketplace's own repository; nil when it came
// without one.
func listPluginsOf(ctx context.Context, s *Session, text []byte, inside func(folder string) (place, error)) (Page, error) {
	var list struct {
		Metadata struct {
			Root string `json:"pluginRoot"`
		} `json:"metadata"`
		Plugins []json.RawMessage `json:"plugins"`
	}
	if err := json.Unmarshal(text, &list); err != nil || list.Plugins == nil {
		return Page{}, refuse("this is no marketplace.json")
	}
	var out Page
	for _, raw := range list.Plugins {
		var p marketPlugin
		if json.Unmarshal(raw, &p) != nil {
			continue
		}
		placed := placedPlugin{Plugin: raw}
		if err := ctx.Err(); err != nil {
			return out, err // each may be asked for at another host, which may take its time
		}
		at, of, moves, err := p.place(ctx, s, list.Metadata.Root, inside)
		if moves {
			out.ETag = follows
		}
		var away *AwayError
		var refused *Refused
		switch {
		case err == nil:
			placed.Place, placed.Packed = at, of
		case errors.As(err, &refused):
			placed.Wrong = refused.Reason
		case errors.As(err, &away) && away.Elsewhere:
			placed.Wrong = awayMark + away.Error()
		default:
			return out, err
		}
		kept, err := json.Marshal(placed)
		if err != nil {
			return out, err
		}
		if r, ok := ref(p.Name, kept); ok {
			r.Stamp = stampOf(raw, placed.Place, placed.Packed)
			if placed.Wrong != "" {
				r.Stamp += " " + stamp([]byte(placed.Wrong))
			}
			out.Refs = append(out.Refs, r)
		}
	}
	return out, nil
}

// awayMark begins what is wrong with an entry whose host does not answer this time.
const awayMark = "away: "

// place says where a plugin's files are: in a repository, in a package of npm, or, when both are nil, in an archive; moves is set when the marketplace does not say when they
// change.
func (p marketPlugin) place(ctx context.Context, s *Session, root string, inside func(string) (place, error)) (at *place, of *packed, moves bool, err error) {
	var folder string
	if json.Unmarshal(p.Source, &folder) == nil {
		if inside == nil {
			return nil, nil, false, refuse("its source is a folder beside the marketplace, which came without its repository: mirror the repository")
		}
		if root != "" && !strings.HasPrefix(folder, "./") {
			folder = path.Join(root, folder)
		}
		found, err := inside(folder)
		return &found, nil, false, refusedByGit(err)
	}
	var g gitSource
	if json.Unmarshal(p.Source, &g) != nil {
		return nil, nil, false, refuse("its source cannot be read")
	}
	switch g.Source {
	case "archive":
		return nil, nil, false, nil
	case "npm":
		var n npmSource
		if json.Unmarshal(p.Source, &n) != nil {
			return nil, nil, false, refuse("its source cannot be read")
		}
		found, pinned, err := n.locate(ctx, s)
		return nil, &found, !pinned, ofEntry(err, "registry")
	case "github", "url", "git-subdir", "git":
		found, pinned, err := g.locate(ctx, s)
		return &found, nil, !pinned, ofEntry(err, "repository")
	}
	return nil, nil, false, refuse("its source is of a kind that is not fetched: %.40q", g.Source)
}

// itemMarketplace reads a plugin that comes as an archive or a package, or stands in a repository.
func itemMarketplace(ctx context.Context, s *Session, base string, r Ref) (Item, error) {
	var placed placedPlugin
	var p marketPlugin
	if json.Unmarshal(r.raw, &placed) != nil || json.Unmarshal(placed.Plugin, &p) != nil {
		return Item{}, refuse("its entry cannot be read")
	}
	if reason, away := strings.CutPrefix(placed.Wrong, awayMark); away {
		return Item{}, &AwayError{true, errors.New(reason)}
	} else if placed.Wrong != "" {
		return Item{}, refuse("%s", placed.Wrong)
	}
	folders, err := p.skillFolders()
	if err != nil {
		return Item{}, err
	}
	var files map[string]string
	sum, page := "", base
	switch {
	case placed.Packed != nil:
		files, sum, err = placed.Packed.files(ctx, s)
		page = placed.Packed.page(base)
		if p.Version == "" {
			p.Version = placed.Packed.Version
		}
	case placed.Place != nil:
		files, err = placed.Place.files(ctx, s, folders)
		page = placed.Place.URL
	default:
		files, sum, err = archivedPlugin(ctx, s, base, p)
	}
	if err != nil {
		return Item{}, err
	}
	if sum == "" { // of a folder: of its files by name
		text, err := json.Marshal(files)
		if err != nil {
			return Item{}, err
		}
		sum = digest(text)
	}
	item, err := pluginItem(p, files, folders)
	item.Texts, item.Digest, item.Page = files, sum, page
	return item, err
}

func archivedPlugin(ctx context.Context, s *Session, base string, p marketPlugin) (map[string]string, string, error) {
	var a archiveSource
	if json.Unmarshal(p.Source, &a) != nil || a.URL == "" {
		return nil, "", refuse("its source names no archive")
	}
	address, err := resolve(base, a.URL)
	if err != nil {
		return nil, "", err
	}
	answer, err := s.Get(ctx, address, "", maxPackage)
	if err != nil {
		return nil, "", err
	}
	sum := digest(answer.Body)
	if a.SHA256 != "" && !strings.EqualFold(a.SHA256, sum) {
		return nil, "", refuse("its archive is not the one that was listed: the digests differ")
	}
	files, err := unpack(answer.Body)
	return files, sum, err
}

// skillFolders are the folders that an entry names as its skills, one or several.
func (p marketPlugin) skillFolders() ([]string, error) {
	if len(p.Skills) == 0 || string(p.Skills) == "null" {
		return nil, nil
	}
	var one string
	if json.Unmarshal(p.Skills, &one) == nil {
		return []string{one}, nil
	}
	var many []string
	if json.Unmarshal(p.Skills, &many) != nil || len(many) > maxFiles {
		return nil, refuse("its skills are no list of folders")
	}
	return many, nil
}

// pluginItem makes a pack of what a plugin holds: skills, agents and MCP servers. Hooks, commands and programs are scanned and
// not kept.
func pluginItem(p marketPlugin, files map[string]string, folders []string) (Item, error) {
	sections := map[string]any{}
	skills := skillsIn(files)
	for _, folder := range folders {
		at := strings.Trim(path.Clean("/"+folder), "/")
		if text, ok := files[path.Join(at, "SKILL.md")]; ok {
			skills[path.Base(at)] = map[string]any{"text": text}
		}
		for name, text := range files { // a folder of skills
			if dir := path.Dir(name); path.Base(name) == "SKILL.md" && path.Dir(dir) == at {
				skills[path.Base(dir)] = map[string]any{"text": text}
			}
		}
	}
	if len(skills) > 0 {
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
	var manifest struct {
		Version     string `json:"version"`
		Description string `json:"description"`
	}
	_ = json.Unmarshal([]byte(files[".claude-plugin/plugin.json"]), &manifest) // the entry may say it all
	if p.Version == "" {
		p.Version = manifest.Version
	}
	if p.Description == "" {
		p.Description = manifest.Description
	}
	return packItem(p.Name, p.Version, p.Description, sections)
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
