package review

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/submit"
	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/install"
	"stoa/internal/market/mirror"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/market/submission"
	"stoa/internal/platform/store/marketdb"
)

// maxChangeNote is how many characters a change note may have, as the contract says for members' submissions.
const maxChangeNote = 2000

// judge decides about what was fetched: it is held to the same names, looked through for secrets and scanned as what members
// submit. Nothing in it is changed: what would have to be is refused.
func (a *Service) judge(ctx context.Context, m *marketdb.Mirror, s *mirrorStep, item mirror.Item) error {
	done, err := a.Inspect(ctx, "")
	if err != nil {
		return err
	}
	defer done()
	d := &item.Document
	s.entry.Kind = d.Kind
	d.ID = s.entry.ItemID
	d.Origin = &catalog.Origin{Mirror: m.Name, Kind: m.Kind, URL: item.Page, ID: s.ref.ID, SHA256: item.Digest}
	if !submit.IsWebAddress(d.Origin.URL) {
		d.Origin.URL = ""
	}
	if !submit.IsWebAddress(d.Homepage) {
		d.Homepage = d.Origin.URL
	}
	tags := d.Tags
	d.Tags = []string{}
	submit.ReadTags(d, tags)
	if utf8.RuneCountInString(d.ChangeNote) > maxChangeNote {
		d.ChangeNote = ""
	}
	sections, err := a.checkMirrored(ctx, d, item.Package)
	if err != nil {
		return &mirror.Refused{Reason: err.Error()}
	}
	if err := a.analyse(d, sections); err != nil {
		return err
	}
	if d.Scan, err = scanMirrored(ctx, d, sections, item); err != nil {
		return err
	}
	version, state, err := a.NextVersion(ctx, d, "")
	if err != nil {
		return &mirror.Refused{Reason: err.Error()}
	}
	gone := s.entry.State == marketdb.MirrorGone && s.entry.Reason != withdrawnHere
	s.entry.State, s.entry.Reason = marketdb.MirrorPublished, ""
	if gone {
		s.entry.Reason = returning
	}
	if s.stands, err = a.knownVersion(ctx, d); err != nil {
		return err
	}
	if state == submit.Unchanged || s.stands != "" {
		s.back = true
		return nil
	}
	d.Version = version
	s.release = &release{
		document: *d, visibility: catalog.Community, channel: catalog.ChannelMirror,
	}
	if d.Scan.RiskLevel == "high" {
		if err := a.notRejected(ctx, d); err != nil {
			return err
		}
		s.entry.State, s.pending = marketdb.MirrorWaiting, true
		waits, err := a.Waits(ctx, d, "")
		if err != nil || waits {
			s.release = nil
			return err
		}
	}
	if item.Package != nil {
		sha256, size, err := a.Blobs.Put(ctx, bytes.NewReader(item.Package))
		if err != nil {
			return err
		}
		s.release.artifacts = append(s.release.artifacts, catalog.Artifact{
			ID: "artifact-" + core.NewID(), SHA256: sha256, Filename: pack.Filename(d.ID, d.Version), Source: install.Uploaded, SizeBytes: size,
		})
	}
	if s.pending {
		return nil
	}
	return a.prepare(ctx, s.release)
}

// checkMirrored holds a document to the rules of a catalog file and gives its sections, which stand in it or in its package.
func (a *Service) checkMirrored(ctx context.Context, d *catalog.Document, zip []byte) (map[string]any, error) {
	if err := submit.CheckNames(d); err != nil {
		return nil, err
	}
	locales := d.Locales
	d.Locales = map[string]catalog.Text{}
	if _, err := submit.ReadLocales(d, locales); err != nil {
		return nil, err
	}
	if d.Pack == nil {
		return nil, nil
	}
	if len(d.Pack.Contents) > 0 && len(d.Pack.Sections) > 0 {
		return nil, fmt.Errorf("its sections stand in two places")
	}
	sections, err := browse.ParsedSections(d.Pack.Sections)
	if err != nil {
		return nil, err
	}
	if len(d.Pack.Contents) > 0 {
		opened, err := archive.Open(bytes.NewReader(zip), int64(len(zip)), archive.Default)
		if err != nil {
			return nil, err
		}
		p, err := pack.ReadProfile(ctx, opened)
		if err != nil {
			return nil, err
		}
		sections = p.Sections
		// What the package says of itself was checked as it was read.
		d.Pack.PackType, d.Pack.Capabilities, d.Pack.RedactionMode = p.Manifest.PackType, p.Manifest.Capabilities, p.Manifest.Redaction.Mode
		d.Pack.HostVersion, d.Pack.PluginCompat = p.Manifest.HostVersion, p.Manifest.PluginCompat
	}
	diagnosed := pack.Diagnose(pack.Manifest{PackID: d.ID, HostVersion: d.Pack.HostVersion, PluginCompat: d.Pack.PluginCompat}, sections, pack.Host{})
	browse.KeepMatrix(d.Pack, pack.NewMatrix(diagnosed, d.Pack.HostVersion, d.Pack.PluginCompat))
	return sections, nil
}

