package submit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"stoa/internal/app/market/browse"
	"stoa/internal/market/archive"
	"stoa/internal/market/botimport"
	"stoa/internal/market/catalog"
	"stoa/internal/market/disclosure"
	"stoa/internal/market/pack"
	"stoa/internal/market/packing"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/submission"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/marketdb"
)

// builtPack is a pack made of a draft, its bytes not yet kept.
type builtPack struct {
	document catalog.Document
	zip      *blob.Staged
	filename string
	report   disclosure.Report
	matrix   pack.Matrix
	tree     []pack.Section
	stands   itemState
}

// sections reads what is in it.
func (b builtPack) sections(ctx context.Context) func() (map[string]any, error) {
	return func() (map[string]any, error) {
		opened, err := archive.Open(b.zip, b.zip.Size(), archive.Default)
		if err != nil {
			return nil, err
		}
		p, err := pack.ReadProfile(ctx, opened)
		if err != nil {
			return nil, err
		}
		all := maps.Clone(p.Sections)
		all["listing"] = textsOf(&b.document)
		return all, nil
	}
}

// buildPack reads a draft again, takes what is chosen, redacts it, writes the pack and proves over its
// bytes that no secret is left.
func (a *Service) buildPack(ctx context.Context, in PackInput, row marketdb.Draft, recipient string) (_ builtPack, err error) {
	done, err := a.Inspect(ctx, row.UserID)
	if err != nil {
		return builtPack{}, err
	}
	defer done()
	setup, err := a.openDraft(ctx, row)
	if err != nil {
		return builtPack{}, err
	}
	if err := retype(setup, in.Options); err != nil {
		return builtPack{}, err
	}
	pictures, err := in.pictures()
	if err != nil {
		return builtPack{}, err
	}
	a.built.builds.Add(1)
	p, err := packing.New(a.Secrets, setup, packing.Options{
		PackID: in.PackID, Version: in.Version, Sections: in.Options.SelectedSections, Items: in.Options.SelectedItemPaths,
		Mode: redact.Mode(in.Options.RedactionMode), Mask: in.Options.MaskPaths, Drop: in.Options.DropPaths, Recipient: recipient,
		Pictures: pictures,
	})
	if err != nil {
		return builtPack{}, err
	}
	if p.Manifest.CreatedAt == "" {
		p.Manifest.CreatedAt = clock.Text(clock.FromMicros(row.CreatedAt))
	}
	zip, err := a.Blobs.Stage()
	if err != nil {
		return builtPack{}, err
	}
	defer func() {
		if err != nil {
			zip.Discard()
		}
	}()
	if err := p.Write(zip); err != nil {
		return builtPack{}, err
	}
	if err := p.Prove(ctx, zip, zip.Size()); err != nil {
		return builtPack{}, err
	}
	around, err := json.Marshal([]any{in.PackID, in.Version, in.Title, in.Description, in.Category, in.Tags, in.Maintainer, in.ChangeNote})
	if err != nil {
		return builtPack{}, err
	}
	if err := p.ProveText("the texts of the submission", around); err != nil {
		return builtPack{}, err
	}
	stands, err := a.ItemStateOf(ctx, catalog.KindProfilePack, p.Manifest.PackID, row.UserID)
	if err != nil {
		return builtPack{}, err
	}
	if err := stands.checkNew(catalog.KindProfilePack, p.Manifest.PackID); err != nil {
		return builtPack{}, err
	}
	return describe(p, zip, in, stands)
}

// recipient is to whom secrets are sealed: whom the request names, else whom the member has chosen.
func (a *Service) recipient(ctx context.Context, o submission.SubmitOptions, userID string) (string, error) {
	if o.EncryptionRecipient != "" || o.RedactionMode != string(redact.IncludeEncryptedSecrets) {
		return o.EncryptionRecipient, nil
	}
	p, err := a.Preference(ctx, userID)
	return p.Recipient, err
}

// retype settles the pack's type: of a bot's whole profile only some sections fit an extension pack.
func retype(setup *botimport.Draft, o submission.SubmitOptions) error {
	if o.PackType == "" || o.PackType == setup.PackType {
		return nil
	}
	setup.PackType = o.PackType
	allowed := pack.AllowedSections(o.PackType)
	for _, name := range o.SelectedSections {
		if !slices.Contains(allowed, name) {
			return errs.Newf(errs.InvalidProfileSection, "An extension pack holds %s only, not %s.", strings.Join(allowed, ", "), pack.Clean(name)).With("section", pack.Clean(name))
		}
	}
	setup.Sections = maps.Clone(setup.Sections)
	maps.DeleteFunc(setup.Sections, func(name string, _ any) bool { return !slices.Contains(allowed, name) })
	return nil
}

