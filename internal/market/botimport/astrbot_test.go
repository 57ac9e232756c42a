package botimport

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/market/pack"
)

const oldConfig = "\ufeff" + `{"persona":[{"name":"Helper","prompt":"Be kind.","begin_dialogs":["hi","hello"],"mood_imitation_dialogs":[]},{"name":"Helper","prompt":"Be brief."}],
 "provider":[{"id":"a","key":["sk-1"]},{"id":"a","type":"x"},{"type":"y"},3],"provider_settings":{"default_personality":"Helper"},"plugin_set":["weather","notes"],
 "platform_settings":{"id_whitelist":["10001"]},"admins_id":["10001"]}`

func TestOlderConfiguration(t *testing.T) {
	d := draft(t, "cmd_config.json", []byte(oldConfig))
	has(t, d, "personas.entries.Helper.system_prompt", `"Be kind."`)
	has(t, d, "personas.entries.Helper-2.system_prompt", `"Be brief."`)
	has(t, d, "personas.entries.Helper.begin_dialogs", `["hi","hello"]`)
	has(t, d, "plugins", `{"notes":{"enabled":true},"weather":{"enabled":true}}`)
	has(t, d, "providers.a-2.type", `"x"`)
	has(t, d, "providers.y.type", `"y"`)
	has(t, d, "astrbot_core.platform_settings", `{}`)
	if !strings.HasPrefix(d.PackID, "profile/imported-helper-") || slices.Contains(codes(d), pack.IssueDatabaseNotRead) {
		t.Errorf("%s %v", d.PackID, codes(d))
	}
	for _, source := range []string{"cmd_config.json:platform_settings.id_whitelist", "cmd_config.json:admins_id"} {
		if f := field(d, source); f.Outcome != Omitted || f.IssueCode != pack.IssueOperatorFieldsOmitted {
			t.Errorf("%s: %+v", source, f)
		}
	}
	if f := field(d, "cmd_config.json:provider[3]"); f.Outcome != NeedsAPerson {
		t.Errorf("%+v", f)
	}
}

const mainDB = `{"conversations":[{"content":"private"},{"content":"private"}],"personas":[{"persona_id":"a.b","system_prompt":"P","tools":null,"folder_id":"f1","created_at":"x"}],
 "persona_folders":[{"folder_id":"f1","name":"Friends"}],
 "preferences":[{"scope":"global","key":"inactivated_plugins","value":{"val":["data.plugins.off.main"]}},{"scope":"global","key":"abconf_mapping","value":{"val":{"u":{"path":"abconf_u.json","name":"Night"}}}},{"scope":"umo","key":"x","value":{"val":"secret"}}]}`

