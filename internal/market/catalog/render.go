package catalog

import (
	"encoding/json"
	"net/url"
	"slices"
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

// WithdrawnLine is a version that its author took out of the item's history.
type WithdrawnLine struct {
	Version string `json:"version"`
	At      string `json:"withdrawn_at"`
	Note    string `json:"note"`
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
	FeaturedBy   string
	FeaturedAt   time.Time // zero when it is not featured
	PublishedAt  time.Time
	Artifact     Artifact
	Versions     []VersionLine
	Withdrawn    []WithdrawnLine
	// Matrix and Evidence are the compatibility_matrix and the review_evidence of a pack, rendered.
	Matrix, Evidence json.RawMessage
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
	FeaturedBy   string     `json:"featured_by"`
	FeaturedAt   string     `json:"featured_at"`
	PublishedAt  string     `json:"published_at"`
	Package      *Artifact  `json:"package_artifact,omitempty"`
	Reaches      []string   `json:"reach_capabilities"`
	Scan         scan.Brief `json:"scan_summary"`
	*packFacts
}

type packFacts struct {
	PackType      string            `json:"pack_type"`
	ArtifactID    string            `json:"artifact_id"`
	Filename      string            `json:"filename"`
	Path          string            `json:"package_path"` // where a member downloads this version
	SHA256        string            `json:"sha256"`
	SizeBytes     int64             `json:"size_bytes"`
	Sections      []string          `json:"sections"`
	RedactionMode string            `json:"redaction_mode"`
	Capabilities  CapabilitySummary `json:"capability_summary"`
	Compatibility string            `json:"compatibility"`
	Issues        []string          `json:"compatibility_issues"`
	Matrix        json.RawMessage   `json:"compatibility_matrix"`
	Evidence      json.RawMessage   `json:"review_evidence"`
}

type detailed struct {
	listed
	Versions      []VersionLine     `json:"versions"`
	Withdrawn     []WithdrawnLine   `json:"withdrawn_versions,omitempty"`
	Locales       []string          `json:"locales"`
	Scan          scan.Summary      `json:"scan_summary"` // whole, in place of the list's
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
		listed: p.listed(locale), Versions: p.Versions, Withdrawn: p.Withdrawn, Locales: p.Document.LocaleTags(), Scan: p.Document.Scan.Filled(), Homepage: p.Document.Homepage, Reach: p.Document.Reach,
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
		FeaturedBy: p.FeaturedBy, PublishedAt: p.PublishedAt.UTC().Format(timeFormat), Scan: d.Scan.Filled().Brief(), Reaches: p.reaches(),
	}
	if !p.FeaturedAt.IsZero() {
		l.FeaturedAt = p.FeaturedAt.UTC().Format(timeFormat)
	}
	if d.Kind == KindTemplate {
		l.TemplateID, l.Package = d.ID, &p.Artifact
		return l
	}
	l.PackID = d.ID
	l.packFacts = &packFacts{
		PackType: d.Pack.PackType, ArtifactID: p.Artifact.ID, Filename: p.Artifact.Filename, SHA256: p.Artifact.SHA256, Path: packagePath(d.ID, d.Version),
		SizeBytes: p.Artifact.SizeBytes, Sections: d.SectionNames(), RedactionMode: d.Pack.RedactionMode,
		Capabilities: d.Capabilities(), Compatibility: d.Pack.Compatibility, Issues: list(d.Pack.CompatibilityWhy),
		Matrix: orEmpty(p.Matrix), Evidence: orEmpty(p.Evidence),
	}
	return l
}

func packagePath(id, version string) string {
	return "/api/profile-pack/package/download?" + url.Values{"pack_id": {id}, "version": {version}}.Encode()
}

// timeFormat is how the contract writes times.
const timeFormat = "2006-01-02T15:04:05.000Z"

// reaches are the capabilities that were found in the item's bytes, of a pack also those its sections give it: what it can
// do, whatever the scan says of its risk. The list is empty when nothing was found or nothing is known.
func (p *Published) reaches() []string {
	out := []string{}
	if r := p.Document.Reach; r != nil {
		out = append(out, r.Capabilities...)
	}
	if p.Document.Pack != nil {
		out = append(out, p.Document.Capabilities().Derived...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func orEmpty(object json.RawMessage) json.RawMessage {
	if object == nil {
		return json.RawMessage("{}")
	}
	return object
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
