package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa/internal/market/card"
	"stoa/internal/market/catalog"
	"stoa/internal/market/export"
)

// Row is what lists say of a card. Rows of the whole catalog are held in memory, so texts are short here.
type Row struct {
	Seq        int64 // dense number of the item: what was published first has the lowest
	ID, Slug   string
	Owner      string
	Private    bool
	Gone       bool // withdrawn
	Version    string
	Title      string
	Summary    string // at most 300 bytes
	Category   string
	Tags       []string
	Maintainer string
	Published  time.Time
	Changed    time.Time // of the item, be it by a new version, a verdict or a feature
	ChangeNo   int64
	Featured   bool
	Risk       string
	Labels     []string
	Warnings   []string
	SHA256     string
	Size       int64
	Commit     string // id of the commit that holds this version alone
	Skills     []SkillRow
	Servers    []card.Server
	Personas   int
	Template   bool
	Tokens     int  // of its prompts, estimated
	Runs       bool // an assistant may run something of it later
}

// SkillRow is a skill in a list.
type SkillRow struct {
	Name, Description string
	Digest            string // sha256 of its SKILL.md, in hex
}

// NameWords are the words of a text as names of skills have them; none for a text without any.
func NameWords(text string) []string {
	return strings.FieldsFunc(card.SkillName(text), func(r rune) bool { return r == '-' })
}

// Named tells whether the skill's name has every one of words.
func (s SkillRow) Named(words []string) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(s.Name, word) })
}

// NamedFirst gives the places of the row's skills, those first whose names have every one of words.
func (r *Row) NamedFirst(words []string) []int {
	var named, others []int
	for i, s := range r.Skills {
		if s.Named(words) {
			named = append(named, i)
		} else {
			others = append(others, i)
		}
	}
	return append(named, others...)
}

const maxRowText = 300

// RowOf makes the row of a card; whose it is and when it changed is for the caller to fill in.
func RowOf(c *card.Card) *Row {
	r := &Row{
		ID: c.ID, Slug: c.Slug, Version: c.Version, Title: c.Title, Summary: shorten(c.Summary, maxRowText), Category: c.Category, Tags: c.Tags,
		Maintainer: c.Maintainer, Published: c.Published, SHA256: c.SHA256, Size: c.Size,
		Servers: c.Servers, Personas: len(c.Personas), Template: c.Kind == catalog.KindTemplate, Runs: len(c.Runs()) > 0, Commit: Commit(c),
	}
	for _, s := range c.Skills {
		sum := sha256.Sum256([]byte(s.Text))
		r.Skills = append(r.Skills, SkillRow{s.Name, shorten(s.Description, maxRowText), hex.EncodeToString(sum[:])})
	}
	for _, p := range c.Personas {
		r.Tokens += export.EstimateTokens(p.Prompt)
	}
	if text := c.Texts[c.Locale]; r.Template {
		r.Tokens = export.EstimateTokens(text.Prompt)
	}
	return r
}

// Lasting is what RowOf said of the version: without what the catalog may say otherwise tomorrow.
func (r *Row) Lasting() Row {
	out := *r
	out.Seq, out.Owner, out.Private, out.Gone, out.Featured, out.Risk, out.Labels, out.Warnings = 0, "", false, false, false, "", nil, nil
	out.Changed, out.ChangeNo = time.Time{}, 0
	return out
}

// Page is the address of an item's page on the server at base.
func Page(base string, r *Row) string {
	kind := "pack"
	if r.Template {
		kind = "item"
	}
	return base + "/market?" + url.Values{kind: {r.ID}}.Encode()
}

// speaks reports whether an assistant can speak as somebody by it.
func (r *Row) speaks() bool { return r.Template || r.Personas > 0 }

// describe is a summary that is never empty.
func (r *Row) describe() string {
	if r.Summary != "" {
		return r.Summary
	}
	return r.Title
}

// shorten cuts a text to at most n bytes, not within a character.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