// describe looks at a written pack as a stranger would.
func describe(p *packing.Pack, zip *blob.Staged, in PackInput, stands itemState) (builtPack, error) {
	texts, err := Canonical(p.Sections)
	if err != nil {
		return builtPack{}, err
	}
	var part map[string]any
	if len(in.Options.SelectedSections)+len(in.Options.SelectedItemPaths) > 0 {
		part = p.Sections
	}
	issues := issuesOf(p.Issues, pack.Diagnose(p.Manifest, p.Sections, pack.Host{}), part)
	d, err := packDocument(in, p.Manifest, stands.userID)
	if err != nil {
		return builtPack{}, err
	}
	for _, name := range p.Manifest.Sections {
		text := texts[name]
		d.Pack.Contents = append(d.Pack.Contents, catalog.SectionRef{Name: name, SHA256: pack.Digest(text), Size: int64(len(text))})
	}
	matrix := pack.NewMatrix(issues, p.Manifest.HostVersion, p.Manifest.PluginCompat)
	d.Pack.Derived = CapabilityNames(p.Leaves)
	browse.KeepMatrix(d.Pack, matrix)
	options := stands.scanOptions(in.Options.ScanMode)
	options.About = AboutSections(p.Sections, d.Pack.Compatibility)
	d.Scan, d.Reach = scanned(options, texts), ReachOf(p.Leaves)
	return builtPack{
		document: d, zip: zip, filename: pack.Filename(d.ID, d.Version), report: p.Leaves, tree: pack.SelectionTree(p.Sections), stands: stands,
		matrix: matrix,
	}, nil
}

// openDraft reads the setup that a draft was made of.
func (a *Service) openDraft(ctx context.Context, row marketdb.Draft) (*botimport.Draft, error) {
	file, err := a.Blobs.Open(ctx, row.Blob)
	if err != nil {
		return nil, browse.Missing(err)
	}
	defer file.Close()
	plain, err := unseal(file, row.Key)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(plain, MaxPackageBytes+1))
	if err != nil {
		return nil, err
	}
	return botimport.Read(ctx, row.Filename, row.Fingerprint, bytes.NewReader(raw), int64(len(raw)), archive.Default)
}

// packDocument is the document of a pack without its sections, which stand in its package.
func packDocument(in PackInput, m pack.Manifest, userID string) (catalog.Document, error) {
	text := catalog.Text{Title: cmp.Or(in.Title, m.PackID), Description: in.Description}
	locale := catalog.LocaleOf(text.Title + " " + text.Description)
	d := catalog.Document{
		Kind: catalog.KindProfilePack, ID: m.PackID, Version: m.Version, Category: in.Category, Maintainer: cmp.Or(in.Maintainer, userID), Tags: []string{},
		SourceLocale: locale, Locales: map[string]catalog.Text{locale: text}, ChangeNote: in.ChangeNote,
		Pack: &catalog.Pack{
			PackType: m.PackType, Capabilities: m.Capabilities, RedactionMode: m.Redaction.Mode, HostVersion: m.HostVersion, PluginCompat: m.PluginCompat,
		},
	}
	ReadTags(&d, in.Tags)
	if err := CheckVersion(d.Version); err != nil {
		return d, err
	}
	for _, err := range []error{catalog.CheckID("pack_id", d.ID), catalog.CheckName("category", d.Category, catalog.MaxCategory)} {
		if err != nil {
			return d, errs.Newf(errs.InvalidRequest, "The pack cannot be taken: %s.", err)
		}
	}
	return d, nil
}

// Canonical writes each section the way its hash is taken.
func Canonical(sections map[string]any) (map[string][]byte, error) {
	out := make(map[string][]byte, len(sections))
	for name, section := range sections {
		text, err := strictjson.Canonical(section)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

// scanned scans sections.
func scanned(options scan.Options, texts map[string][]byte, fields ...scan.Source) scan.Summary {
	s := scan.NewScan(options)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := "sections/" + name + ".json"
		_, _ = s.File(file, scan.RoleOf(file)).Write(texts[name]) // never fails
	}
	for _, f := range fields {
		s.Field(f.File, f.Path, f.Text, scan.RoleDocument)
	}
	return s.Finish()
}

// SectionNames are the names of sections, sorted.
func SectionNames(sections map[string]any) []string { return slices.Sorted(maps.Keys(sections)) }

// marked are the paths that a redaction touched.
func marked(r redact.Result) []string {
	var out []string
	for _, list := range [][]redact.Mark{r.Masked, r.Dropped} {
		for _, m := range list {
			out = append(out, m.Path)
		}
	}
	return out
}

// issuesOf are the issues of reading a setup and of the pack made of it, each once, sorted. What Diagnose finds is said of
// the made pack alone; of the rest a pack that is a part of the setup has what concerns its sections.
func issuesOf(read, made []pack.Issue, part map[string]any) []pack.Issue {
	out := append([]pack.Issue{}, made...)
	for _, issue := range read {
		known := slices.ContainsFunc(out, func(i pack.Issue) bool { return i.Code == issue.Code })
		if known || strings.HasPrefix(issue.Code, "signature_") || pack.Diagnosed(issue.Code) {
			continue
		}
		concerns := true
		if part != nil {
			issue, concerns = issue.Within(part)
		}
		if concerns {
			out = append(out, issue)
		}
	}
	slices.SortFunc(out, func(a, b pack.Issue) int { return strings.Compare(a.Code, b.Code) })
	return out
}

// CapabilityNames are what a package needs, as the catalog names it.
func CapabilityNames(r disclosure.Report) []string {
	out := []string{}
	for _, c := range r.Capabilities {
		out = append(out, c.Name)
	}
	return out
}