// setups are variations of AstrBot's files that people bring, with what must come out.
var setups = map[string]struct {
	files map[string]string
	check func(t *testing.T, d *Draft)
}{
	"without a manifest": {map[string]string{"config/cmd_config.json": oldConfig, "databases/main_db.json": mainDB}, func(t *testing.T, d *Draft) {
		has(t, d, `personas.entries["a.b"]`, `{"folder":"Friends","system_prompt":"P","tools":null}`)
		if d.Summary.PersonaCount != 3 || d.HostVersion != "any" {
			t.Errorf("%+v", d.Summary)
		}
	}},
	"in a folder": {map[string]string{"my bot/data/cmd_config.json": oldConfig, "my bot/data/plugins/off/metadata.yaml": "name: Off\nversion: v2\n", "my bot/data/plugins/off/main.py": "x"}, func(t *testing.T, d *Draft) {
		has(t, d, "plugins.Off", `{"enabled":false,"version":"2"}`) // plugin_set names others
		if f := field(d, "plugins/"); f.Count != 1 || f.Outcome != OmittedRuntime {
			t.Errorf("%+v", d.Report.Fields)
		}
	}},
	"only a database": {map[string]string{"databases/main_db.json": mainDB}, func(t *testing.T, d *Draft) {
		if d.Summary.PersonaCount != 1 || d.PackType != pack.ExtensionPack {
			t.Errorf("%s %+v", d.PackType, d.Summary)
		}
		if f := field(d, "databases/main_db.json:conversations"); f.Outcome != Omitted || f.Count != 2 {
			t.Errorf("%+v", f)
		}
	}},
	"only profiles": {map[string]string{"config/abconf_a.json": `{"timezone":"UTC","provider_settings":{}}`, "config/abconf_b.json": `{"timezone":"Asia/Tokyo"}`}, func(t *testing.T, d *Draft) {
		has(t, d, "astrbot_core.timezone", `"UTC"`)
		has(t, d, "astrbot_core.config_profiles.abconf_b.timezone", `"Asia/Tokyo"`)
	}},
	"named profiles and switched-off plugins": {map[string]string{
		"config/cmd_config.json": `{"plugin_set":["*"],"timezone":"UTC"}`, "databases/main_db.json": mainDB, "directories/config/abconf_u.json": `{"timezone":"Asia/Tokyo","admins_id":["1"]}`,
		"directories/plugins/off/metadata.yaml": "name: off", "directories/plugins/on/metadata.yml": "name: \"on\"\ndescription: d", "directories/config/on_config.json": `{"k":1,"whitelist":["123456"],"blacklist":["rude word"]}`,
		"directories/config/gone_config.json": `{"k":1}`, "directories/plugins/bare/main.py": "",
	}, func(t *testing.T, d *Draft) {
		has(t, d, "astrbot_core.config_profiles.Night", `{"timezone":"Asia/Tokyo"}`)
		has(t, d, "plugins.off.enabled", "false")
		has(t, d, "plugins.on", `{"config":{"blacklist":["rude word"],"k":1},"description":"d","enabled":true}`)
		has(t, d, "plugins.bare.enabled", "true")
		has(t, d, "plugins.gone", "null")
		if f := field(d, "directories/config/gone_config.json"); f.Outcome != Omitted {
			t.Errorf("%+v", f)
		}
	}},
	"plugins known by their settings": {map[string]string{"cmd_config.json": `{"plugin_set":["*"],"timezone":"UTC"}`, "config/weather_config.json": `{"city":"Kyoto"}`}, func(t *testing.T, d *Draft) {
		has(t, d, "plugins.weather", `{"config":{"city":"Kyoto"},"enabled":true}`)
		if !slices.Contains(codes(d), pack.IssueWildcardUnresolved) {
			t.Error(codes(d))
		}
	}},
	"checksums that do not fit": {map[string]string{"config/cmd_config.json": oldConfig, "manifest.json": `{"version":"1.2","astrbot_version":"v4.30.1","checksums":{"config/cmd_config.json":"sha256:00","gone":"sha256:11","other":"md5:22"}}`}, func(t *testing.T, d *Draft) {
		if b := d.Source.Backup; b.ChecksumsTotal != 2 || b.ChecksumsFit != 0 || len(b.ChecksumsOdd) != 2 || d.HostVersion != ">=4.30.1" {
			t.Errorf("%+v %s", b, d.HostVersion)
		}
		if !slices.Contains(codes(d), pack.IssueChecksumMismatch) || pack.Compatibility(d.Issues) != pack.Degraded {
			t.Error(codes(d))
		}
	}},
	"servers, skills and knowledge": {map[string]string{
		"data/cmd_config.json": `{"timezone":"UTC","plugin_set":[]}`, "data/mcp_server.json": `{"mcpServers":{"time":{"command":"uvx","args":["x"]},"bad":1}}`,
		"data/skills/one/SKILL.md": "---\nname: One\ndescription: does: this\nallowed-tools: Bash\n---\ndo", "data/skills/one/scripts/run.sh": "x", "data/skills/one/refs/SKILL.md": "nested", "data/skills/loose.md": "x",
		"data/databases/kb_metadata.json": `{"knowledge_bases":[{"kb_id":"k","kb_name":"n","doc_count":2},5],"kb_documents":[{},{}]}`,
	}, func(t *testing.T, d *Draft) {
		has(t, d, "mcp_servers", `{"time":{"args":["x"],"command":"uvx"}}`)
		has(t, d, "skills.one.description", `"does: this"`)
		has(t, d, "skills.one.allowed_tools", `"Bash"`)
		has(t, d, "skills.one.files", `["refs/SKILL.md","scripts/run.sh"]`)
		has(t, d, "knowledge_base.k", `{"doc_count":2,"kb_name":"n"}`)
		if len(object(d.Sections["skills"])) != 1 {
			t.Errorf("%v", d.Sections["skills"])
		}
	}},
	"files that cannot be read": {map[string]string{
		"config/cmd_config.json": `{"timezone":"UTC"}`, "manifest.json": `{`, "databases/main_db.json": `{"personas":[{"persona_id":"a","system_prompt":"x"},{"persona_id":`, "directories/config/abconf_x.json": `[`,
		"directories/plugins/p/metadata.yaml": "a: [", "directories/plugins/q/metadata.yaml": "a: &x [1]\nb: *x", "mcp_server.json": "no", "databases/kb_metadata.json": "[]",
	}, func(t *testing.T, d *Draft) {
		if !slices.Contains(codes(d), pack.IssueFileUnreadable) || d.Summary.PersonaCount != 1 {
			t.Errorf("%v %+v", codes(d), d.Summary)
		}
		for _, source := range []string{"manifest.json", "databases/main_db.json", "directories/config/abconf_x.json", "directories/plugins/p/metadata.yaml", "directories/plugins/q/metadata.yaml", "databases/kb_metadata.json"} {
			if f := field(d, source); f.Outcome != NeedsAPerson {
				t.Errorf("%s: %+v", source, f)
			}
		}
	}},
	"UTF-16": {map[string]string{"cmd_config.json": "\xff\xfe{\x00\"\x00t\x00i\x00m\x00e\x00z\x00o\x00n\x00e\x00\"\x00:\x00\"\x00X\x00\"\x00}\x00"}, func(t *testing.T, d *Draft) {
		has(t, d, "astrbot_core.timezone", `"X"`)
	}},
	"wrong types everywhere": {map[string]string{
		"config/cmd_config.json": `{"persona":"x","provider":{"a":{"k":1},"b":2},"provider_settings":[],"provider_sources":{"a":1},"platform":"x","plugin_set":{"a":1},"subagent_orchestrator":{"agents":[1,{"name":3}]},"timezone":null}`,
		"databases/main_db.json": `{"personas":[1,null,"x",[],{},{"persona_id":3,"system_prompt":4},{"system_prompt":"only"}],"persona_folders":[1],"preferences":[{"scope":"global","key":"abconf_mapping","value":3},7],"x":{"a":[1]},"y":"z"}`,
		"manifest.json":          `{"version":1,"checksums":[],"directories":"x"}`, "databases/kb_metadata.json": `{"knowledge_bases":{"a":1}}`, "directories/config/p_config.json": `[]`, "directories/plugins/p/metadata.yaml": "- a",
	}, func(t *testing.T, d *Draft) {
		has(t, d, "providers", `{"a":{"k":1}}`)
		has(t, d, "personas.entries.persona-1.system_prompt", `"only"`)
	}},
	"a pack among a plugin's data": {map[string]string{"config/cmd_config.json": oldConfig, "directories/plugin_data/x/sections/personas.json": "{}", "directories/plugin_data/x/manifest.json": "{}"}, func(t *testing.T, d *Draft) {
		if f := field(d, "directories/plugin_data/"); f.Count != 2 {
			t.Errorf("%+v", f)
		}
	}},
	"several bots": {map[string]string{"a/cmd_config.json": oldConfig, "b/data/cmd_config.json": oldConfig}, func(t *testing.T, d *Draft) {
		if f := field(d, "b/data/cmd_config.json"); f.Outcome != NeedsAPerson {
			t.Errorf("%+v", f)
		}
	}},
}

