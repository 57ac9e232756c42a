package catalog

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"stoa/internal/market/disclosure"
	"stoa/internal/market/scan"
)

// Artifact is a package that can be downloaded.
type Artifact struct {
	ID        string `json:"artifact_id"`
	SHA256    string `json:"sha256"`
	Filename  string `json:"filename"`
	Source    string `json:"source"`
	SizeBytes int64  `json:"size_bytes"`
}

// VersionLine is one line of an item's history.
type VersionLine struct {
	Version     string `json:"version"`
	PublishedAt string `json:"published_at"`
	SHA256      string `json:"sha256"`
	SizeBytes   int64  `json:"size_bytes"`
	Source      string `json:"source"`
	RiskLevel   string `json:"risk_level"`
	ChangeNote  string `json:"change_note"`
	Latest      bool   `json:"latest"`
}

// Published is an item as the public sees it: its latest document and what the market knows about it.
type Published struct {
	Document     Document
	Owner        string
	Visibility   Visibility
	Channel      string
	SubmissionID string
	ReviewNote   string
	ReviewLabels []string
	WarningFlags []string
	RiskLevel    string
	Featured     bool
	FeaturedNote string
	PublishedAt  time.Time
	Artifact     Artifact
	Versions     []VersionLine
}

// previewCharacters is how much of a prompt the public sees.
const previewCharacters = 240

type listed struct {
	TemplateID   string     `json:"template_id,omitempty"`
	PackID       string     `json:"pack_id,omitempty"`
	Version      string     `json:"version"`
	Title        string     `json:"title"`
	Description  string     `json:"description"`
	Locale       string     `json:"locale"`
	Category     string     `json:"category"`
	Tags         []string   `json:"tags"`
	Maintainer   string     `json:"maintainer"`
	Owner        string     `json:"owner"`
	Channel      string     `json:"source_channel"`
	SubmissionID string     `json:"source_submission_id"`
	Visibility   Visibility `json:"visibility"`
	RiskLevel    string     `json:"risk_level"`
	ReviewLabel  string     `json:"review_label"`
	ReviewLabels []string   `json:"review_labels"`
	WarningFlag  string     `json:"warning_flag"`
	WarningFlags []string   `json:"warning_flags"`
	ReviewNote   string     `json:"review_note"`
	Featured     bool       `json:"featured"`
	FeaturedNote string     `json:"featured_note"`
	PublishedAt  string     `json:"published_at"`
	Package      *Artifact  `json:"package_artifact,omitempty"`
	*packFacts
}

type packFacts struct {
	PackType      string            `json:"pack_type"`
	ArtifactID    string            `json:"artifact_id"`
	Filename      string            `json:"filename"`
	SHA256        string            `json:"sha256"`
	SizeBytes     int64             `json:"size_bytes"`
	Sections      []string          `json:"sections"`
	RedactionMode string            `json:"redaction_mode"`
	Capabilities  CapabilitySummary `json:"capability_summary"`
	Compatibility string            `json:"compatibility"`
	Issues        []string          `json:"compatibility_issues"`
}

type detailed struct {
	listed
	Versions      []VersionLine     `json:"versions"`
	Locales       []string          `json:"locales"`
	Scan          scan.Summary      `json:"scan_summary"`
	Homepage      string            `json:"homepage"`
	Reach         *disclosure.Reach `json:"reach"`
	PromptPreview *string           `json:"prompt_preview,omitempty"`
	PromptLength  *int              `json:"prompt_length,omitempty"`
}

// Listing renders the item for a list in one language: a JSON object without engagement, which
// changes too often to be kept with it (see WithEngagement).
func (p *Published) Listing(locale string) []byte { return encode(p.listed(locale)) }

// Detail renders the item for its own page in one language, likewise without engagement.
func (p *Published) Detail(locale string) []byte {
	text, _ := p.Document.Text(locale)
	d := detailed{
		listed: p.listed(locale), Versions: p.Versions, Locales: p.Document.LocaleTags(), Scan: p.Document.Scan, Homepage: p.Document.Homepage, Reach: p.Document.Reach,
	}
	if p.Document.Kind == KindTemplate {
		preview, length := text.Prompt, utf8.RuneCountInString(text.Prompt)
		if length > previewCharacters {
			preview = string([]rune(text.Prompt)[:previewCharacters])
		}
		d.PromptPreview, d.PromptLength = &preview, &length
	}
	return encode(d)
}

func (p *Published) listed(locale string) listed {
	d := &p.Document
	text, tag := d.Text(locale)
	l := listed{
		Version: d.Version, Title: text.Title, Description: text.Description, Locale: tag, Category: d.Category, Tags: list(d.Tags),
		Maintainer: d.Maintainer, Owner: p.Owner, Channel: p.Channel, SubmissionID: p.SubmissionID, Visibility: p.Visibility,
		RiskLevel: p.RiskLevel, ReviewLabel: first(p.ReviewLabels), ReviewLabels: list(p.ReviewLabels), WarningFlag: first(p.WarningFlags),
		WarningFlags: list(p.WarningFlags), ReviewNote: p.ReviewNote, Featured: p.Featured, FeaturedNote: p.FeaturedNote,
		PublishedAt: p.PublishedAt.UTC().Format("2006-01-02T15:04:05.000Z"),
	}
	if d.Kind == KindTemplate {
		l.TemplateID, l.Package = d.ID, &p.Artifact
		return l
	}
	l.PackID = d.ID
	l.packFacts = &packFacts{
		PackType: d.Pack.PackType, ArtifactID: p.Artifact.ID, Filename: p.Artifact.Filename, SHA256: p.Artifact.SHA256,
		SizeBytes: p.Artifact.SizeBytes, Sections: d.SectionNames(), RedactionMode: d.Pack.RedactionMode,
		Capabilities: d.Capabilities(), Compatibility: d.Pack.Compatibility, Issues: list(d.Pack.CompatibilityWhy),
	}
	return l
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and lists always encode
	}
	return b
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}
