package feed

import (
	"encoding/json"
	"time"
)

// lobeEntry is an agent in LobeChat's index.
type lobeEntry struct {
	Author         string   `json:"author"`
	CreatedAt      string   `json:"createdAt"`
	Homepage       string   `json:"homepage"`
	Identifier     string   `json:"identifier"`
	KnowledgeCount int      `json:"knowledgeCount"`
	PluginCount    int      `json:"pluginCount"`
	Schema         int      `json:"schemaVersion"`
	TokenUsage     int      `json:"tokenUsage"`
	Meta           lobeMeta `json:"meta"`
}

type lobeMeta struct {
	Avatar      string   `json:"avatar"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Category    string   `json:"category"`
}

// LobeIndex lists the rows that speak as somebody, as LobeChat reads them.
func LobeIndex(rows []*Row, base string) []byte {
	out := struct {
		Schema int         `json:"schemaVersion"`
		Agents []lobeEntry `json:"agents"`
	}{1, []lobeEntry{}}
	for _, r := range rows {
		if r.speaks() {
			out.Agents = append(out.Agents, lobeEntry{
				Author: r.Maintainer, CreatedAt: r.Published.Format(time.DateOnly), Homepage: Page(base, r), Identifier: r.Slug, Schema: 1, TokenUsage: r.Tokens,
				Meta: lobeMeta{"🤖", r.Title, r.describe(), append([]string{}, r.Tags...), r.Category},
			})
		}
	}
	return compact(out)
}

// LobeAgent sets the identifier of an agent's document to the one that it has in the index.
func LobeAgent(document []byte, slug string) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(document, &m); err != nil {
		return nil, err
	}
	m["identifier"] = slug
	return compact(m), nil
}

// CardIndex lists where the character cards of rows lie.
func CardIndex(rows []*Row, base string) []byte {
	type entry struct {
		ID      string `json:"id"`
		Title   string `json:"title"`
		Version string `json:"version"`
		PNG     string `json:"png"`
		V3      string `json:"v3"`
		V2      string `json:"v2"`
	}
	out := struct {
		Cards []entry `json:"cards"`
	}{[]entry{}}
	for _, r := range rows {
		if at := base + "/feeds/cards/" + r.Slug; r.speaks() {
			out.Cards = append(out.Cards, entry{r.ID, r.Title, r.Version, at + ".png", at + ".v3.json", at + ".v2.json"})
		}
	}
	return compact(out)
}
