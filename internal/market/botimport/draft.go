package botimport

import (
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/platform/errs"
)

// The kinds of sources.
const (
	TypeBackup      = "astrbot_backup_zip"
	TypeConfig      = "astrbot_cmd_config_json"
	TypeProfile     = "astrbot_abconf_json"
	TypeOtherConfig = "astrbot_config_json"
	TypeFolder      = "astrbot_folder"
	TypePersonas    = "astrbot_personas_json"
	TypePack        = "profile_pack"
	TypeCardPNG     = "character_card_png"
	TypeCardJSON    = "character_card_json"
	TypeCardZip     = "character_card_zip"
	TypeSkills      = "skill_folder"
	TypeMCP         = "mcp_servers_json"
)

// Draft is a setup as sections of a pack, not redacted.
type Draft struct {
	PackType     string
	PackID       string
	Version      string
	HostVersion  string // for the manifest: ">=4.25.0", or "any" when it is not known
	PluginCompat string
	Capabilities []string // declared; for conversions those derived from the sections
	Sections     map[string]any
	Source       Source
	Issues       []pack.Issue
	Report       Report
	Summary      Summary
	Profile      *pack.Profile // of a profile pack that was made already, else nil
}

// Source says where a draft came from.
type Source struct {
	Type          string          `json:"source_type"`
	Filename      string          `json:"source_filename"`
	SHA256        string          `json:"source_sha256"` // of the file's bytes; of a folder: of the sections made from it
	ConfigVersion string          `json:"config_version,omitempty"`
	Backup        *BackupManifest `json:"backup_manifest,omitempty"`
}

// BackupManifest is what matters of a backup's manifest.json.
type BackupManifest struct {
	Version        string   `json:"version"`
	HostVersion    string   `json:"astrbot_version"`
	ExportedAt     string   `json:"exported_at"` // RFC 3339 UTC with milliseconds, "" when it cannot be read
	Origin         string   `json:"origin"`
	Directories    []string `json:"directories"`
	ChecksumsTotal int      `json:"checksums"`
	ChecksumsFit   int      `json:"checksums_ok"`
	ChecksumsOdd   []string `json:"checksums_mismatched"` // at most 100
	ChecksumsSkip  int      `json:"checksums_not_checked"`
}

// Summary says what was found.
type Summary struct {
	DefaultPersonality  string   `json:"default_personality"`
	PersonaPool         []string `json:"persona_pool"`
	PersonaCount        int      `json:"persona_count"`
	PersonaIDs          []string `json:"persona_ids"`    // at most 200, as every list here
	SubagentCount       int      `json:"subagent_count"` // of those that are enabled, as are the ids
	SubagentIDs         []string `json:"subagent_ids"`
	PlatformCount       int      `json:"platform_count"`
	ProviderSourceCount int      `json:"provider_source_count"`
	PluginCount         int      `json:"plugin_count"`
	ProviderCount       int      `json:"provider_count"`
	SkillCount          int      `json:"skill_count"`
	MCPServerCount      int      `json:"mcp_server_count"`
	KnowledgeBaseCount  int      `json:"knowledge_base_count"`
	ProfileCount        int      `json:"config_profile_count"`
}

// ImportSummary is the contract's import_summary: what was found and what became of every field.
type ImportSummary struct {
	Summary
	Report
}

// Filename is the name under which the pack made from a draft is kept.
func (d *Draft) Filename() string {
	name := pack.Filename(d.PackID, d.Version)
	if d.Profile != nil {
		return name
	}
	return name[:len(name)-len(".zip")] + "-converted.zip"
}

// Manifest is the manifest of a pack with the draft's sections; hashes and lists of sections are pack.Write's.
func (d *Draft) Manifest(createdAt, redactionMode string) pack.Manifest {
	return pack.Manifest{
		PackType: d.PackType, PackID: d.PackID, Version: d.Version, CreatedAt: createdAt, HostVersion: d.HostVersion,
		PluginCompat: d.PluginCompat, Capabilities: d.Capabilities, Redaction: pack.Redaction{Mode: redactionMode},
	}
}

// refuse is a refusal of the whole import.
func refuse(reason, entry, message string) error {
	return pack.Refuse(errs.InvalidProfilePackPayload, reason, entry, message)
}

// Capabilities returns what sections give a pack; see the field facts, 3.2.
func Capabilities(sections map[string]any) []string {
	d := catalog.Document{Kind: catalog.KindProfilePack, Pack: &catalog.Pack{Sections: raw(sections)}}
	return d.Capabilities().Derived
}