func TestSetups(t *testing.T) {
	for name, s := range setups {
		t.Run(name, func(t *testing.T) { s.check(t, draftZip(t, s.files)) })
		t.Run(name+" on disk", func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range s.files {
				write(t, dir, file, text)
			}
			s.check(t, fromFolder(t, dir))
		})
	}
}

func TestPersonaJSON(t *testing.T) {
	for _, text := range []string{`{"persona_id":"a","system_prompt":"x"}`, `[{"name":"a","prompt":"x"}]`, `{"personas":[{"persona_id":"a","system_prompt":"x","begin_dialogs":[]}]}`} {
		d := draft(t, "persona.json", []byte(text))
		has(t, d, "personas.entries.a.system_prompt", `"x"`)
		if d.Source.Type != TypePersonas || d.PackType != pack.ExtensionPack {
			t.Errorf("%s %s", d.Source.Type, d.PackType)
		}
	}
}

// TestHugeLists: large setups stay within the bounds, and the report says what was left out.
func TestHugeLists(t *testing.T) {
	var personas, leaves []string
	for i := range maxItems + 500 {
		personas = append(personas, fmt.Sprintf(`{"persona_id":"p%d","system_prompt":"x"}`, i))
	}
	for i := range 30_000 {
		leaves = append(leaves, fmt.Sprintf(`"k%d":{"v":%d}`, i, i))
	}
	d := draftZip(t, map[string]string{
		"cmd_config.json": `{"timezone":"UTC","big":{` + strings.Join(leaves, ",") + `}}`, "databases/main_db.json": `{"personas":[` + strings.Join(personas, ",") + `]}`,
	})
	if d.Summary.PersonaCount != maxItems || len(d.Summary.PersonaIDs) != 200 || !slices.Contains(codes(d), pack.IssueItemsTruncated) {
		t.Errorf("%d personas, %v", d.Summary.PersonaCount, codes(d))
	}
	if d.Report.Count < 30_000 {
		t.Errorf("%d values reported", d.Report.Count)
	}
	_, err := read("cmd_config.json", []byte(`{"timezone":"UTC","big":[`+strings.Repeat("1,", 300_000)+`1]}`))
	refused(t, err, pack.ReasonTooManyValues)
}

