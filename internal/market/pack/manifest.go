package pack

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/market/catalog"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// The pack types.
const (
	BotProfilePack = "bot_profile_pack"
	ExtensionPack  = "extension_pack"
)

// Sections of a pack.
const (
	SectionCore          = "astrbot_core"
	SectionProviders     = "providers"
	SectionPlugins       = "plugins"
	SectionSkills        = "skills"
	SectionPersonas      = "personas"
	SectionMCPServers    = "mcp_servers"
	SectionMeta          = "stoa_meta"
	SectionMemory        = "memory_store"
	SectionConversations = "conversation_history"
	SectionKnowledge     = "knowledge_base"
	SectionEnvironment   = "environment_manifest"

	// sectionEarlierMeta is what the service before this one calls its meta section.
	sectionEarlierMeta = "sharelife_meta"
)

var extensionSections = []string{SectionPlugins, SectionSkills, SectionPersonas, SectionMCPServers}

var profileSections = append([]string{
	SectionCore, SectionProviders, SectionMeta, sectionEarlierMeta, SectionMemory, SectionConversations,
	SectionKnowledge, SectionEnvironment,
}, extensionSections...)

// AllowedSections lists what a pack of a type may hold, sorted; nil for a type that does not exist.
func AllowedSections(packType string) []string {
	switch packType {
	case BotProfilePack:
		return slices.Sorted(slices.Values(profileSections))
	case ExtensionPack:
		return slices.Sorted(slices.Values(extensionSections))
	}
	return nil
}

// KnownSection tells whether any pack may hold a section of this name.
func KnownSection(name string) bool { return slices.Contains(profileSections, name) }

// capabilities are the names a manifest may declare, sorted.
var capabilities = []string{
	"command.exec", "conversation.export", "environment.reconfigure", "file.read", "file.write",
	"knowledge.export", "mcp.invoke", "memory.export", "network.outbound", "provider.access",
}

// RedactionModes are the contract's, the default first.
var RedactionModes = []string{"exclude_secrets", "exclude_provider", "include_provider_no_key", "include_encrypted_secrets"}

// Manifest is manifest.json of a profile pack, in the order its fields are written.
type Manifest struct {
	PackType     string            `json:"pack_type"`
	PackID       string            `json:"pack_id"`
	Version      string            `json:"version"`
	CreatedAt    string            `json:"created_at"`
	HostVersion  string            `json:"astrbot_version"` // "any", "*" or "" for no constraint
	PluginCompat string            `json:"plugin_compat"`   // likewise
	Sections     []string          `json:"sections"`
	Capabilities []string          `json:"capabilities"`
	Redaction    Redaction         `json:"redaction_policy"`
	Hashes       map[string]string `json:"hashes"`
	Signature    *Signature        `json:"signature,omitempty"`
}

// Redaction says what was left out when the pack was made.
type Redaction struct {
	Mode            string   `json:"mode"`
	IncludeSections []string `json:"include_sections"`
	MaskPaths       []string `json:"mask_paths"`
	DropPaths       []string `json:"drop_paths"`
}

// Signature is an HMAC over the manifest. Stoa holds no keys, so it can only report that it cannot check one.
type Signature struct {
	Algorithm string `json:"algorithm"`
	KeyID     string `json:"key_id"`
	Value     string `json:"value"`
}

// sectionFile is where a section lies in the zip.
func sectionFile(name string) string { return "sections/" + name + ".json" }

// Bounds of a manifest.
const (
	maxManifestBytes = 1 << 20
	maxManifestPaths = 10_000
	maxPolicyText    = 200
)

// ParseManifest reads and checks manifest.json. Hashes are checked for their keys and form only.
func ParseManifest(text []byte) (Manifest, error) {
	var m Manifest
	if err := strictjson.Decode(text, maxDepth, &m, false); err != nil {
		return Manifest{}, refuseJSON(errs.InvalidProfilePackPayload, ReasonBadManifest, manifestFile, err)
	}
	if err := m.check(); err != nil {
		return Manifest{}, Refuse(errs.InvalidProfilePackPayload, ReasonBadManifest, manifestFile, "manifest.json: "+err.Error()+".")
	}
	return m, nil
}

