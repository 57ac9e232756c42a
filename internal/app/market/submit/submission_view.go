package submit

import (
	"encoding/json"
	"unicode/utf8"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
	"stoa/internal/market/submission"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/marketdb"
)

// SubmissionView is what template and profile-pack submissions have in common.
type SubmissionView struct {
	ID               string             `json:"id"`
	SubmissionID     string             `json:"submission_id"`
	Kind             catalog.Kind       `json:"kind"`
	Status           string             `json:"status"`
	Version          string             `json:"version"`
	UserID           string             `json:"user_id"`
	Title            string             `json:"title"`
	Category         string             `json:"category"`
	Tags             []string           `json:"tags"`
	Maintainer       string             `json:"maintainer"`
	SourceChannel    string             `json:"source_channel"`
	Visibility       catalog.Visibility `json:"visibility"`
	RiskLevel        string             `json:"risk_level"`
	ReviewNote       string             `json:"review_note"`
	ReviewLabel      string             `json:"review_label"`
	ReviewLabels     []string           `json:"review_labels"`
	WarningFlag      string             `json:"warning_flag"`
	WarningFlags     []string           `json:"warning_flags"`
	Scan             scan.Summary       `json:"scan_summary"`
	ReviewerID       *string            `json:"reviewer_id"`
	CreatedAt        string             `json:"created_at"`
	UpdatedAt        string             `json:"updated_at"`
	Replaced         []string           `json:"replaced_submission_ids"`
	ReplacedCount    int                `json:"replaced_submission_count"`
	Package          *browse.PackageRef `json:"package_artifact,omitempty"`
	IdempotentReplay bool               `json:"idempotent_replay,omitempty"`
	TransferJob      *TransferJob       `json:"transfer_job,omitempty"`
	LeaveReport      json.RawMessage    `json:"leave_report,omitempty"`
	// Returned are what a reviewer had asked to take out and stands in it.
	Returned []string `json:"returned"`
}

// TemplateSubmission is a template submission as its owner sees it.
type TemplateSubmission struct {
	SubmissionView
	TemplateID    string                   `json:"template_id"`
	UploadOptions submission.UploadOptions `json:"upload_options"`
	PromptPreview string                   `json:"prompt_preview,omitempty"`
	PromptLength  int                      `json:"prompt_length,omitempty"`
	// Prompt and Description are whole, in what one submission says of itself.
	Prompt      string `json:"prompt,omitempty"`
	Description string `json:"description,omitempty"`
}

// PackSubmission is a profile-pack submission as its owner sees it.
type PackSubmission struct {
	SubmissionView
	PackID              string                    `json:"pack_id"`
	PackType            string                    `json:"pack_type"`
	ArtifactID          string                    `json:"artifact_id"`
	ImportID            string                    `json:"import_id"`
	Filename            string                    `json:"filename"`
	SHA256              string                    `json:"sha256"`
	SizeBytes           int64                     `json:"size_bytes"`
	Sections            []string                  `json:"sections"`
	RedactionMode       string                    `json:"redaction_mode"`
	Capabilities        catalog.CapabilitySummary `json:"capability_summary"`
	Compatibility       string                    `json:"compatibility"`
	CompatibilityIssues []string                  `json:"compatibility_issues"`
	Matrix              pack.Matrix               `json:"compatibility_matrix"`
	Evidence            browse.ReviewEvidence     `json:"review_evidence"`
	SubmitOptions       submission.SubmitOptions  `json:"submit_options"`
}

// FactsOf are the facts of a document that is submitted.
func FactsOf(d *catalog.Document) submission.Facts {
	text, _ := d.Text(d.Fallback())
	f := submission.Facts{
		ReviewLabels: d.Scan.ReviewLabels, WarningFlags: d.Scan.WarningFlags, Scan: d.Scan, Title: text.Title, Category: d.Category, Tags: d.Tags,
		Maintainer: d.Maintainer, PromptPreview: preview(text.Prompt), PromptLength: utf8.RuneCountInString(text.Prompt),
	}
	if d.Pack != nil {
		f.Pack = &submission.PackFacts{
			PackType: d.Pack.PackType, Sections: d.SectionNames(), RedactionMode: d.Pack.RedactionMode, Capabilities: d.Capabilities(),
			Compatibility: d.Pack.Compatibility, CompatibilityIssues: d.Pack.CompatibilityWhy, Matrix: browse.MatrixOf(d),
		}
	}
	return f
}

