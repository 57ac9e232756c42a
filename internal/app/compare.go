package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"stoa/internal/market/archive"
	"stoa/internal/market/catalog"
	"stoa/internal/market/compare"
	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/scan"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// CompareInput says which version of a pack is set against what. Without a base it is the version that was
// published before.
type CompareInput struct {
	PackID         string `json:"pack_id"`
	Version        string `json:"version"`
	Sections       string `json:"selected_sections"`
	BasePackID     string `json:"base_pack_id"`
	BaseVersion    string `json:"base_version"`
	BaseArtifactID string `json:"base_artifact_id"`
}

// CompareSide names one side of a comparison.
type CompareSide struct {
	Kind       string `json:"kind"` // published, import or none
	PackID     string `json:"pack_id"`
	Version    string `json:"version"`
	ArtifactID string `json:"artifact_id"`
	SHA256     string `json:"sha256"`
}

// Comparison is what a published pack changes.
type Comparison struct {
	Status          string                    `json:"status"`
	PackID          string                    `json:"pack_id"`
	PackType        string                    `json:"pack_type"`
	Version         string                    `json:"version"`
	SubmissionID    string                    `json:"source_submission_id"`
	Before          CompareSide               `json:"before"`
	After           CompareSide               `json:"after"`
	SelectedSection []string                  `json:"selected_sections"`
	Changed         []string                  `json:"changed_sections"`
	ChangedCount    int                       `json:"changed_sections_count"`
	Diff            compare.Result            `json:"diff"`
	Scan            scan.Summary              `json:"scan_summary"`
	Capabilities    catalog.CapabilitySummary `json:"capability_summary"`
	Added           []string                  `json:"capabilities_added"`
	Removed         []string                  `json:"capabilities_removed"`
	Compatibility   string                    `json:"compatibility"`
	Issues          []string                  `json:"compatibility_issues"`
	Featured        bool                      `json:"featured"`
	FeaturedNote    string                    `json:"featured_note"`
}

// side is one side of a comparison with its sections, their secrets masked.
type side struct {
	CompareSide
	sections     map[string]any
	capabilities []string
}

// CompareProfilePackCatalog sets a published pack against another state of it.
func (a *App) CompareProfilePackCatalog(ctx context.Context, c Caller, in CompareInput) (Comparison, error) {
	e, version, err := a.publishedPack(ctx, c, in.PackID, in.Version)
	if err != nil {
		return Comparison{}, err
	}
	if err := a.inspect(ctx); err != nil {
		return Comparison{}, err
	}
	defer a.inspected()
	after, err := a.publishedSide(ctx, version)
	if err != nil {
		return Comparison{}, err
	}
	before, err := a.compareBase(ctx, c, in, e, version)
	if err != nil {
		return Comparison{}, err
	}
	selected, err := comparedSections(in.Sections, before, after)
	if err != nil {
		return Comparison{}, err
	}
	result, err := compare.Packs(before.sections, after.sections, selected)
	if err != nil {
		return Comparison{}, err
	}
	d := &version.document
	if len(selected) == 0 {
		selected = sectionNames(after.sections)
	}
	return Comparison{
		Status: "compare_ready", PackID: e.ID, PackType: d.Pack.PackType, Version: d.Version, Before: before.CompareSide, After: after.CompareSide,
		SelectedSection: selected, Changed: result.ChangedSections, ChangedCount: len(result.ChangedSections), Diff: result, Scan: d.Scan.Filled(),
		Capabilities: d.Capabilities(), Added: without(after.capabilities, before.capabilities), Removed: without(before.capabilities, after.capabilities),
		Compatibility: d.Pack.Compatibility, Issues: filled(d.Pack.CompatibilityWhy), Featured: e.Featured,
	}, nil
}

