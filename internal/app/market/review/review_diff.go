package review

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/compare"
	"stoa/internal/platform/store/marketdb"
)

// Diff is what a submission would change in what is published. It is made of texts with their secrets masked.
type Diff struct {
	Against  string          `json:"against"` // the published version
	Owner    string          `json:"owner"`
	Metadata []FieldChange   `json:"metadata"`
	Texts    []TextChange    `json:"texts"`              // prompts and descriptions by language, and example conversations
	Sections *compare.Result `json:"sections,omitempty"` // of a profile pack
}

// FieldChange is a field that differs.
type FieldChange struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// TextChange is a longer text that differs, as a unified diff.
type TextChange struct {
	Name string   `json:"name"` // such as en-US/prompt
	Diff []string `json:"diff"`
}

// reviewDiff sets a submission against the version that is published now.
func (a *Service) reviewDiff(ctx context.Context, s marketdb.Submission, item marketdb.Item) (*Diff, error) {
	published, err := a.Cache.Version(ctx, item.Seq, item.Version)
	if err != nil {
		return nil, err
	}
	before, after := &published.Document, &s.Content.Document
	out := &Diff{Against: item.Version, Owner: item.Owner, Metadata: changedFields(before, after), Texts: changedTexts(before, after)}
	if s.Kind != catalog.KindProfilePack {
		return out, nil
	}
	was, err := a.PublishedSide(ctx, published).Read()
	if err != nil {
		return nil, err
	}
	is, err := a.submittedSections(ctx, s)
	if err != nil {
		return nil, err
	}
	result, err := compare.Packs(was, is, nil)
	out.Sections = &result
	return out, err
}

// submittedSections reads the sections of a submission, from its package or from its document, their secrets masked.
func (a *Service) submittedSections(ctx context.Context, s marketdb.Submission) (map[string]any, error) {
	v := &browse.CachedVersion{Document: s.Content.Document}
	digest := ""
	if s.Facts.Artifact != nil {
		digest = s.Facts.Artifact.SHA256
	}
	sections, err := a.SectionsOf(ctx, v, digest)
	if err != nil {
		return nil, err
	}
	return a.Masked(sections)
}

func changedFields(before, after *catalog.Document) []FieldChange {
	out := []FieldChange{}
	add := func(field, b, a string) {
		if b != a {
			out = append(out, FieldChange{field, b, a})
		}
	}
	add("version", before.Version, after.Version)
	add("category", before.Category, after.Category)
	add("tags", strings.Join(before.Tags, ", "), strings.Join(after.Tags, ", "))
	add("maintainer", before.Maintainer, after.Maintainer)
	add("homepage", before.Homepage, after.Homepage)
	add("source_locale", before.SourceLocale, after.SourceLocale)
	add("locales", strings.Join(before.LocaleTags(), ", "), strings.Join(after.LocaleTags(), ", "))
	for _, tag := range localesOf(before, after) {
		add(tag+"/title", before.Locales[tag].Title, after.Locales[tag].Title)
	}
	if before.Pack != nil && after.Pack != nil {
		add("pack_type", before.Pack.PackType, after.Pack.PackType)
		add("redaction_mode", before.Pack.RedactionMode, after.Pack.RedactionMode)
		add("capabilities", strings.Join(before.Pack.Capabilities, ", "), strings.Join(after.Pack.Capabilities, ", "))
		add("astrbot_version", before.Pack.HostVersion, after.Pack.HostVersion)
		add("plugin_compat", before.Pack.PluginCompat, after.Pack.PluginCompat)
	}
	return out
}

func changedTexts(before, after *catalog.Document) []TextChange {
	out := []TextChange{}
	for _, tag := range localesOf(before, after) {
		b, a := before.Locales[tag], after.Locales[tag]
		for _, t := range []struct{ name, before, after string }{{"description", b.Description, a.Description}, {"prompt", b.Prompt, a.Prompt}} {
			if diff := compare.Text(t.before, t.after, tag+"/"+t.name); diff != nil {
				out = append(out, TextChange{tag + "/" + t.name, diff})
			}
		}
	}
	names := map[string]bool{}
	for _, x := range slices.Concat(before.Examples, after.Examples) {
		names[x.Persona] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		of := strings.TrimSuffix("example/"+name, "/")
		if diff := compare.Text(exampleText(before, name), exampleText(after, name), of); diff != nil {
			out = append(out, TextChange{of, diff})
		}
	}
	return out
}

// exampleText is what a persona's example says, a line a message.
func exampleText(d *catalog.Document, persona string) string {
	var text strings.Builder
	for _, x := range d.Examples {
		if x.Persona != persona {
			continue
		}
		fmt.Fprintf(&text, "model: %s\n", x.Model)
		for _, l := range x.Lines {
			fmt.Fprintf(&text, "%s: %s\n", l.Role, l.Content)
		}
	}
	return text.String()
}

// localesOf are the languages of either document, in order.
func localesOf(before, after *catalog.Document) []string {
	tags := append(slices.Collect(maps.Keys(before.Locales)), slices.Collect(maps.Keys(after.Locales))...)
	slices.Sort(tags)
	return slices.Compact(tags)
}

// leaveReport is a stored report, null when there is none.
func leaveReport(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