const previewLength = 240 // characters

func preview(text string) string {
	if utf8.RuneCountInString(text) <= previewLength {
		return text
	}
	return string([]rune(text)[:previewLength])
}

func submissionView(s marketdb.Submission) SubmissionView {
	f := s.Facts
	v := SubmissionView{
		ID: s.SubmissionID, SubmissionID: s.SubmissionID, Kind: s.Kind, Status: s.Status, Version: s.Version, UserID: s.UserID, Title: f.Title,
		Category: f.Category, Tags: core.NonNil(f.Tags), Maintainer: f.Maintainer, SourceChannel: catalog.ChannelCommunity, Visibility: catalog.Community,
		RiskLevel: s.RiskLevel, ReviewNote: s.ReviewNote, ReviewLabel: first(f.ReviewLabels), ReviewLabels: core.NonNil(f.ReviewLabels),
		WarningFlag: first(f.WarningFlags), WarningFlags: core.NonNil(f.WarningFlags), Scan: f.Scan.Filled(),
		CreatedAt: clock.Text(clock.FromMicros(s.CreatedAt)), UpdatedAt: clock.Text(clock.FromMicros(s.UpdatedAt)),
		Replaced: core.NonNil(f.Replaced), ReplacedCount: len(f.Replaced), Returned: core.NonNil(f.Returned),
	}
	if s.Reviewer != "" {
		v.ReviewerID = &s.Reviewer
	}
	if f.Artifact != nil {
		v.Package = &browse.PackageRef{Artifact: *f.Artifact, Version: s.Version}
	}
	switch {
	case f.Upload != nil:
		v.Visibility = f.Upload.Visibility
	case f.Submit != nil:
		v.Visibility = f.Submit.Visibility
	}
	return v
}

func templateSubmissionView(s marketdb.Submission) TemplateSubmission {
	v := TemplateSubmission{SubmissionView: submissionView(s), TemplateID: s.ItemID, UploadOptions: submission.UploadOptions{}.Normalized()}
	if s.Facts.Upload != nil {
		v.UploadOptions = *s.Facts.Upload
	}
	return v
}

func packSubmissionView(s marketdb.Submission) PackSubmission {
	v := PackSubmission{
		SubmissionView: submissionView(s), PackID: s.ItemID, PackType: s.PackType, ArtifactID: s.ImportID, ImportID: s.ImportID, SHA256: s.SHA256,
		SubmitOptions: submission.SubmitOptions{}.Normalized(), CompatibilityIssues: []string{}, Sections: []string{},
	}
	if a := s.Facts.Artifact; a != nil {
		v.Filename, v.SizeBytes = a.Filename, a.SizeBytes
	}
	if s.Facts.Submit != nil {
		v.SubmitOptions = *s.Facts.Submit
	}
	p := s.Facts.Pack
	if p == nil {
		p = &submission.PackFacts{Capabilities: catalog.NoCapabilities()}
	}
	v.Matrix = browse.MatrixOfFacts(p)
	v.Evidence = browse.EvidenceOf(s.RiskLevel, s.Facts.ReviewLabels, s.Facts.WarningFlags, v.Matrix, p.RedactionMode, p.Capabilities)
	v.Capabilities = p.Capabilities
	if s.Facts.Pack != nil {
		v.PackType, v.Sections, v.RedactionMode, v.Capabilities = p.PackType, core.NonNil(p.Sections), p.RedactionMode, p.Capabilities
		v.Compatibility, v.CompatibilityIssues = p.Compatibility, core.NonNil(p.CompatibilityIssues)
	}
	return v
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
