package submission

import (
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
)

// The review labels that come from how a submission stands to what is published, not from its bytes.
const (
	// OwnershipConflict marks a submission to an id that another member owns, or to a new one that begins with another's name.
	OwnershipConflict = "ownership_conflict"
	// VersionConflict marks a version that is published already, which therefore cannot be approved.
	VersionConflict = "version_conflict"
	// ReachWidened marks a version that can do or contact what the published one cannot.
	ReachWidened = "reach_widened"
	// OddID marks an id from before the rule for ids; it may look like another, or is the name of a device on Windows.
	OddID = "odd_id"
	// OfficialName marks an id or a maintainer that claims to be the server's or its operator's own.
	OfficialName = "official_name"
	// ScanPending marks a package that is answered before it is scanned, because it is large.
	ScanPending = "scan_pending"
	// RemovalReturned marks a version that holds what a reviewer asked its member to take out.
	RemovalReturned = "removal_returned"
	// ExamplesOnly marks one that gives the published version example conversations and changes nothing else.
	ExamplesOnly = "examples_only"
)

// StateLabels are those that do not come from the bytes.
var StateLabels = []string{OwnershipConflict, VersionConflict, ReachWidened, OddID, OfficialName, RemovalReturned, ExamplesOnly}

// Facts are what a submission says of itself in lists. They are fixed when it is made.
type Facts struct {
	ReviewLabels  []string          `json:"review_labels"`
	WarningFlags  []string          `json:"warning_flags"`
	Scan          scan.Summary      `json:"scan_summary"`
	Title         string            `json:"title"`
	Category      string            `json:"category"`
	Tags          []string          `json:"tags"`
	Maintainer    string            `json:"maintainer"`
	PromptPreview string            `json:"prompt_preview,omitempty"`
	PromptLength  int               `json:"prompt_length,omitempty"`
	Upload        *UploadOptions    `json:"upload_options,omitempty"`
	Submit        *SubmitOptions    `json:"submit_options,omitempty"`
	Artifact      *catalog.Artifact `json:"artifact,omitempty"`
	Replaced      []string          `json:"replaced,omitempty"`
	Pack          *PackFacts        `json:"pack,omitempty"`
	// Returned are what a reviewer had asked to take out and stands in it.
	Returned []string `json:"returned,omitempty"`
	// ExamplesOnly: it gives the published version example conversations and changes nothing else.
	ExamplesOnly bool `json:"examples_only,omitempty"`
}

// PackFacts are the facts of a profile-pack submission.
type PackFacts struct {
	PackType            string                    `json:"pack_type"`
	Sections            []string                  `json:"sections"`
	RedactionMode       string                    `json:"redaction_mode"`
	Capabilities        catalog.CapabilitySummary `json:"capability_summary"`
	Compatibility       string                    `json:"compatibility"`
	CompatibilityIssues []string                  `json:"compatibility_issues"`
	Matrix              pack.Matrix               `json:"compatibility_matrix"`
}
