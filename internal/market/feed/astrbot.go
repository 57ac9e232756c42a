package feed

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"stoa/internal/market/card"
)

// astrBotLoader is the whole code of every AstrBot plugin that is served: an empty plugin, so that AstrBot finds the skills
// beside it. It is the same for every item.
const astrBotLoader = `from astrbot.api.star import Context, Star


class StoaSkills(Star):
    def __init__(self, context: Context):
        super().__init__(context)
`

type astrBotMeta struct {
	Schema      int    `json:"schema_version"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Homepage    string `json:"homepage"`
	UpdatedAt   string `json:"updated_at,omitempty"`
}

type astrBotPlugin struct {
	Author      string   `json:"author"`
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Repo        string   `json:"repo"`
	Desc        string   `json:"desc"`
	DisplayName string   `json:"display_name"`
	Download    string   `json:"download_url"`
	Tags        []string `json:"tags,omitempty"`
	Category    string   `json:"category,omitempty"`
	UpdatedAt   string   `json:"updated_at"`
}

// AstrBotMarket is a source of plugins for AstrBot's dashboard: every row with skills. base is the server's address.
func AstrBotMarket(rows []*Row, base, name string) []byte {
	all := map[string]any{}
	var newest time.Time
	for _, r := range rows {
		if len(r.Skills) == 0 {
			continue
		}
		p := astrBotPlugin{
			Author: astrBotAuthor(r.ID), Name: card.Identifier(r.ID), Version: r.Version, Repo: repoAddress(base, r.ID), Desc: r.describe(), DisplayName: r.Title,
			Download: base + "/feeds/astrbot/zip/" + r.Slug + "-" + r.Version + ".zip", Tags: r.Tags, Category: r.Category, UpdatedAt: r.Published.Format(time.RFC3339),
		}
		all[p.Author+"/"+p.Name] = p
		if r.Published.After(newest) {
			newest = r.Published
		}
	}
	meta := astrBotMeta{Schema: 1, Name: name, Description: "Skills of " + name, Homepage: base + "/market"}
	if !newest.IsZero() {
		meta.UpdatedAt = newest.Format(time.RFC3339)
	}
	all["$meta"] = meta
	return compact(all)
}

// AstrBotSum is what AstrBot asks to find out whether a source has changed.
func AstrBotSum(market []byte) []byte {
	sum := md5.Sum(market)
	return compact(map[string]string{"md5": hex.EncodeToString(sum[:])})
}

// astrBotAuthor is the author that a plugin stands under: the namespace of the item's id.
func astrBotAuthor(id string) string {
	if author, _, two := strings.Cut(id, "/"); two {
		return author
	}
	return "stoa"
}

func repoAddress(base, id string) string { return base + "/feeds/git/items/" + id + ".git" }

// AstrBotPlugin is the zip of a plugin that carries the skills of a card.
func AstrBotPlugin(c *card.Card, base string) []byte {
	description := c.Summary
	if description == "" {
		description = c.Title
	}
	var meta bytes.Buffer
	e := yaml.NewEncoder(&meta)
	err := e.Encode(struct {
		Name    string `yaml:"name"`
		Display string `yaml:"display_name"`
		Desc    string `yaml:"desc"`
		Version string `yaml:"version"`
		Author  string `yaml:"author"`
		Repo    string `yaml:"repo"`
	}{card.Identifier(c.ID), c.Title, shorten(description, maxRowText), c.Version, astrBotAuthor(c.ID), repoAddress(base, c.ID)})
	if err != nil {
		panic(err) // texts always encode
	}
	_ = e.Close() // into memory
	files := []File{{"metadata.yaml", meta.Bytes()}, {"main.py", []byte(astrBotLoader)}, {"STOA.json", indented(origin(c))}}
	for _, s := range c.Skills {
		files = append(files, File{"skills/" + s.Name + "/SKILL.md", []byte(s.Text)})
	}
	return Zip(files)
}