// compareBase is the side that a pack is set against.
func (a *App) compareBase(ctx context.Context, c Caller, in CompareInput, e catalog.Entry, version *shelved) (side, error) {
	switch {
	case in.BaseArtifactID != "":
		if c.Role != Member {
			return side{}, errUnauthorized
		}
		_, row, err := a.ownDraft(ctx, c, ImportRefInput{ImportID: in.BaseArtifactID}, errs.PackNotFound)
		if err != nil {
			return side{}, err
		}
		setup, err := a.openDraft(ctx, row)
		if err != nil {
			return side{}, err
		}
		s, err := a.maskedSide(setup.Sections)
		s.CompareSide = CompareSide{Kind: "import", PackID: setup.PackID, Version: setup.Version, ArtifactID: row.ArtifactID, SHA256: row.Fingerprint}
		s.capabilities = setup.Capabilities
		return s, err
	case in.BasePackID != "" || in.BaseVersion != "":
		_, base, err := a.publishedPack(ctx, c, either(in.BasePackID, in.PackID), in.BaseVersion)
		if err != nil {
			return side{}, err
		}
		return a.publishedSide(ctx, base)
	}
	versions, err := a.store.Versions(ctx, e.Seq) // newest first
	if err != nil {
		return side{}, err
	}
	for i, v := range versions {
		if v.Version == version.document.Version && i+1 < len(versions) {
			base, err := a.shelf.version(ctx, e.Seq, versions[i+1].Version)
			if err != nil {
				return side{}, err
			}
			return a.publishedSide(ctx, base)
		}
	}
	return side{CompareSide: CompareSide{Kind: "none"}, sections: map[string]any{}}, nil
}

// publishedSide reads the sections of a published version.
func (a *App) publishedSide(ctx context.Context, v *shelved) (side, error) {
	artifact := preferred(v, "")
	sections, err := a.sectionsOf(ctx, v, artifact.SHA256)
	if err != nil {
		return side{}, err
	}
	s, err := a.maskedSide(sections)
	s.CompareSide = CompareSide{Kind: "published", PackID: v.document.ID, Version: v.document.Version, ArtifactID: artifact.ID, SHA256: artifact.SHA256}
	s.capabilities = v.document.Capabilities().Derived
	return s, err
}

// maskedSide masks what looks like a secret. Published packs hold none; what was published before that was
// enforced, or imported by an operator, may.
func (a *App) maskedSide(sections map[string]any) (side, error) {
	masked, err := a.secrets.Sections(sections, redact.Options{Mode: redact.ExcludeSecrets})
	return side{sections: masked.Sections}, err
}

// sectionsOf gives the sections of a published version: from its document, or from its package.
func (a *App) sectionsOf(ctx context.Context, v *shelved, sha256 string) (map[string]any, error) {
	if p := v.document.Pack; p != nil && len(p.Contents) == 0 {
		return parsedSections(p.Sections)
	}
	file, err := a.blobs.Open(sha256)
	if err != nil {
		return nil, missing(err)
	}
	defer file.Close()
	return readPack(ctx, file)
}

func readPack(ctx context.Context, file *os.File) (map[string]any, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	opened, err := archive.Open(file, info.Size(), archive.Default)
	if err != nil {
		return nil, fmt.Errorf("app: a published pack cannot be opened: %w", err)
	}
	p, err := pack.ReadProfile(ctx, opened)
	if err != nil {
		return nil, errors.Join(errors.New("app: a published pack cannot be read"), errors.New(err.Error()))
	}
	return p.Sections, nil
}

func parsedSections(texts map[string]json.RawMessage) (map[string]any, error) {
	out := map[string]any{}
	for name, text := range texts {
		v, err := strictjson.Parse(text, strictjson.Depth)
		if err != nil {
			return nil, fmt.Errorf("app: section %s of a published pack cannot be read: %w", name, err)
		}
		out[name] = v
	}
	return out, nil
}

// comparedSections reads the list of sections that are wanted; each must be on one of the two sides.
func comparedSections(list string, before, after side) ([]string, error) {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		_, was := before.sections[name]
		_, is := after.sections[name]
		if !was && !is {
			return nil, errs.Newf(errs.InvalidProfileSection, "There is no section %s on either side. Those there are: %s.",
				pack.Clean(name), strings.Join(sectionNames(after.sections), ", ")).With("section", pack.Clean(name))
		}
		out = append(out, name)
	}
	return out, nil
}

// without is what is in a and not in b.
func without(a, b []string) []string {
	out := []string{}
	for _, x := range a {
		found := false
		for _, y := range b {
			found = found || x == y
		}
		if !found {
			out = append(out, x)
		}
	}
	return out
}
