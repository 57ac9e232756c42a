package submit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/market/catalog"
	"stoa/internal/market/compare"
	"stoa/internal/market/pack"
	"stoa/internal/market/scan"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
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
	// What the host says of itself; without it an import says which bot it was made with, and the rest is not judged.
	HostVersion   string `json:"host_version"`
	PluginVersion string `json:"plugin_version"`
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
	Matrix          pack.Matrix               `json:"compatibility_matrix"`
	Evidence        browse.ReviewEvidence     `json:"review_evidence"`
	Plugins         *pack.PluginPlan          `json:"plugin_install"`
	ImportID        string                    `json:"import_id"`
	Featured        bool                      `json:"featured"`
	FeaturedNote    string                    `json:"featured_note"`
}

// side is one side of a comparison. read gives its sections, their secrets masked; it is asked only when
// the comparison is not known yet.
type side struct {
	CompareSide
	capabilities []string
	host         *pack.Host // of an import: filled in by read
	Read         func() (map[string]any, error)
}

// diffKey names a comparison of two published packages, whose bytes never change.
type diffKey struct{ before, after, sections string }

// keptDiffs is how many comparisons are remembered: anybody may ask for one, and each costs some milliseconds
// and at most two megabytes.
const keptDiffs = 32

// CompareProfilePackCatalog sets a published pack against another state of it.
func (a *Service) CompareProfilePackCatalog(ctx context.Context, c core.Caller, in CompareInput) (Comparison, error) {
	e, version, err := a.PublishedPack(ctx, c, in.PackID, in.Version)
	if err != nil {
		return Comparison{}, err
	}
	item, err := a.Store.Item(ctx, catalog.KindProfilePack, e.ID)
	if err != nil {
		return Comparison{}, err
	}
	versions, err := a.Store.Versions(ctx, e.Seq) // newest first
	if err != nil {
		return Comparison{}, err
	}
	versions = slices.DeleteFunc(versions, func(v marketdb.Version) bool {
		_, gone := item.Facts.WithdrawnVersions[v.Version]
		return gone
	})
	at := slices.IndexFunc(versions, func(v marketdb.Version) bool { return v.Version == version.Document.Version })
	after := a.PublishedSide(ctx, version)
	before, err := a.compareBase(ctx, c, in, e, versions[at+1:])
	if err != nil {
		return Comparison{}, err
	}
	selected := wantedSections(in.Sections)
	result, err := a.diff(ctx, c.UserID, before, after, selected)
	if err != nil {
		return Comparison{}, err
	}
	d := &version.Document
	if len(selected) == 0 {
		selected = d.SectionNames()
	}
	source := versions[max(at, 0)].SubmissionID
	importID, err := a.importOf(ctx, source)
	if err != nil {
		return Comparison{}, err
	}
	host := pack.Host{Version: in.HostVersion, PluginVersion: in.PluginVersion}
	if host.Version == "" && before.host != nil {
		host.Version = before.host.Version
	}
	m := browse.MatrixOf(d).On(host)
	plan := result.plugins
	plan.PackID, plan.PackType, plan.ImportID = e.ID, d.Pack.PackType, importID
	plugins := &plan
	if !slices.Contains(selected, pack.SectionPlugins) || !slices.Contains(d.SectionNames(), pack.SectionPlugins) {
		plugins = nil
	}
	return Comparison{
		Matrix: m, Plugins: plugins, ImportID: importID,
		Evidence: browse.EvidenceOf(item.RiskLevel, item.Facts.ReviewLabels, item.Facts.WarningFlags, m, d.Pack.RedactionMode, d.Capabilities()),
		Status:   "compare_ready", PackID: e.ID, PackType: d.Pack.PackType, Version: d.Version, Before: before.CompareSide, After: after.CompareSide,
		SelectedSection: selected, Changed: result.ChangedSections, ChangedCount: len(result.ChangedSections), Diff: result.Result, Scan: d.Scan.Filled(),
		Capabilities: d.Capabilities(), Added: Without(after.capabilities, before.capabilities), Removed: Without(before.capabilities, after.capabilities),
		Compatibility: m.Result, Issues: m.Issues, Featured: item.Featured, FeaturedNote: item.FeaturedNote, SubmissionID: source,
	}, nil
}

// importOf is the draft that a submission was made of, "" when it was made of none.
func (a *Service) importOf(ctx context.Context, submissionID string) (string, error) {
	if submissionID == "" {
		return "", nil
	}
	s, err := a.Store.Submission(ctx, submissionID)
	if errors.Is(err, sqldb.ErrNotFound) {
		return "", nil
	}
	return s.ImportID, err
}

