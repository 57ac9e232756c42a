// Package works judges with which programs an item can be used, and how much of it each of them takes.
//
// Nothing is guessed: what is put into a running AstrBot is what package apply would put there, and for every other program
// the file of package export is written and its loss report is read. The package is pure.
package works

import (
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/apply"
	"stoa/internal/market/export"
	"stoa/internal/market/pack"
)

// Verdict says how much of an item a program takes.
type Verdict string

// The verdicts. What does not work at all is left out of the list.
const (
	Whole Verdict = "whole"
	Part  Verdict = "part"
)

// Program is one that the item works with.
type Program struct {
	Name     string   `json:"name"`
	Versions string   `json:"versions"` // as the program or format counts; ">=4.20", "V3"
	Declared bool     `json:"declared"` // Versions are the author's word
	Format   string   `json:"format"`   // of stoa export; "" for what is applied to the running program
	Verdict  Verdict  `json:"verdict"`
	Missing  []string `json:"missing"` // parts of the item that do not come along
}

// Version of AstrBot from which on its HTTP API can be written to (docs/bots.md).
const astrBotSince = ">=4.20"

// targets are the programs beside AstrBot, by the format that they read.
var targets = []struct {
	name, versions string
	format         export.Format
}{
	{"SillyTavern", "V2, V3", export.CardV3},
	{"Claude Code, Codex, Copilot CLI", "SKILL.md", export.Agents},
	{"Dify", "DSL 0.6.0", export.Dify},
	{"LobeChat", "Schema 1", export.LobeChat},
}

// Of judges an item. sections are a profile pack's, nil for a template; host is the version of the bot that its author names.
func Of(item export.Item, sections map[string]any, host string) []Program {
	out := []Program{}
	if bot, ok := astrBot(item, sections, host); ok {
		out = append(out, bot)
	}
	for _, t := range targets {
		result, err := export.Write(item, t.format, export.Options{})
		if err != nil || len(result.Files) == 0 {
			continue
		}
		out = append(out, judged(Program{Name: t.name, Versions: t.versions, Format: string(t.format)}, result.Losses))
	}
	return out
}

func astrBot(item export.Item, sections map[string]any, host string) (Program, bool) {
	p := Program{Name: "AstrBot", Versions: astrBotSince}
	if host = strings.TrimSpace(host); host != "" && host != "any" && host != "*" {
		p.Versions, p.Declared = host, true
	}
	var objects []apply.Object
	var left []export.Loss
	var err error
	if sections == nil {
		for _, one := range item.Personas {
			objects, left, err = apply.Template(item.ID, one.Prompt)
		}
	} else {
		objects, left, err = apply.Sections(sections, apply.Wants{})
	}
	return judged(p, left), err == nil && len(objects) > 0
}

// judged names the parts that are missing, each once.
func judged(p Program, losses []export.Loss) Program {
	parts := map[string]bool{}
	for _, l := range losses {
		name, _, _ := strings.Cut(l.Path, ".")
		if name, _, _ = strings.Cut(name, "["); name != pack.SectionMeta && name != "" {
			parts[name] = true
		}
	}
	p.Verdict, p.Missing = Whole, slices.Sorted(maps.Keys(parts))
	if p.Missing == nil {
		p.Missing = []string{}
	}
	if len(p.Missing) > 0 {
		p.Verdict = Part
	}
	return p
}
