package botimport

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"stoa/internal/market/ids"
	"stoa/internal/market/pack"
)

// finish names a conversion and closes its report. err is that of the reading.
func (d *Draft) finish(ctx context.Context, b *builder, err error) (*Draft, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for name, v := range b.sections {
		if len(object(v)) == 0 {
			delete(b.sections, name)
		}
	}
	if errors.Is(err, errNothing) || err == nil && len(b.sections) == 0 {
		return nil, refuse(pack.ReasonNothingToImport, "", "The file was understood, but there is nothing in it to import: no settings, personas, plugins, skills or servers that could be read."+firstProblem(b.rep))
	}
	if err != nil {
		return nil, err
	}
	if err := pack.CheckBounds(b.sections); err != nil {
		return nil, err
	}
	d.Sections, d.Summary = b.sections, b.sum
	if d.Source.SHA256 == "" {
		if err := d.fingerprint(); err != nil {
			return nil, err
		}
	}
	sha8 := d.Source.SHA256[:min(len(d.Source.SHA256), 8)]
	d.PackType = pack.ExtensionPack
	allowed := pack.AllowedSections(pack.ExtensionPack)
	for name := range d.Sections {
		if !slices.Contains(allowed, name) {
			d.PackType = pack.BotProfilePack
		}
	}
	d.PackID = "profile/imported-" + d.slug() + "-" + sha8
	d.Version = "0.1.0-converted-" + sha8
	d.Issues = b.rep.list()
	if d.PackType == pack.BotProfilePack {
		d.Sections[pack.SectionMeta] = d.meta()
	}
	d.Issues = append(d.Issues, pack.Diagnose(pack.Manifest{HostVersion: d.HostVersion, PluginCompat: d.PluginCompat}, d.Sections, pack.Host{})...)
	slices.SortFunc(d.Issues, func(a, b pack.Issue) int { return strings.Compare(a.Code, b.Code) })
	d.Capabilities = Capabilities(d.Sections)
	d.Report = b.rep.close()
	return d, nil
}

// firstProblem says why nothing came out, when a file could not be read.
func firstProblem(r *reporter) string {
	for _, f := range r.fields {
		if f.Outcome == NeedsAPerson && f.Note != "" {
			return " " + f.SourcePath + ": " + f.Note + "."
		}
	}
	return ""
}

// slug names the draft by what it is about: the persona the bot speaks as, else the first persona, subagent, skill,
// server, else the file; the first of them that has letters or digits of ASCII and is no
// name of a device.
func (d *Draft) slug() string {
	names := []string{}
	if def := d.Summary.DefaultPersonality; !strings.EqualFold(def, "default") {
		names = append(names, def)
	}
	names = append(names, head(d.Summary.PersonaIDs), head(d.Summary.SubagentIDs))
	for _, section := range []string{pack.SectionSkills, pack.SectionMCPServers} {
		names = append(names, head(sortedKeys(object(d.Sections[section]))))
	}
	names = append(names, strings.TrimSuffix(d.Source.Filename, path.Ext(d.Source.Filename)))
	for _, name := range names {
		if s := slug(name); s != "" && !ids.Device(s) {
			return s
		}
	}
	return "bot"
}

func head(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// meta is the pack's note on where it came from. It holds counts and no names: a selection may leave out what the
// names belong to.
func (d *Draft) meta() map[string]any {
	s := d.Summary
	in := map[string]any{
		"source_type": d.Source.Type, "source_sha256": d.Source.SHA256, "issues": anys(pack.Codes(d.Issues)),
		"summary": map[string]any{
			"persona_count": number(s.PersonaCount), "subagent_count": number(s.SubagentCount), "platform_count": number(s.PlatformCount),
			"provider_source_count": number(s.ProviderSourceCount), "plugin_count": number(s.PluginCount), "provider_count": number(s.ProviderCount),
			"skill_count": number(s.SkillCount), "mcp_server_count": number(s.MCPServerCount), "knowledge_base_count": number(s.KnowledgeBaseCount),
			"config_profile_count": number(s.ProfileCount),
		},
	}
	in["source_filename"] = d.Source.Filename
	if d.Source.ConfigVersion != "" {
		in["config_version"] = clip(d.Source.ConfigVersion, 40)
	}
	if m := d.Source.Backup; m != nil {
		in["backup_manifest"] = map[string]any{
			"version": m.Version, "astrbot_version": m.HostVersion, "exported_at": m.ExportedAt, "checksums": number(m.ChecksumsTotal), "checksums_ok": number(m.ChecksumsFit),
		}
	}
	return map[string]any{"astrbot_import": in}
}

// summarize counts what is in a pack that was made already.
func summarize(sections map[string]any) Summary {
	personas := object(sections[pack.SectionPersonas])
	entries := personas
	if e := object(personas["entries"]); e != nil {
		entries = e
	}
	env := object(sections[pack.SectionEnvironment])
	run := object(personas["runtime"])
	var agents []string
	for _, a := range list(object(env["subagent_orchestrator"])["agents"]) {
		if on, ok := object(a)["enabled"].(bool); !ok || on {
			agents = append(agents, first(object(a), "name", "id"))
		}
	}
	return Summary{
		DefaultPersonality: clip(text(run["default_personality"]), 120), PersonaPool: some(texts(run["persona_pool"])),
		PersonaCount: len(entries), PersonaIDs: some(sortedKeys(entries)), SubagentCount: len(agents), SubagentIDs: some(agents),
		PlatformCount: len(list(env["platform"])), ProviderSourceCount: len(list(env["provider_sources"])),
		PluginCount: len(object(sections[pack.SectionPlugins])), ProviderCount: len(object(sections[pack.SectionProviders])),
		SkillCount: len(object(sections[pack.SectionSkills])), MCPServerCount: len(object(sections[pack.SectionMCPServers])),
		KnowledgeBaseCount: len(object(sections[pack.SectionKnowledge])), ProfileCount: len(object(object(sections[pack.SectionCore])["config_profiles"])),
	}
}
