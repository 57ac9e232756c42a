package pack

import (
	"slices"
	"strings"
)

// Groups of issues.
const (
	GroupIntegrity   = "integrity"
	GroupSecurity    = "security"
	GroupVersion     = "version"
	GroupConversion  = "conversion"
	GroupEnvironment = "environment"
	GroupUnknown     = "unknown"
)

var groups = []string{GroupIntegrity, GroupSecurity, GroupVersion, GroupConversion, GroupEnvironment, GroupUnknown}

// Codes of issues.
const (
	IssueSignatureUntrusted    = "signature_untrusted_key"
	IssueSignatureAlgorithm    = "signature_algorithm_unsupported"
	IssueEncryptedSecrets      = "encrypted_secrets_key_unavailable"
	IssueEncryptedInvalid      = "encrypted_secret_payload_invalid"
	IssueHostVersion           = "astrbot_version_mismatch"
	IssuePluginCompat          = "plugin_compat_mismatch"
	IssueContainer             = "environment_container_reconfigure_required"
	IssueSystemDependencies    = "environment_system_dependencies_reconfigure_required"
	IssuePluginBinaries        = "environment_plugin_binary_reconfigure_required"
	IssueKnowledgeStorage      = "knowledge_base_storage_sync_required"
	IssueConverted             = "astrbot_raw_import_converted"
	IssueRuntimeOmitted        = "astrbot_backup_runtime_payload_omitted"
	IssueOperatorFieldsOmitted = "astrbot_operator_fields_omitted"
	IssueWildcardUnresolved    = "astrbot_plugin_wildcard_unresolved"
	IssueDatabaseNotRead       = "astrbot_database_not_read"
	IssueChecksumMismatch      = "backup_checksum_mismatch"
	IssueFileUnreadable        = "import_file_unreadable"
	IssueItemsTruncated        = "import_items_truncated"
	IssueCardConverted         = "character_card_converted"
	IssueCardPartsOmitted      = "character_card_parts_omitted"
	IssueSkillsConverted       = "skills_converted"
	IssueSkillFilesOmitted     = "skill_files_omitted"
	IssueMCPConverted          = "mcp_servers_converted"
)

// issueKinds is the one table of what an issue's code means. Codes may carry a detail behind a colon.
var issueKinds = map[string]struct {
	group    string
	blocking bool
}{
	"section_hash_mismatch":    {GroupIntegrity, false}, // told by packs of the earlier service; our reader refuses such packs
	"signature_invalid":        {GroupIntegrity, true},
	IssueSignatureUntrusted:    {GroupIntegrity, true},
	IssueSignatureAlgorithm:    {GroupIntegrity, true},
	IssueChecksumMismatch:      {GroupIntegrity, false},
	IssueEncryptedSecrets:      {GroupSecurity, true},
	IssueEncryptedInvalid:      {GroupSecurity, true},
	IssueHostVersion:           {GroupVersion, true},
	IssuePluginCompat:          {GroupVersion, true},
	IssueContainer:             {GroupEnvironment, false},
	IssueSystemDependencies:    {GroupEnvironment, false},
	IssuePluginBinaries:        {GroupEnvironment, false},
	IssueKnowledgeStorage:      {GroupEnvironment, false},
	IssueConverted:             {GroupConversion, false},
	IssueRuntimeOmitted:        {GroupConversion, false},
	IssueOperatorFieldsOmitted: {GroupConversion, false},
	IssueWildcardUnresolved:    {GroupConversion, false},
	IssueDatabaseNotRead:       {GroupConversion, false},
	IssueFileUnreadable:        {GroupConversion, false},
	IssueItemsTruncated:        {GroupConversion, false},
	IssueCardConverted:         {GroupConversion, false},
	IssueCardPartsOmitted:      {GroupConversion, false},
	IssueSkillsConverted:       {GroupConversion, false},
	IssueSkillFilesOmitted:     {GroupConversion, false},
	IssueMCPConverted:          {GroupConversion, false},
}

// Issue is one thing that keeps a pack from working as it stands.
type Issue struct {
	Code         string     `json:"code"`
	Group        string     `json:"group"`
	Blocking     bool       `json:"blocking"`
	IssueKey     string     `json:"issue_key"` // profile_pack.issue.<code>, for translations
	Sections     []string   `json:"sections"`
	RelatedPaths []string   `json:"related_paths"`
	EvidenceRefs []Evidence `json:"evidence_refs"`
}

// Evidence is a place in a file of the pack. Line and column are 0 where a whole value is meant.
type Evidence struct {
	File   string `json:"file"`
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Rule   string `json:"rule"`
}

