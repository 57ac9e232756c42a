package botimport

import (
	stdbytes "bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stoa/internal/market/archive"
	"stoa/internal/market/pack"
)

func TestSkillsAndServers(t *testing.T) {
	for name, c := range map[string]struct {
		files           map[string]string
		kind            string
		skills, servers int
	}{
		"one skill at the top": {map[string]string{"SKILL.md": "---\nname: a\n---\nx", "scripts/run.py": "x"}, TypeSkills, 1, 0},
		"a folder of skills":   {map[string]string{"skills/a/SKILL.md": "x", "skills/b/skill.md": "x", "skills/b/ref/more.md": "x", "README.md": "x"}, TypeSkills, 2, 0},
		"Markdown":             {map[string]string{"notes/a.md": "x", "notes/b.markdown": "y", "LICENSE.md": "z", "pic.png": "x"}, TypeSkills, 2, 0},
		"Markdown and servers": {map[string]string{".claude/skills/a/SKILL.md": "x", ".mcp.json": `{"mcpServers":{"t":{"command":"x"}}}`}, TypeSkills, 1, 1},
		"servers":              {map[string]string{"claude_desktop_config.json": `{"mcpServers":{"t":{"url":"https://x.example"}}}`}, TypeMCP, 0, 1},
		"junk around":          {map[string]string{"__MACOSX/._SKILL.md": "x", "a/.DS_Store": "x", "a/SKILL.md": "x"}, TypeSkills, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := draftZip(t, c.files)
			if d.Source.Type != c.kind || d.Summary.SkillCount != c.skills || d.Summary.MCPServerCount != c.servers || d.PackType != pack.ExtensionPack {
				t.Errorf("%s %s %+v", d.PackType, d.Source.Type, d.Summary)
			}
		})
	}
	d := draft(t, "SKILL.md", []byte("---\r\nname: tidy\r\nmetadata:\r\n  version: 1.10\r\n---\r\nTidy up."))
	has(t, d, "skills.tidy.metadata.version", `"1.10"`)
	d = draft(t, "mcp.json", []byte(`{"mcpServers":{"t":{"command":"x","env":{"KEY":"v"}}}}`))
	has(t, d, "mcp_servers.t.env.KEY", `"v"`)
}