func (m *Manifest) check() error {
	allowed := AllowedSections(m.PackType)
	if allowed == nil {
		return fmt.Errorf("pack_type is neither %s nor %s", BotProfilePack, ExtensionPack)
	}
	if err := catalog.CheckID("pack_id", m.PackID); err != nil {
		return err
	}
	if err := catalog.CheckVersion(m.Version); err != nil {
		return err
	}
	for _, f := range []struct{ name, text string }{{"created_at", m.CreatedAt}, {"astrbot_version", m.HostVersion}, {"plugin_compat", m.PluginCompat}} {
		if err := catalog.CheckName(f.name, f.text, maxPolicyText); err != nil {
			return err
		}
	}
	if _, err := ParseConstraint(m.PluginCompat); err != nil {
		return fmt.Errorf("plugin_compat %w", err)
	}
	if len(m.Sections) == 0 {
		return fmt.Errorf("sections is empty; a pack needs at least one")
	}
	if err := checkNames("sections", m.Sections, allowed); err != nil {
		return err
	}
	if err := checkNames("capabilities", m.Capabilities, capabilities); err != nil {
		return err
	}
	if err := m.Redaction.check(allowed); err != nil {
		return err
	}
	if err := m.checkHashes(); err != nil {
		return err
	}
	return m.Signature.check()
}

// checkNames refuses names twice and names that are not allowed.
func checkNames(field string, names, allowed []string) error {
	for i, name := range names {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s holds %q, which is none of %s", field, Clean(name), strings.Join(allowed, ", "))
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%s names %s twice", field, name)
		}
	}
	return nil
}

func (r *Redaction) check(allowed []string) error {
	if !slices.Contains(RedactionModes, r.Mode) {
		return fmt.Errorf("redaction_policy.mode is none of %s", strings.Join(RedactionModes, ", "))
	}
	if err := checkNames("redaction_policy.include_sections", r.IncludeSections, allowed); err != nil {
		return err
	}
	for _, list := range []struct {
		name  string
		paths []string
	}{{"mask_paths", r.MaskPaths}, {"drop_paths", r.DropPaths}} {
		if len(list.paths) > maxManifestPaths {
			return fmt.Errorf("redaction_policy.%s holds more than %d paths", list.name, maxManifestPaths)
		}
		for i, text := range list.paths {
			path, err := ParsePath(strings.ReplaceAll(text, "[*]", "[0]")) // of every item
			if err != nil || path[0].Key == nil || !KnownSection(*path[0].Key) {
				return fmt.Errorf("redaction_policy.%s[%d] is not a path such as providers.openai.key", list.name, i)
			}
		}
	}
	return nil
}

func (m *Manifest) checkHashes() error {
	for _, name := range m.Sections {
		hash, ok := m.Hashes[sectionFile(name)]
		if !ok {
			return fmt.Errorf("hashes has no entry for %s", sectionFile(name))
		}
		if !isDigest(hash) {
			return fmt.Errorf("the hash of %s is not 64 hex digits of SHA-256", sectionFile(name))
		}
	}
	if len(m.Hashes) != len(m.Sections) {
		return fmt.Errorf("hashes names files that are no section of this pack")
	}
	return nil
}

// check looks at the form alone; an unknown algorithm is a matter of compatibility, see Diagnose.
func (s *Signature) check() error {
	if s == nil {
		return nil
	}
	if s.Algorithm == "" || catalog.CheckName("signature.algorithm", s.Algorithm, 64) != nil {
		return fmt.Errorf("signature.algorithm is missing or not a name")
	}
	if s.KeyID == "" || catalog.CheckName("signature.key_id", s.KeyID, maxPolicyText) != nil {
		return fmt.Errorf("signature.key_id is missing or not a name")
	}
	if s.Algorithm == signatureAlgorithm && !isDigest(s.Value) {
		return fmt.Errorf("signature.value is not 64 hex digits of an HMAC-SHA-256")
	}
	if len(s.Value) > 4096 {
		return fmt.Errorf("signature.value is too long")
	}
	return nil
}

// signatureAlgorithm is the only one the format knows.
const signatureAlgorithm = "hmac-sha256"

func isDigest(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}
