package compare

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"stoa/internal/market/strictjson"
)

// The bounds of a comparison.
const (
	PreviewPaths = 6      // of changed_paths_preview
	ListedPaths  = 64     // of changed_paths
	CountedPaths = 10_000 // changed_paths_count is exact below
	ItemPaths    = 8      // of one item
	ListedItems  = 256    // of one section
	PreviewLines = 180    // of before_preview and after_preview
	DiffLines    = 240    // of diff_preview, file names included
	ContextLines = 2      // around a change

	diffBytes   = 2 << 20 // canonical size of a section that is still compared line by line
	renderLines = 20_000  // lines of one
)

// Status says what became of a section, an item or a path.
type Status string

// The statuses.
const (
	Added   Status = "added"
	Removed Status = "removed"
	Changed Status = "changed"
	Same    Status = "same"
)

// Path is one place that differs: the topmost that was added or removed, or the lowest that changed.
type Path struct {
	Path   string `json:"path"`
	Status Status `json:"status"`
}

// Counts are numbers by status.
type Counts struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
}

func (c *Counts) add(s Status) {
	switch s {
	case Added:
		c.Added++
	case Removed:
		c.Removed++
	case Changed:
		c.Changed++
	case Same:
		c.Same++
	}
}

// Item is one member of a section that differs: a provider, a plugin, a persona. Where a section keeps its
// members under "entries", these are the items.
type Item struct {
	Item              string `json:"item"`
	Status            Status `json:"status"`
	ChangedPaths      []Path `json:"changed_paths"`
	ChangedPathsCount int    `json:"changed_paths_count"`
}

// Section is the difference of one section. Lists are never nil.
type Section struct {
	Section    string `json:"section"`
	Status     Status `json:"status"`
	Changed    bool   `json:"changed"`
	BeforeHash string `json:"before_hash"` // SHA-256 of the canonical JSON, "" when absent
	AfterHash  string `json:"after_hash"`
	BeforeSize int    `json:"before_size"` // bytes of the canonical JSON
	AfterSize  int    `json:"after_size"`
	FilePath   string `json:"file_path"`

	ChangedPathsPreview []string `json:"changed_paths_preview"`
	ChangedPaths        []Path   `json:"changed_paths"`
	ChangedPathsCount   int      `json:"changed_paths_count"`
	// ChangedPathsTruncated is true when ChangedPaths does not hold them all.
	ChangedPathsTruncated bool `json:"changed_paths_truncated"`
	// ChangedPathsAtLeast is true when there are more than ChangedPathsCount.
	ChangedPathsAtLeast bool `json:"changed_paths_at_least"`

	Items          []Item `json:"items"`       // those that differ
	ItemCounts     Counts `json:"item_counts"` // zero when the section is the same
	ItemsTruncated bool   `json:"items_truncated"`

	// The previews are empty when the section is the same.
	BeforePreview          []string `json:"before_preview"`
	AfterPreview           []string `json:"after_preview"`
	BeforePreviewTruncated bool     `json:"before_preview_truncated"`
	AfterPreviewTruncated  bool     `json:"after_preview_truncated"`
	DiffPreview            []string `json:"diff_preview"`
	DiffPreviewTruncated   bool     `json:"diff_preview_truncated"`
	// DiffLimited is true when the section is too large for a diff line by line, so that only the paths tell.
	DiffLimited bool `json:"diff_limited"`
}

// Result is the difference of two packs.
type Result struct {
	Sections        []Section `json:"sections"`
	ChangedSections []string  `json:"changed_sections"`
	Summary         Counts    `json:"summary"`
	// Unknown are selected sections that neither pack has.
	Unknown []string `json:"-"`
}

// Packs compares the sections of two packs, given as strictjson.Parse reads them and already redacted; all
// of them, or those of selected when it names any. Sections come in the order of their names. The error
// is a value that is no JSON.
func Packs(before, after map[string]any, selected []string) (Result, error) {
	out := Result{Sections: []Section{}, ChangedSections: []string{}}
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	if len(selected) > 0 {
		names = slices.Clone(selected)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		b, had := before[name]
		a, has := after[name]
		if !had && !has {
			out.Unknown = append(out.Unknown, name)
			continue
		}
		s, err := section(name, side{b, had}, side{a, has})
		if err != nil {
			return Result{}, err
		}
		out.Sections = append(out.Sections, s)
		out.Summary.add(s.Status)
		if s.Changed {
			out.ChangedSections = append(out.ChangedSections, name)
		}
	}
	return out, nil
}

