package botimport

import (
	"testing"

	"stoa/internal/market/pack"
)

func TestBackupTimes(t *testing.T) {
	for in, want := range map[string]string{
		"2026-08-21T09:20:00+00:00":        "2026-08-21T09:20:00.000Z",
		"2026-08-21T17:20:00.123456+08:00": "2026-08-21T09:20:00.123Z",
		"2026-08-21T09:20:00Z":             "2026-08-21T09:20:00.000Z",
		"2026-08-21T09:20:00.5":            "2026-08-21T09:20:00.500Z",
		"2026-08-21 09:20:00":              "2026-08-21T09:20:00.000Z",
		"2026-08-21":                       "",
		"yesterday":                        "",
		"":                                 "",
		"0000-01-01T00:00:00Z":             "",
	} {
		if got := contractTime(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSlugFallsThrough(t *testing.T) {
	for want, d := range map[string]*Draft{
		"gardener":   {Summary: Summary{DefaultPersonality: "Gardener", PersonaIDs: []string{"x"}}},
		"researcher": {Summary: Summary{DefaultPersonality: "园丁", PersonaIDs: []string{"日本語", "en"}, SubagentIDs: []string{"Researcher"}}},
		"first":      {Summary: Summary{DefaultPersonality: "default", PersonaIDs: []string{"first"}}},
		"plant-care": {Sections: map[string]any{pack.SectionSkills: map[string]any{"Plant care": nil}}, Source: Source{Filename: "技能.zip"}},
		"my-bot":     {Summary: Summary{PersonaIDs: []string{"园丁"}}, Source: Source{Filename: "My Bot.zip"}},
		"bot":        {Summary: Summary{PersonaIDs: []string{"园丁"}}, Source: Source{Filename: "备份.zip"}},
	} {
		if got := d.slug(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A configuration of which nothing is left but its personas is read all the same.
func TestAConfigurationOfPersonasAlone(t *testing.T) {
	d := draft(t, "bot.json", []byte(`{"persona":[{"name":"clerk","prompt":"You are a clerk."}]}`))
	if d.Summary.PersonaCount != 1 || d.Summary.PersonaIDs[0] != "clerk" {
		t.Errorf("%+v", d.Summary)
	}
}