// analyse refuses what holds something that would have been masked in a member's submission, and works out from the bytes what
// the document reaches and can do. What its source says of that is dropped.
func (a *Service) analyse(d *catalog.Document, sections map[string]any) error {
	all := map[string]any{"texts": submit.LocaleTexts(d)}
	for name, v := range sections {
		all[name] = v
	}
	result, err := a.Secrets.Sections(all, redact.Options{Mode: redact.ExcludeSecrets})
	if err != nil {
		return &mirror.Refused{Reason: "it cannot be looked through for secrets: " + err.Error()}
	}
	for _, mark := range append(slices.Clone(result.Masked), result.Dropped...) {
		return &mirror.Refused{Reason: "it holds what looks like a secret, at " + mark.Path}
	}
	report, err := submit.Leaves(d, sections, result)
	if err != nil {
		return err
	}
	d.Reach = submit.ReachOf(report)
	if d.Pack == nil {
		return nil
	}
	d.Pack.Derived = submit.CapabilityNames(report)
	if len(d.Pack.Contents) == 0 {
		return nil
	}
	canonicals, err := submit.Canonical(sections)
	if err != nil {
		return err
	}
	for i, c := range d.Pack.Contents {
		text := canonicals[c.Name]
		d.Pack.Contents[i] = catalog.SectionRef{Name: c.Name, SHA256: pack.Digest(text), Size: int64(len(text))}
	}
	return nil
}

// scanMirrored scans the document, its sections and every file that was fetched for it.
func scanMirrored(ctx context.Context, d *catalog.Document, sections map[string]any, item mirror.Item) (scan.Summary, error) {
	o := scan.Options{Mode: scan.Balanced}
	if d.Pack != nil {
		o.About = submit.AboutSections(sections, d.Pack.Compatibility)
	}
	scanning := scan.NewScan(o)
	for _, source := range submit.Sources(d) {
		role := scan.RoleOf(source.File)
		scanning.Field(source.File, source.Path, source.Text, role)
	}
	if d.Pack != nil && len(d.Pack.Contents) > 0 {
		for _, name := range submit.SectionNames(sections) {
			text, err := strictjson.Canonical(sections[name])
			if err != nil {
				return scan.Summary{}, err
			}
			file := "sections/" + name + ".json"
			_, _ = scanning.File(file, scan.RoleOf(file)).Write(text) // never fails
		}
	}
	for _, name := range slices.Sorted(maps.Keys(item.Texts)) {
		_, _ = scanning.File("source/"+name, scan.RoleOf(name)).Write([]byte(item.Texts[name]))
	}
	if d.Kind == catalog.KindTemplate && item.Package != nil {
		opened, err := archive.Open(bytes.NewReader(item.Package), int64(len(item.Package)), archive.Default)
		if err != nil {
			return scan.Summary{}, &mirror.Refused{Reason: err.Error()}
		}
		_, err = pack.ReadTemplate(ctx, opened, func(name string) io.Writer { return scanning.File(name, scan.RoleOf(name)) })
		if err != nil {
			return scan.Summary{}, &mirror.Refused{Reason: err.Error()}
		}
	}
	return scanning.Finish(), nil
}

// notRejected refuses a version of high risk that a reviewer here has turned down before.
func (a *Service) notRejected(ctx context.Context, d *catalog.Document) error {
	turnedDown, err := a.Store.SubmissionsOf(ctx, d.Kind, d.ID, submission.Rejected)
	if err != nil {
		return err
	}
	for _, s := range turnedDown {
		if s.Content.Document.ContentDigest() == d.ContentDigest() {
			return &mirror.Refused{Reason: "a reviewer here has rejected it"}
		}
	}
	return nil
}