// side is a value of one pack, or its absence.
type side struct {
	value any
	ok    bool
}

func section(name string, before, after side) (Section, error) {
	s := Section{
		Section: name, FilePath: "sections/" + name + ".json", ChangedPathsPreview: []string{}, ChangedPaths: []Path{},
		Items: []Item{}, BeforePreview: []string{}, AfterPreview: []string{}, DiffPreview: []string{},
	}
	var err error
	if s.BeforeHash, s.BeforeSize, err = digest(name, before); err != nil {
		return s, err
	}
	if s.AfterHash, s.AfterSize, err = digest(name, after); err != nil {
		return s, err
	}
	switch {
	case !before.ok:
		s.Status = Added
	case !after.ok:
		s.Status = Removed
	case s.BeforeHash != s.AfterHash:
		s.Status = Changed
	default:
		s.Status = Same
		return s, nil
	}
	s.Changed = true
	s.list(before, after)
	s.show(before, after)
	return s, nil
}

// digest is the hash and the size of the canonical form.
func digest(name string, v side) (string, int, error) {
	if !v.ok {
		return "", 0, nil
	}
	text, err := strictjson.Canonical(v.value)
	if err != nil {
		return "", 0, fmt.Errorf("compare: section %s: %w", name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), len(text), nil
}

// list fills in the paths and the items.
func (s *Section) list(before, after side) {
	total := 0
	equal := members(s.Section, before, after, func(m member) {
		status := m.status()
		if !m.whole {
			s.ItemCounts.add(status)
			s.ItemsTruncated = s.ItemsTruncated || status != Same && len(s.Items) == ListedItems
		}
		switch {
		case status == Same:
			return
		case total == CountedPaths:
			s.ChangedPathsAtLeast = true
			if len(s.Items) == ListedItems {
				return
			}
		}
		item := s.item(m, status, CountedPaths-total)
		total += item.ChangedPathsCount
		if !m.whole && len(s.Items) < ListedItems {
			s.Items = append(s.Items, item)
		}
	})
	s.ItemCounts.Same += equal
	if total == 0 { // a list or object without members came or went
		s.ChangedPaths, total = append(s.ChangedPaths, Path{show(s.Section), s.Status}), 1
	}
	s.ChangedPathsCount = total
	s.ChangedPathsTruncated = total > len(s.ChangedPaths) || s.ChangedPathsAtLeast
	for _, p := range s.ChangedPaths[:min(PreviewPaths, len(s.ChangedPaths))] {
		s.ChangedPathsPreview = append(s.ChangedPathsPreview, p.Path)
	}
}

// item compares one item and adds its paths, of which at most left are counted.
func (s *Section) item(m member, status Status, left int) Item {
	item := Item{Item: m.label(), Status: status, ChangedPaths: []Path{}}
	w := walker{left: left, found: func(c change) {
		if len(item.ChangedPaths) == ItemPaths && len(s.ChangedPaths) == ListedPaths {
			return
		}
		path := Path{c.String(), c.status}
		if len(item.ChangedPaths) < ItemPaths {
			item.ChangedPaths = append(item.ChangedPaths, path)
		}
		if len(s.ChangedPaths) < ListedPaths {
			s.ChangedPaths = append(s.ChangedPaths, path)
		}
	}}
	w.compare(m.path, m.before, m.after)
	s.ChangedPathsAtLeast = s.ChangedPathsAtLeast || w.more
	item.ChangedPathsCount = w.count
	return item
}

// show fills in the previews and the diff.
func (s *Section) show(before, after side) {
	limit := renderLines
	if s.BeforeSize > diffBytes || s.AfterSize > diffBytes {
		limit = PreviewLines
	}
	b, a := render(before, limit), render(after, limit)
	s.BeforePreview, s.BeforePreviewTruncated = b.preview()
	s.AfterPreview, s.AfterPreviewTruncated = a.preview()
	if b.cut || a.cut {
		s.DiffLimited = true
		return
	}
	s.DiffPreview, s.DiffPreviewTruncated = unified(show(s.Section)+".json", b, a)
}
