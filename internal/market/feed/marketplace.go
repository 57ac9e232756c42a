package feed

const marketplaceFile = ".claude-plugin/marketplace.json"

// marketplace is marketplace.json as Claude Code, Codex and Copilot read it.
type marketplace struct {
	Name     string             `json:"name"`
	Owner    person             `json:"owner"`
	Metadata marketplaceText    `json:"metadata"`
	Plugins  []marketplaceEntry `json:"plugins"`
}

type marketplaceText struct {
	Description string `json:"description"`
}

type marketplaceEntry struct {
	Name        string   `json:"name"`
	Source      any      `json:"source"`
	Description string   `json:"description"`
	Version     string   `json:"version"`
	Author      *person  `json:"author,omitempty"`
	Category    string   `json:"category,omitempty"`
	Keywords    []string `json:"keywords,omitempty"`
}

// GitSource is where a plugin lies in a repository of its own, pinned to one commit.
type GitSource struct {
	Source string `json:"source"` // url
	URL    string `json:"url"`
	SHA    string `json:"sha"`
}

// Marketplace lists rows as plugins. name must be made of a to z, digits and hyphens; source says where a row's plugin lies.
func Marketplace(name, description string, rows []*Row, source func(*Row) any) []byte {
	m := marketplace{Name: name, Owner: person{"Stoa"}, Metadata: marketplaceText{description}, Plugins: make([]marketplaceEntry, 0, len(rows))}
	for _, r := range rows {
		m.Plugins = append(m.Plugins, marketplaceEntry{
			Name: r.Slug, Source: source(r), Description: r.describe(), Version: r.Version, Author: author(r.Maintainer), Category: r.Category, Keywords: r.Tags,
		})
	}
	return compact(m)
}