// NewIssue fills in what a code means. Unknown codes do not block.
func NewIssue(code string, sections, paths []string) Issue {
	base, _, _ := strings.Cut(code, ":")
	kind, ok := issueKinds[base]
	if !ok {
		kind.group = GroupUnknown
	}
	return Issue{
		Code: code, Group: kind.group, Blocking: kind.blocking, IssueKey: "profile_pack.issue." + base,
		Sections: sorted(sections), RelatedPaths: sorted(paths), EvidenceRefs: places(base, sections, sorted(paths)),
	}
}

// places are the files of the package, and where in each, that an issue is about. Paths of a source that was converted lie in
// no file of it.
func places(code string, sections, paths []string) []Evidence {
	out := []Evidence{}
	if field, ok := manifestFields[code]; ok {
		out = append(out, Evidence{File: manifestFile, Path: field, Rule: code})
	}
	for _, p := range paths {
		if section := firstStep(p); slices.Contains(sections, section) {
			out = append(out, Evidence{File: sectionFile(section), Path: p, Rule: code})
		}
	}
	return out
}

// manifestFields are the fields of the manifest that an issue is about.
var manifestFields = map[string]string{
	IssueSignatureUntrusted: "signature", IssueSignatureAlgorithm: "signature.algorithm", IssueHostVersion: "astrbot_version", IssuePluginCompat: "plugin_compat",
}

// Diagnosed reports whether a code is one that Diagnose finds in the sections and the manifest of a pack.
func Diagnosed(code string) bool {
	switch code {
	case IssueSignatureUntrusted, IssueSignatureAlgorithm, IssueHostVersion, IssuePluginCompat, IssueEncryptedSecrets:
		return true
	}
	return slices.ContainsFunc(environmentNeeds, func(n environmentNeed) bool { return n.code == code })
}

// Within returns the issue as it stands of a part of the pack it was found in, and whether it concerns that part at all.
// An issue that names no section concerns every part.
func (i Issue) Within(sections map[string]any) (Issue, bool) {
	if len(i.Sections) == 0 {
		return i, true
	}
	there := []string{}
	for _, name := range i.Sections {
		if _, ok := sections[name]; ok {
			there = append(there, name)
		}
	}
	i.Sections = there
	return i, len(there) > 0
}

// Issues makes issues of bare codes, as they are stored.
func Issues(codes []string) []Issue {
	out := make([]Issue, 0, len(codes))
	for _, code := range codes {
		out = append(out, NewIssue(code, nil, nil))
	}
	return out
}

// Codes lists the codes of issues, sorted, each once.
func Codes(issues []Issue) []string {
	out := make([]string, 0, len(issues))
	for _, i := range issues {
		out = append(out, i.Code)
	}
	return sorted(out)
}

// Results of the compatibility check.
const (
	Compatible = "compatible"
	Degraded   = "degraded"
	Blocked    = "blocked"
)

// Compatibility is blocked if an issue blocks, degraded if there is any, else compatible.
func Compatibility(issues []Issue) string {
	switch {
	case len(issues) == 0:
		return Compatible
	case slices.ContainsFunc(issues, func(i Issue) bool { return i.Blocking }):
		return Blocked
	}
	return Degraded
}

// Groups sorts the codes of issues by group; every group has its list.
func Groups(issues []Issue) map[string][]string {
	out := map[string][]string{}
	for _, group := range groups {
		out[group] = []string{}
	}
	for _, i := range issues {
		out[i.Group] = append(out[i.Group], i.Code)
	}
	for group, codes := range out {
		out[group] = sorted(codes)
	}
	return out
}

// Matrix is the compatibility_matrix of the contract.
type Matrix struct {
	Result      string              `json:"runtime_result"`
	Issues      []string            `json:"runtime_issues"`
	IssueGroups map[string][]string `json:"runtime_issue_groups"`
	GroupCounts map[string]int      `json:"runtime_issue_group_counts"`
	Details     []Issue             `json:"runtime_issue_details"`
	Manifest    MatrixManifest      `json:"manifest"`
}

// MatrixManifest is what the manifest asks of a host.
type MatrixManifest struct {
	HostVersion  string `json:"astrbot_version"`
	PluginCompat string `json:"plugin_compat"`
}

// NewMatrix sums issues up.
func NewMatrix(issues []Issue, hostVersion, pluginCompat string) Matrix {
	m := Matrix{
		Result: Compatibility(issues), Issues: Codes(issues), IssueGroups: Groups(issues), GroupCounts: map[string]int{},
		Details: append([]Issue{}, issues...), Manifest: MatrixManifest{hostVersion, pluginCompat},
	}
	for group, codes := range m.IssueGroups {
		m.GroupCounts[group] = len(codes)
	}
	return m
}