func TestProfilePackIsTakenAsItIs(t *testing.T) {
	var out stdbytes.Buffer
	m, err := pack.Write(&out, pack.Manifest{PackType: pack.ExtensionPack, PackID: "profile/x", Version: "2.0.0", Redaction: pack.Redaction{Mode: "exclude_secrets"}}, map[string]any{
		"personas": map[string]any{"a": map[string]any{"system_prompt": "x"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := draft(t, "x.zip", out.Bytes())
	if d.PackID != m.PackID || d.Version != "2.0.0" || d.Profile == nil || len(d.Issues) != 0 || d.Summary.PersonaCount != 1 || d.Filename() != "profile__x-2.0.0.zip" {
		t.Errorf("%+v", d)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		body   []byte
		reason string
	}{
		"empty":            {"a.json", nil, pack.ReasonNothingToImport},
		"no setup":         {"a.txt", []byte("hello"), pack.ReasonUnknownSetup},
		"other JSON":       {"a.json", []byte(`{"a":1}`), pack.ReasonUnknownSetup},
		"empty list":       {"a.json", []byte(`[]`), pack.ReasonUnknownSetup},
		"broken JSON":      {"cmd_config.json", []byte(`{"timezone":`), pack.ReasonUnreadable},
		"key twice":        {"cmd_config.json", []byte(`{"timezone":"a","timezone":"b"}`), pack.ReasonUnreadable},
		"no UTF-8":         {"cmd_config.json", []byte("{\"timezone\":\"\xff\"}"), pack.ReasonUnreadable},
		"deep":             {"cmd_config.json", []byte(`{"timezone":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`), pack.ReasonUnreadable},
		"endless names":    {"cmd_config.json", []byte(`{"timezone":{"` + strings.Repeat("k", maxNames) + `":{"a":1}}}`), pack.ReasonUnreadable},
		"nothing in it":    {"cmd_config.json", []byte(`{"provider":[]}`), pack.ReasonNothingToImport},
		"empty zip":        {"a.zip", zipped(t, map[string]string{}), ""},
		"other zip":        {"a.zip", zipped(t, map[string]string{"a.txt": "x"}), pack.ReasonUnknownSetup},
		"template package": {"a.zip", zipped(t, map[string]string{"bundle.json": "{}"}), pack.ReasonUnknownSetup},
		"wrapped pack":     {"a.zip", zipped(t, map[string]string{"p/manifest.json": "{}", "p/sections/personas.json": "{}"}), pack.ReasonMissingFile},
		"pack of nothing":  {"a.zip", zipped(t, map[string]string{"manifest.json": `{"pack_type":"x"}`}), pack.ReasonBadManifest},
		"config a list":    {"a.zip", zipped(t, map[string]string{"config/cmd_config.json": "[]"}), pack.ReasonUnknownSetup},
		"config broken":    {"a.zip", zipped(t, map[string]string{"config/cmd_config.json": "{"}), pack.ReasonUnreadable},
		"broken database":  {"a.zip", zipped(t, map[string]string{"databases/main_db.json": "nonsense"}), pack.ReasonNothingToImport},
		"half a zip":       {"a.zip", zipped(t, map[string]string{"config/cmd_config.json": oldConfig})[:80], ""},
		"an executable":    {"a.exe", []byte("MZ\x00\x01"), pack.ReasonUnknownSetup},
		"control in name":  {"a\x1b[2Jb.json", []byte(`{"a":`), pack.ReasonUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(c.file, c.body)
			refused(t, err, c.reason)
		})
	}
}

func TestReadingStopsWhenNobodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	body := zipped(t, map[string]string{"config/cmd_config.json": oldConfig, "databases/main_db.json": mainDB})
	if _, err := Read(ctx, "a.zip", strings.Repeat("0", 64), stdbytes.NewReader(body), int64(len(body)), archive.Default); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestMarkRedacted(t *testing.T) {
	d := draft(t, "cmd_config.json", []byte(`{"timezone":"UTC","provider":[{"id":"a/b.c","key":["s1","s2"],"model":"m"}],"provider_sources":[{"headers":{"x":"s"}}]}`))
	r := MarkRedacted(d.Report, []string{`providers["a/b.c"].key[0]`, `providers["a/b.c"].key[1]`, "environment_manifest.provider_sources[0].headers", "nonsense["})
	for source, want := range map[string]string{
		"cmd_config.json:provider[0].key": MappedRedacted, "cmd_config.json:provider[0].model": Mapped, "cmd_config.json:provider_sources[0].headers.x": MappedRedacted, "cmd_config.json:timezone": Mapped,
	} {
		if f := field(&Draft{Report: r}, source); f.Outcome != want {
			t.Errorf("%s: %+v", source, f)
		}
	}
	if r.Outcomes[MappedRedacted] != 2 || r.Outcomes[Mapped]+2 != d.Report.Outcomes[Mapped] || field(d, "cmd_config.json:provider[0].key").Outcome != Mapped {
		t.Errorf("%v from %v", r.Outcomes, d.Report.Outcomes)
	}
}

func TestReportIsBounded(t *testing.T) {
	r := newReporter()
	for i := range 300 {
		for j := range 10 {
			r.mapped(fmt.Sprintf("f:a[%d].k%d", i, j), fmt.Sprintf("astrbot_core.a[%d].k%d", i, j))
		}
	}
	for i := range 2_000 {
		r.add(Field{SourcePath: fmt.Sprintf("g:%d", i), Outcome: Omitted})
	}
	out := r.close()
	if len(out.Fields) != maxFields || out.Count != 5_000 || out.Outcomes[Mapped] != 3_000 || out.Fields[0].Outcome != Omitted {
		t.Errorf("%d fields, %d values, %v", len(out.Fields), out.Count, out.Outcomes)
	}
	r = newReporter()
	for i := range 300 {
		for j := range 10 {
			r.mapped(fmt.Sprintf("f:a[%d].k%d", i, j), fmt.Sprintf("astrbot_core.a[%d].k%d", i, j))
		}
	}
	if out := r.close(); len(out.Fields) != 300 || out.Fields[7].SourcePath != "f:a[7]" || out.Fields[7].TargetPath != "astrbot_core.a[7]" || out.Fields[7].Count != 10 || out.Unlisted != 0 {
		t.Errorf("%d fields: %+v", len(out.Fields), out.Fields[7])
	}
}

func TestImportSummaryIsFlat(t *testing.T) {
	d := draft(t, "cmd_config.json", []byte(oldConfig))
	text, err := json.Marshal(ImportSummary{d.Summary, MarkRedacted(d.Report, nil)})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"persona_ids":["Helper","Helper-2"]`, `"field_diagnostics":[{"source_path"`, `"field_diagnostic_outcomes":{`, `"subagent_ids":[]`} {
		if !strings.Contains(string(text), name) {
			t.Errorf("%s is not in %s", name, text)
		}
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{"Ada Lovelace!": "ada-lovelace", "園丁": "", "  Ünïcode 3 ": "n-code-3", strings.Repeat("long ", 30): "long-long-long-long-long-long-long-long"} {
		if got := slug(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}