// compared is a comparison of two sides, and what the second would install.
type compared struct {
	compare.Result
	plugins pack.PluginPlan
}

// diff compares two sides, from memory where both are published.
func (a *Service) diff(ctx context.Context, userID string, before, after side, selected []string) (compared, error) {
	key := diffKey{before.SHA256, after.SHA256, strings.Join(selected, ",")}
	if before.Kind != sideImport {
		if known, ok := a.diffs.GetIfPresent(key); ok {
			return known, nil
		}
	}
	done, err := a.Inspect(ctx, userID)
	if err != nil {
		return compared{}, err
	}
	defer done()
	was, err := before.Read()
	if err != nil {
		return compared{}, err
	}
	is, err := after.Read()
	if err != nil {
		return compared{}, err
	}
	result, err := compare.Packs(was, is, selected)
	if err != nil {
		return compared{}, err
	}
	if len(result.Unknown) > 0 {
		return compared{}, errs.Newf(errs.InvalidProfileSection, "There is no section %s on either side. Those there are: %s.",
			pack.Clean(result.Unknown[0]), strings.Join(SectionNames(is), ", ")).With("section", pack.Clean(result.Unknown[0]))
	}
	var present any // of the member's own bot; what another publisher's pack has is in nobody's
	if before.Kind == sideImport {
		present = was[pack.SectionPlugins]
	}
	out := compared{result, pack.PlanPlugins(is[pack.SectionPlugins], present)}
	if before.Kind != sideImport {
		a.diffs.Set(key, out)
	}
	return out, nil
}

// The kinds of side.
const (
	sidePublished = "published"
	sideImport    = "import"
	sideNone      = "none"
)

// compareBase is the side that a pack is set against; earlier are the versions published before, newest first.
func (a *Service) compareBase(ctx context.Context, c core.Caller, in CompareInput, e catalog.Entry, earlier []marketdb.Version) (side, error) {
	switch {
	case in.BaseArtifactID != "":
		if c.Role != core.Member {
			return side{}, core.ErrUnauthorized
		}
		_, row, err := a.ownDraft(ctx, c, ImportRefInput{ImportID: in.BaseArtifactID}, errs.PackNotFound)
		if err != nil {
			return side{}, err
		}
		var listing ImportListing
		if err := json.Unmarshal(row.Listing, &listing); err != nil {
			return side{}, err
		}
		host := &pack.Host{}
		return side{
			host:         host,
			CompareSide:  CompareSide{Kind: sideImport, PackID: listing.PackID, Version: listing.Version, ArtifactID: row.ArtifactID, SHA256: row.Fingerprint},
			capabilities: listing.Capabilities,
			Read: func() (map[string]any, error) {
				setup, err := a.openDraft(ctx, row)
				if err != nil {
					return nil, err
				}
				if setup.Source.Backup != nil {
					host.Version = strings.TrimPrefix(setup.Source.Backup.HostVersion, "v")
				}
				return a.Masked(setup.Sections)
			},
		}, nil
	case in.BasePackID != "" || in.BaseVersion != "":
		_, base, err := a.PublishedPack(ctx, c, cmp.Or(in.BasePackID, in.PackID), in.BaseVersion)
		if err != nil {
			return side{}, err
		}
		return a.PublishedSide(ctx, base), nil
	}
	if len(earlier) > 0 {
		base, err := a.Cache.Version(ctx, e.Seq, earlier[0].Version)
		if err != nil {
			return side{}, err
		}
		return a.PublishedSide(ctx, base), nil
	}
	return side{CompareSide: CompareSide{Kind: sideNone}, Read: func() (map[string]any, error) { return map[string]any{}, nil }}, nil
}

// PublishedSide is the side of a published version.
func (a *Service) PublishedSide(ctx context.Context, v *browse.CachedVersion) side {
	artifact := browse.Preferred(v, "")
	return side{
		CompareSide:  CompareSide{Kind: sidePublished, PackID: v.Document.ID, Version: v.Document.Version, ArtifactID: artifact.ID, SHA256: artifact.SHA256},
		capabilities: v.Document.Capabilities().Derived,
		Read: func() (map[string]any, error) {
			sections, err := a.SectionsOf(ctx, v, artifact.SHA256)
			if err != nil {
				return nil, err
			}
			return a.Masked(sections)
		},
	}
}

// wantedSections reads a list with commas.
func wantedSections(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Without is what is in a and not in b.
func Without(a, b []string) []string {
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
