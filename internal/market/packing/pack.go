package packing

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/leakcheck"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/redact/detect"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// Options say what is taken of a setup and how it is redacted.
type Options struct {
	PackID    string // "" keeps that of the setup, as does Version
	Version   string
	Sections  []string // both empty: everything
	Items     []string
	Mode      redact.Mode
	Mask      []string
	Drop      []string
	Recipient string // age recipient for include_encrypted_secrets
	Listing   Listing
	Pictures  []pack.Picture // for the item's page; none keeps those of a profile pack
}

// Listing is how a pack wants to be shown. It travels in the meta section.
type Listing struct {
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description,omitempty"`
	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Maintainer  string   `json:"maintainer,omitempty"`
}

// Empty tells whether nothing is said.
func (l *Listing) Empty() bool {
	return l.Title == "" && l.Description == "" && l.Category == "" && len(l.Tags) == 0 && l.Maintainer == ""
}

// Pack is a redacted pack that is ready to be written.
type Pack struct {
	Manifest pack.Manifest // its lists and hashes are made by Write
	Sections map[string]any
	Sealed   []byte
	Pictures []pack.Picture
	Fields   botimport.Report  // what became of each field of the source
	Leaves   disclosure.Report // what leaves the machine
	Issues   []pack.Issue

	known  []string
	values *leakcheck.Values // what stood in credential positions of the source
	e      *redact.Engine
}

// New takes what is wanted of a setup and redacts it. Mask and drop paths that fit nothing are refused: whoever misspells
// one believes that something is hidden which is not.
func New(e *redact.Engine, d *botimport.Draft, o Options) (*Pack, error) {
	manifest := d.Manifest(createdAt(d), string(o.Mode))
	if o.PackID != "" {
		manifest.PackID = o.PackID
	}
	if o.Version != "" {
		manifest.Version = o.Version
	}
	chosen, err := pack.Select(d.Sections, o.Sections, o.Items)
	if err != nil {
		return nil, err
	}
	if !o.Listing.Empty() {
		if chosen, err = o.Listing.into(chosen, d.PackType); err != nil {
			return nil, err
		}
	}
	mode, sealed := o.Mode, []byte(nil)
	if d.Profile != nil && d.Profile.Sealed != nil && mode == redact.IncludeEncryptedSecrets {
		if manifest.PackID != d.PackID {
			return nil, errs.New(errs.InvalidProfilePackPayload, "This pack holds sealed secrets, which are bound to its id. Keep the id, or fill them in first: `stoa decrypt --fill`.")
		}
		mode, sealed = redact.ExcludeSecrets, d.Profile.Sealed // nobody can add to what is sealed; what is found besides is masked
	}
	clean, err := e.Sections(chosen, redact.Options{Mode: mode, MaskPaths: o.Mask, DropPaths: o.Drop, Recipient: o.Recipient, Binding: manifest.PackID})
	if err != nil {
		return nil, err
	}
	if sealed == nil {
		sealed = clean.Sealed
	}
	if len(clean.Unmatched) > 0 {
		return nil, errs.Newf(errs.InvalidRedactionPath, "There is nothing at %s, so nothing would be masked or dropped there. Paths look like providers.openai.key; the report shows them.", pack.Clean(clean.Unmatched[0]))
	}
	if len(clean.Sections) == 0 {
		return nil, errs.New(errs.InvalidProfileSection, "Nothing is left with these options. Choose more sections or another redaction mode.")
	}
	manifest.Redaction.MaskPaths, manifest.Redaction.DropPaths = o.Mask, o.Drop
	part := len(o.Items) > 0 || slices.ContainsFunc(slices.Collect(maps.Keys(d.Sections)), func(name string) bool { return clean.Sections[name] == nil })
	if part { // it has the capabilities of what is in it, not those of the whole
		manifest.Capabilities = botimport.Capabilities(clean.Sections)
	}
	pictures := o.Pictures
	if d.Profile != nil && len(pictures) == 0 {
		pictures = d.Profile.Pictures
	}
	var files []disclosure.Section
	for _, p := range pictures {
		files = append(files, disclosure.Section{Name: p.Name, Size: p.Size, SHA256: p.SHA256})
	}
	leaves, err := disclosure.OfSections(clean.Sections, strictjson.Canonical, clean, manifest.Capabilities, files...)
	if err != nil {
		return nil, err
	}
	return &Pack{
		Manifest: manifest, Sections: clean.Sections, Sealed: sealed, Pictures: pictures, Fields: botimport.MarkRedacted(d.Report, paths(clean.Masked, clean.Dropped)), Leaves: leaves,
		Issues: d.Issues, known: clean.Known, values: leakcheck.Collect(d.Sections), e: e,
	}, nil
}

// createdAt is the time of the source, so that the same source gives the same bytes on every day.
func createdAt(d *botimport.Draft) string {
	if d.Source.Backup != nil {
		return d.Source.Backup.ExportedAt
	}
	if d.Profile != nil {
		return d.Profile.Manifest.CreatedAt
	}
	return ""
}

// into puts a listing into the meta section.
func (l *Listing) into(sections map[string]any, packType string) (map[string]any, error) {
	if packType != pack.BotProfilePack {
		return nil, errs.New(errs.InvalidRequest, "An extension pack has no place for a title; give it to `stoa publish`.")
	}
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	v, err := strictjson.Parse(text, 0)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for name, section := range sections {
		out[name] = section
	}
	meta := map[string]any{}
	if old, ok := sections[pack.SectionMeta].(map[string]any); ok {
		for key, value := range old {
			meta[key] = value
		}
	}
	meta["listing"] = v
	out[pack.SectionMeta] = meta
	return out, nil
}