func TestLargeDatabaseIsStreamed(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"platform_message_history":[`)
	row := `{"content":"` + strings.Repeat(`a\"]}`, 2000) + `"},`
	for b.Len() < 4<<20 {
		b.WriteString(row)
	}
	b.WriteString(`{}],"huge":[{"x":"` + strings.Repeat("y", 500_000) + `"}],"personas":[{"persona_id":"a","system_prompt":"x"},{"persona_id":"big","system_prompt":"` + strings.Repeat("z", maxRow) + `"},{"persona_id":"c","system_prompt":"x"}]}`)
	d := draft(t, "b.zip", zipped(t, map[string]string{"databases/main_db.json": b.String()}))
	if d.Summary.PersonaCount != 2 || field(d, "databases/main_db.json:personas[1]").Outcome != NeedsAPerson {
		t.Errorf("%+v", d.Summary)
	}
}

// TestAnyConfiguration: whatever JSON stands in a configuration, the draft is sound.
func TestAnyConfiguration(t *testing.T) {
	value := anyJSON(3)
	rapid.Check(t, func(t *rapid.T) {
		cfg := rapid.MapOfN(rapid.OneOf(rapid.SampledFrom([]string{
			"persona", "provider", "provider_settings", "provider_sources", "platform", "plugin_set", "subagent_orchestrator", "admins_id", "dashboard",
			"timezone", "platform_settings",
		}), rapid.String()), value, 1, 6).Draw(t, "config")
		cfg["timezone"] = "UTC"
		text, err := json.Marshal(cfg)
		if err != nil {
			t.Fatal(err)
		}
		d, err := read("cmd_config.json", text)
		if err != nil {
			refused(t, err, "")
			return
		}
		for _, f := range d.Report.Fields {
			if f.Outcome == Mapped && f.TargetPath != "" {
				if _, err := pack.Select(d.Sections, nil, []string{f.TargetPath}); err != nil {
					t.Fatalf("%s → %s", f.SourcePath, f.TargetPath)
				}
			}
		}
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Int(), func(i int) any { return i }), rapid.Map(rapid.String(), func(s string) any { return s }))
	if depth == 0 {
		return scalar
	}
	key := rapid.OneOf(rapid.SampledFrom([]string{"id", "name", "prompt", "system_prompt", "whitelist", "agents", "key"}), rapid.String())
	return rapid.OneOf(scalar, rapid.Map(rapid.SliceOfN(anyJSON(depth-1), 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(key, anyJSON(depth-1), 0, 4), func(m map[string]any) any { return m }))
}

func TestFolderStaysInside(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret.json", `{"mcpServers":{"stolen":{"command":"x"}}}`)
	dir := t.TempDir()
	write(t, dir, "cmd_config.json", `{"timezone":"UTC"}`)
	write(t, dir, "real.json", `{"mcpServers":{"own":{"command":"x"}}}`)
	if err := os.Symlink(filepath.Join(outside, "secret.json"), filepath.Join(dir, "mcp_server.json")); err != nil {
		t.Skip("no symbolic links here")
	}
	if err := os.Symlink(outside, filepath.Join(dir, "plugins")); err != nil {
		t.Fatal(err)
	}
	d := fromFolder(t, dir)
	has(t, d, "mcp_servers", "null")
	if f := field(d, "links, devices and tool folders"); f.Count != 2 {
		t.Errorf("%+v", f)
	}
	// a link that stays inside is followed
	if err := os.Remove(filepath.Join(dir, "mcp_server.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.json", filepath.Join(dir, "mcp_server.json")); err != nil {
		t.Fatal(err)
	}
	has(t, fromFolder(t, dir), "mcp_servers.own.command", `"x"`)
}
