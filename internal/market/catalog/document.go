package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"stoa/internal/market/disclosure"
	"stoa/internal/market/scan"
)

// Kind tells templates and profile packs apart.
type Kind string

// The kinds of published items.
const (
	KindTemplate    Kind = "template"
	KindProfilePack Kind = "profile_pack"
)

// Visibility says who may see an item.
type Visibility string

// The visibilities: everybody, its owner alone, or nobody any more.
const (
	Community Visibility = "community"
	Private   Visibility = "private"
	Withdrawn Visibility = "withdrawn"
)

// The ways an item can have come in.
const (
	ChannelCommunity = "community_submission"
	ChannelOfficial  = "bundled_official"
	ChannelImport    = "operator_import"
	ChannelMirror    = "mirror"
)

// Text is what an item says in one language. Prompt is empty for a profile pack.
type Text struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Prompt      string `json:"prompt,omitempty"`
}

// Origin is where a mirrored item comes from.
type Origin struct {
	Mirror string `json:"mirror"` // the mirror's name here
	Kind   string `json:"kind"`   // the form of its catalog
	URL    string `json:"url"`    // where people find the item at its source
	ID     string `json:"id"`     // as the source calls it
	SHA256 string `json:"sha256"` // of what was fetched, in hex
}

// Document is everything one version of an item says. It is stored whole with the version.
type Document struct {
	Kind         Kind            `json:"kind"`
	ID           string          `json:"id"`
	Version      string          `json:"version"`
	Category     string          `json:"category"`
	Tags         []string        `json:"tags"`
	Maintainer   string          `json:"maintainer"`
	Homepage     string          `json:"homepage"`
	SourceLocale string          `json:"source_locale"`
	Locales      map[string]Text `json:"locales"`
	ChangeNote   string          `json:"change_note"`
	Scan         scan.Summary    `json:"scan"`
	// Judged is the last time that the verdict changed after the version was published; nil for never.
	Judged *Judged `json:"judged,omitempty"`
	// Reach is how far it reaches, computed from its bytes; nil for what no member submitted.
	Reach *disclosure.Reach `json:"reach,omitempty"`
	Pack  *Pack             `json:"pack,omitempty"`
	// Origin is nil for what was published here.
	Origin *Origin `json:"origin,omitempty"`
	// Examples may come after the version was published; they are shown once a reviewer approved them.
	Examples []Example `json:"examples,omitempty"`
}

// Judged is a change of a published version's verdict.
type Judged struct {
	At         int64    `json:"at"` // µs
	RiskBefore string   `json:"risk_before"`
	FlagsAdded []string `json:"flags_added"`
}

// Pack is what a profile pack says beyond a template.
type Pack struct {
	PackType string                     `json:"pack_type"`
	Sections map[string]json.RawMessage `json:"sections,omitempty"`
	// Contents name the sections of a submitted pack, whose bytes stand in its package alone.
	Contents []SectionRef `json:"contents,omitempty"`
	// Derived are the capabilities that were found in a submitted pack's bytes.
	Derived          []string `json:"derived,omitempty"`
	Capabilities     []string `json:"capabilities"`
	RedactionMode    string   `json:"redaction_mode"`
	HostVersion      string   `json:"host_version"`
	PluginCompat     string   `json:"plugin_compat"`
	Compatibility    string   `json:"compatibility"`
	CompatibilityWhy []string `json:"compatibility_issues"`
	// Matrix is the pack.Matrix of how it fits, rendered; nil for documents from before it was kept.
	Matrix json.RawMessage `json:"compatibility_matrix,omitempty"`
}

// SectionRef names a section and the bytes it had.
type SectionRef struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of its canonical JSON
	Size   int64  `json:"size"`   // of its canonical JSON, in bytes
}

// DefaultLocale is what other languages fall back to.
const DefaultLocale = "en-US"

// LocaleTags lists the document's languages, sorted.
func (d *Document) LocaleTags() []string {
	tags := make([]string, 0, len(d.Locales))
	for tag := range d.Locales {
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	return tags
}

// Fallback is the language shown to those whose own the document does not have: English, else the
// language it was written in, else the first.
func (d *Document) Fallback() string {
	for _, tag := range []string{DefaultLocale, d.SourceLocale} {
		if _, ok := d.Locales[tag]; ok {
			return tag
		}
	}
	if tags := d.LocaleTags(); len(tags) > 0 {
		return tags[0]
	}
	return ""
}

// Text gives the document's text in locale, or in its fallback language, and says which it is.
func (d *Document) Text(locale string) (Text, string) {
	if t, ok := d.Locales[locale]; ok {
		return t, locale
	}
	tag := d.Fallback()
	return d.Locales[tag], tag
}

// ContentDigest is the SHA-256 of what the publisher wrote: the document without its version and
// without what Stoa adds. Two versions with equal digests say the same.
func (d *Document) ContentDigest() string {
	c := *d
	c.Version, c.ChangeNote, c.Scan, c.Reach, c.Examples = "", "", scan.Summary{}, nil, nil
	if c.Pack != nil { // how it fits is found out by Stoa as well
		p := *c.Pack
		p.Compatibility, p.CompatibilityWhy, p.Matrix = "compatible", []string{}, nil
		c.Pack = &p
	}
	text, err := json.Marshal(c) // maps are written in key order
	if err != nil {
		panic(err) // the fields above always encode
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// SectionNames lists a pack's sections, sorted; empty for a template.
func (d *Document) SectionNames() []string {
	if d.Pack == nil {
		return []string{}
	}
	names := make([]string, 0, len(d.Pack.Sections)+len(d.Pack.Contents))
	for _, c := range d.Pack.Contents {
		names = append(names, c.Name)
	}
	for name := range d.Pack.Sections {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// MatchLocale picks from the languages that Stoa's own pages speak the one that fits a BCP 47 tag or
// an Accept-Language list best; DefaultLocale when none does.
func MatchLocale(tags string) string {
	best, weight := DefaultLocale, 0.0
	for part := range strings.SplitSeq(tags, ",") {
		tag, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		locale := pageLocale(tag)
		if q := Quality(params); locale != "" && q > weight {
			best, weight = locale, q
		}
	}
	return best
}

func pageLocale(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
	switch base {
	case "en":
		return "en-US"
	case "zh":
		return "zh-CN"
	case "ja":
		return "ja-JP"
	}
	return ""
}

// Quality reads the weight among the parameters of a header's alternative: 1 when none is given, 0 for
// one that is not to be had.
func Quality(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		if text, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(param)), "q="); ok {
			q, err := strconv.ParseFloat(text, 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
