package submit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/market/catalog"
	"stoa/internal/market/ids"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
)

// Bounds of one imported line.
const (
	MaxImportLine   = 4 << 20
	maxPromptBytes  = 256 << 10
	maxTitleLength  = 200
	maxTextLength   = 4000
	maxTags         = 64
	maxTagLength    = 64
	maxImportLocale = 32
)

// importLine is one line of a catalog file; the last six members are for profile packs.
type importLine struct {
	ID           string                     `json:"id"`
	Version      string                     `json:"version"`
	Author       string                     `json:"author"`
	Maintainer   string                     `json:"maintainer"`
	Category     string                     `json:"category"`
	Tags         []string                   `json:"tags"`
	Homepage     string                     `json:"homepage"`
	SourceLocale string                     `json:"source_locale"`
	Locales      map[string]catalog.Text    `json:"locales"`
	PackType     string                     `json:"pack_type"`
	Sections     map[string]json.RawMessage `json:"sections"`
	Capabilities []string                   `json:"capabilities"`
	Redaction    string                     `json:"redaction_mode"`
	HostVersion  string                     `json:"host_version"`
	PluginCompat string                     `json:"plugin_compat"`
}

// ReadLine reads and checks one line. The error is a reason fit for the report; notes are parts left out.
func ReadLine(text []byte) (d catalog.Document, notes []string, err error) {
	if !utf8.Valid(text) {
		return d, nil, errors.New("the line is not valid UTF-8")
	}
	var l importLine
	if err := json.Unmarshal(text, &l); err != nil {
		return d, nil, unreadable(err)
	}
	d = catalog.Document{
		Kind: catalog.KindTemplate, ID: strings.TrimSpace(l.ID), Version: strings.TrimSpace(l.Version), Category: strings.TrimSpace(l.Category),
		Maintainer: strings.TrimSpace(l.Maintainer), SourceLocale: l.SourceLocale, Locales: map[string]catalog.Text{}, Tags: []string{},
	}
	if d.Maintainer == "" {
		d.Maintainer = strings.TrimSpace(l.Author)
	}
	if l.PackType != "" {
		d.Kind = catalog.KindProfilePack
		d.Pack = &catalog.Pack{
			PackType: l.PackType, Sections: l.Sections, Capabilities: l.Capabilities, RedactionMode: l.Redaction, HostVersion: l.HostVersion,
			PluginCompat: l.PluginCompat,
		}
	}
	if err := CheckNames(&d); err != nil {
		return d, nil, err
	}
	if l.Homepage != "" {
		if IsWebAddress(l.Homepage) {
			d.Homepage = l.Homepage
		} else {
			notes = append(notes, "homepage left out: it is not an http(s) address")
		}
	}
	notes = append(notes, ReadTags(&d, l.Tags)...)
	more, err := ReadLocales(&d, l.Locales)
	return d, append(notes, more...), err
}

// unreadable says without Go's words what is wrong with a line.
func unreadable(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Errorf("%s must not be a %s", kind.Field, kind.Value)
	}
	return errors.New("the line is not a JSON object")
}

// CheckNames checks the id, the title and the other names of a document.
func CheckNames(d *catalog.Document) error {
	for _, f := range []struct {
		name, text string
		limit      int
	}{{"id", d.ID, catalog.MaxID}, {"category", d.Category, catalog.MaxCategory}, {"author", d.Maintainer, catalog.MaxAuthor}} {
		if err := catalog.CheckName(f.name, f.text, f.limit); err != nil {
			return err
		}
	}
	if d.ID == "" {
		return errors.New("id is missing")
	}
	if d.Version != "" && !ids.VersionText(d.Version) { // without one the next is found
		return errors.New("version " + ids.VersionRule)
	}
	if d.Pack != nil && d.Pack.PackType != pack.BotProfilePack && d.Pack.PackType != pack.ExtensionPack {
		return errors.New("pack_type is neither bot_profile_pack nor extension_pack")
	}
	if d.Pack != nil {
		return checkPack(d.Pack)
	}
	return nil
}

func checkPack(p *catalog.Pack) error {
	if len(p.Sections)+len(p.Contents) == 0 {
		return errors.New("a profile pack needs at least one section")
	}
	for name := range p.Sections {
		if name == "" || utf8.RuneCountInString(name) > 128 || strings.ContainsFunc(name, unicode.IsControl) {
			return errors.New("a section has no usable name")
		}
	}
	if p.RedactionMode == "" {
		p.RedactionMode = pack.RedactionModes[0]
	}
	if !slices.Contains(pack.RedactionModes, p.RedactionMode) {
		return errors.New("redaction_mode is none of " + strings.Join(pack.RedactionModes, ", "))
	}
	return nil
}

// ReadTags puts tags into a document, and says which were left out.
func ReadTags(d *catalog.Document, tags []string) (notes []string) {
	for _, tag := range tags {
		tag = strings.TrimSpace(tag)
		switch {
		case tag == "" || slices.Contains(d.Tags, tag):
		case len(d.Tags) == maxTags || utf8.RuneCountInString(tag) > maxTagLength || strings.ContainsFunc(tag, unicode.IsControl):
			notes = append(notes, "a tag was left out: too long or too many")
		default:
			d.Tags = append(d.Tags, tag)
		}
	}
	return notes
}

var localePattern = regexp.MustCompile(`^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$`)

// ReadLocales puts the texts of other languages into a document, and says which were left out.
func ReadLocales(d *catalog.Document, locales map[string]catalog.Text) (notes []string, err error) {
	for tag, text := range locales {
		text.Title, text.Description = strings.TrimSpace(text.Title), strings.TrimSpace(text.Description)
		switch {
		case len(tag) > maxImportLocale || !localePattern.MatchString(tag):
			notes = append(notes, "a locale was left out: its name is not a language tag")
		case text.Title == "" || d.Kind == catalog.KindTemplate && strings.TrimSpace(text.Prompt) == "":
			notes = append(notes, "locale "+tag+" left out: it has no title or no prompt")
		case utf8.RuneCountInString(text.Title) > maxTitleLength || utf8.RuneCountInString(text.Description) > maxTextLength || len(text.Prompt) > maxPromptBytes:
			return nil, fmt.Errorf("locale %s: the title, description or prompt is too long", tag)
		case strings.ContainsRune(text.Title+text.Description+text.Prompt, 0):
			return nil, fmt.Errorf("locale %s holds a NUL character", tag)
		default:
			d.Locales[tag] = text
		}
	}
	slices.Sort(notes)
	if len(d.Locales) == 0 {
		return notes, errors.New("no locale has both a title and a prompt")
	}
	return notes, nil
}

// Sources are the texts of a document that a scan reads.
func Sources(d *catalog.Document) []scan.Source {
	var out []scan.Source
	for _, tag := range d.LocaleTags() {
		text := d.Locales[tag]
		for _, field := range []struct{ name, text string }{{"title", text.Title}, {"description", text.Description}, {"prompt", text.Prompt}} {
			out = append(out, scan.Source{File: "bundle.json", Path: "$.locales." + tag + "." + field.name, Text: field.text})
		}
	}
	for _, name := range d.SectionNames() {
		out = append(out, scan.Source{File: "sections/" + name + ".json", Path: "$", Text: string(d.Pack.Sections[name])})
	}
	return append(out, exampleSources(d.Examples)...)
}

// IsWebAddress tells whether a text can be linked to from an item's page.
func IsWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && len(text) <= 500
}
