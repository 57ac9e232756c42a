package browse

import (
	"encoding/json"

	"stoa/internal/app/core"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/submission"
)

// ReviewEvidence is the review_evidence of the contract: what a reviewer goes by, in one place.
type ReviewEvidence struct {
	RiskLevel     string                    `json:"risk_level"`
	ReviewLabels  []string                  `json:"review_labels"`
	WarningFlags  []string                  `json:"warning_flags"`
	Compatibility string                    `json:"compatibility"`
	Issues        []string                  `json:"compatibility_issues"`
	IssueGroups   map[string][]string       `json:"compatibility_issue_groups"`
	IssueDetails  []pack.Issue              `json:"compatibility_issue_details"`
	RedactionMode string                    `json:"redaction_mode"`
	Capabilities  catalog.CapabilitySummary `json:"capability_summary"`
}

// EvidenceOf puts together what a page shows of why an item has its verdict.
func EvidenceOf(risk string, labels, flags []string, m pack.Matrix, redactionMode string, c catalog.CapabilitySummary) ReviewEvidence {
	return ReviewEvidence{
		RiskLevel: risk, ReviewLabels: core.NonNil(labels), WarningFlags: core.NonNil(flags), Compatibility: m.Result, Issues: m.Issues, IssueGroups: m.IssueGroups,
		IssueDetails: m.Details, RedactionMode: redactionMode, Capabilities: c,
	}
}

// MatrixOf is how a pack fits: as it was diagnosed, or of the codes that older documents hold alone.
func MatrixOf(d *catalog.Document) pack.Matrix {
	var m pack.Matrix
	if json.Unmarshal(d.Pack.Matrix, &m) == nil && m.Result != "" {
		return m
	}
	return pack.NewMatrix(pack.Issues(d.Pack.CompatibilityWhy), d.Pack.HostVersion, d.Pack.PluginCompat)
}

// MatrixOfFacts is the same of a submission.
func MatrixOfFacts(p *submission.PackFacts) pack.Matrix {
	if p.Matrix.Result != "" {
		return p.Matrix
	}
	return pack.NewMatrix(pack.Issues(p.CompatibilityIssues), "", "")
}

// KeepMatrix keeps how a pack fits in its document.
func KeepMatrix(p *catalog.Pack, m pack.Matrix) {
	p.Compatibility, p.CompatibilityWhy = m.Result, m.Issues
	p.Matrix, _ = json.Marshal(m) // texts, numbers and lists always encode
}