// ListingOf reads the listing of a pack.
func ListingOf(sections map[string]any) Listing {
	var l Listing
	if meta, ok := sections[pack.SectionMeta].(map[string]any); ok {
		if text, err := strictjson.Canonical(meta["listing"]); err == nil {
			_ = json.Unmarshal(text, &l) // what does not fit is not said
		}
	}
	return l
}

func paths(lists ...[]redact.Mark) []string {
	var out []string
	for _, list := range lists {
		for _, m := range list {
			out = append(out, m.Path)
		}
	}
	return out
}

// Write writes the pack. Without sealed secrets the same pack always gives the same bytes.
func (p *Pack) Write(out io.Writer) (err error) {
	p.Manifest, err = pack.Write(out, p.Manifest, p.Sections, p.Sealed, p.Pictures...)
	if err == nil {
		return nil
	}
	if _, ok := errs.As(err); ok {
		return err
	}
	return errs.Newf(errs.InvalidProfilePackPayload, "No pack can be made of this: %s.", strings.TrimPrefix(err.Error(), "pack: "))
}

// Prove reads the written pack as a stranger would, and searches its bytes and the names of its files for every secret
// that was taken out, for every value that stood in a credential position of the source, and for whatever still looks like
// one: secrets_detected names their places.
func (p *Pack) Prove(ctx context.Context, r io.ReaderAt, size int64) error {
	return prove(ctx, p.e, r, size, p.known, p.values)
}

// ProveText searches a text that goes with the pack for the same.
func (p *Pack) ProveText(name string, text []byte) error {
	return Leaks(append(p.e.Verify(text, name, p.known), Findings(p.values.Search(name, text))...))
}

// Check proves a pack that somebody else made: one with a secret in it is not to be sent.
func Check(ctx context.Context, e *redact.Engine, r io.ReaderAt, size int64) error {
	return prove(ctx, e, r, size, nil, nil)
}

func prove(ctx context.Context, e *redact.Engine, r io.ReaderAt, size int64, known []string, values *leakcheck.Values) error {
	a, err := archive.Open(r, size, archive.Default)
	if err != nil {
		return pack.RefusedArchive(errs.InvalidProfilePackPayload, err)
	}
	p, err := pack.ReadProfile(ctx, a)
	if err != nil {
		return err
	}
	if values == nil {
		values = leakcheck.Collect(p.Sections)
	}
	leaks := Names(e, a.Names(), values)
	for _, name := range a.Names() {
		if name == pack.SecretsFile || pack.IsPicture(name) {
			continue // sealed, or drawn: random to look at
		}
		text, err := a.Read(name, archive.Default.File)
		if err != nil {
			return pack.RefusedArchive(errs.InvalidProfilePackPayload, err)
		}
		found := e.Verify(text, name, known)
		for _, f := range Findings(values.Search(name, text)) {
			if !slices.ContainsFunc(found, func(known detect.Finding) bool { return known.Path == f.Path }) {
				found = append(found, f)
			}
		}
		leaks = append(leaks, found...)
	}
	return Leaks(leaks)
}

// LeftOver is the refusal of redacted sections, by name as they are written, in which a value is left that stood in a
// credential position of the source; nil when there is none.
func LeftOver(source map[string]any, texts map[string][]byte) error {
	values := leakcheck.Collect(source)
	var leaks []detect.Finding
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		leaks = append(leaks, Findings(values.Search("sections/"+name+".json", texts[name]))...)
	}
	return Leaks(leaks)
}

// Names searches the names of files and folders, which are published as well. A finding tells the line of the list.
func Names(e *redact.Engine, names []string, values *leakcheck.Values) []detect.Finding {
	list := []byte(strings.Join(names, "\n"))
	leaks := e.VerifyNames(names, namesFile)
	if values != nil {
		leaks = append(leaks, Findings(values.Search(namesFile, list))...)
	}
	return leaks
}

const namesFile = "the names of the files"

// Findings are leaks as the errors of this package tell them.
func Findings(leaks []leakcheck.Leak) []detect.Finding {
	var out []detect.Finding
	for _, l := range leaks {
		out = append(out, detect.Finding{File: l.File, Path: l.Path, Rule: "leak-check", Why: l.How})
	}
	return out
}

// maxLeaks is how many places an error names.
const maxLeaks = 50

// Leaks is the refusal of what still holds secrets, nil when there are none. It names places, never values.
func Leaks(found []detect.Finding) error {
	if len(found) == 0 {
		return nil
	}
	for _, f := range found {
		if f.Rule == detect.RuleTooCostly {
			return detect.ErrTooCostly(f.Place())
		}
	}
	e := errs.New(errs.SecretsDetected, "There is something in it that looks like a secret, so nothing was written or sent. Take out what is named here, mask its path, or put a placeholder such as ${API_KEY} in its place.")
	for _, f := range found[:min(len(found), maxLeaks)] {
		e.Details = append(e.Details, errs.Detail{Field: f.Place(), Problem: f.Why})
	}
	return e.With("findings", len(found))
}

// Blanks are the paths of values that whoever installs the pack has to fill in, because they were masked or sealed.
func Blanks(sections map[string]any) []string {
	out := []string{}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		out = blanks(out, pack.Path{{Key: &name}}, sections[name])
	}
	return out
}

func blanks(found []string, path pack.Path, v any) []string {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, detect.Masked) || strings.Contains(v, detect.Sealed) {
			found = append(found, path.String())
		}
	case []any:
		for i, item := range v {
			found = blanks(found, append(path, pack.Step{Index: i}), item)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			found = blanks(found, append(path, pack.Step{Key: &key}), v[key])
		}
	}
	return found
}
