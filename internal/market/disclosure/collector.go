package disclosure

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/redact"
)

// Collector gathers a report from sections and files, in the order they are given. It serves one goroutine.
type Collector struct {
	sections     []Section
	sectionCount int
	bytes        int64
	items        int
	hosts        map[string]*Host
	capabilities map[string]*Named
	environment  map[string]*Named
	models       map[string]*Named
	plugins      []Plugin
	pluginCount  int
	overflow     bool
	canonical    func(any) ([]byte, error)
}

// NewCollector begins a report. canonical gives the bytes of a section as they will stand in the pack; nil means JSON
// with sorted keys and no blanks.
func NewCollector(canonical func(any) ([]byte, error)) *Collector {
	if canonical == nil {
		canonical = compact
	}
	return &Collector{
		hosts: map[string]*Host{}, capabilities: map[string]*Named{}, environment: map[string]*Named{}, models: map[string]*Named{},
		canonical: canonical,
	}
}

func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// OfSections is the report of a pack: its sections as they leave, what redaction did to them, what its manifest claims, and
// the files beside the sections.
func OfSections(sections map[string]any, canonical func(any) ([]byte, error), redaction redact.Result, claimed []string, files ...Section) (Report, error) {
	c := NewCollector(canonical)
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if err := c.Section(name, sections[name]); err != nil {
			return Report{}, err
		}
	}
	for _, f := range files {
		c.Bytes(f.Name, f.Size, f.SHA256)
	}
	return c.Report(redaction, claimed), nil
}

// Section adds a section of a pack.
func (c *Collector) Section(name string, tree any) error {
	text, err := c.canonical(tree)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	items := 1
	switch v := tree.(type) {
	case map[string]any:
		items = len(v)
	case []any:
		items = len(v)
	}
	c.add(Section{Name: clip(name), Size: int64(len(text)), Items: items, SHA256: hex.EncodeToString(sum[:])})
	if items > 0 {
		c.whole(name, tree)
	}
	c.tree(tree, place{section: name, path: name})
	return nil
}

func (c *Collector) add(s Section) {
	c.sectionCount++
	c.bytes += s.Size
	c.items += s.Items
	if len(c.sections) < maxListed {
		c.sections = append(c.sections, s)
	}
}

// Bytes adds a file that nothing is read out of, such as a picture.
func (c *Collector) Bytes(name string, size int64, sha256 string) {
	c.add(Section{Name: clip(name), Size: size, Items: 1, SHA256: sha256})
}

// File adds a file of a package, streamed. Close ends it.
func (c *Collector) File(name string) io.WriteCloser {
	f := &file{c: c, name: clip(name), sum: sha256.New(), at: place{section: name, path: clip(name)}}
	f.at.command = scriptName(name)
	if f.at.command {
		c.can(CommandExec, f.name)
	}
	f.settings = settingsName(name)
	return f
}

// file is a text on its way through the collector; a window of it is kept.
type file struct {
	c     *Collector
	name  string
	at    place
	sum   hash.Hash
	size  int64
	lines int
	buf   []byte
	// settings are kept whole and read at the end.
	settings bool
}

const (
	fileChunk   = 64 << 10
	fileOverlap = 4 << 10
)

func (f *file) Write(p []byte) (int, error) {
	f.sum.Write(p)
	f.size += int64(len(p))
	f.lines += bytes.Count(p, []byte("\n"))
	for rest := p; len(rest) > 0; {
		n := min(len(rest), fileChunk)
		f.buf = append(f.buf, rest[:n]...)
		rest = rest[n:]
		if f.settings && len(f.buf) <= maxSettings {
			continue
		}
		f.c.overflow = f.c.overflow || f.settings
		f.settings = false
		if len(f.buf) >= fileChunk+fileOverlap {
			cut := len(f.buf) - fileOverlap
			if i := bytes.LastIndexAny(f.buf[cut:], " \n\t\""); i >= 0 {
				cut += i + 1
			}
			f.c.text(string(f.buf[:cut]), f.at)
			f.buf = append(f.buf[:0], f.buf[cut:]...)
		}
	}
	return len(p), nil
}

// Close ends the file and puts it into the report.
func (f *file) Close() error {
	if f.settings {
		f.c.settings(f.buf, f.at)
	} else {
		f.c.text(string(f.buf), f.at)
	}
	f.buf = nil
	if f.size > 0 {
		f.lines++
	}
	f.c.add(Section{Name: f.name, Size: f.size, Items: f.lines, SHA256: hex.EncodeToString(f.sum.Sum(nil))})
	return nil
}

// Report ends the collection.
func (c *Collector) Report(redaction redact.Result, claimed []string) Report {
	r := Report{
		Sections: orEmpty(c.sections), Masked: marks(redaction.Masked), Dropped: marks(redaction.Dropped), Kept: marks(redaction.Kept),
		Hosts: []Host{}, Environment: listed(c.environment), Models: listed(c.models), Plugins: orEmpty(c.plugins),
		ClaimedNotFound: []string{}, FoundNotClaimed: []string{},
		Totals: Totals{
			Sections: c.sectionCount, Bytes: c.bytes, Items: c.items, Masked: len(redaction.Masked), Dropped: len(redaction.Dropped), Kept: len(redaction.Kept),
			Hosts: len(c.hosts), Environment: len(c.environment), Models: len(c.models), Plugins: c.pluginCount,
		},
	}
	for _, name := range slices.Sorted(maps.Keys(c.hosts)) {
		if len(r.Hosts) < maxListed {
			r.Hosts = append(r.Hosts, *c.hosts[name])
		}
	}
	for _, n := range listed(c.capabilities) {
		r.Capabilities = append(r.Capabilities, Capability(n))
		if !slices.Contains(claimed, n.Name) {
			r.FoundNotClaimed = append(r.FoundNotClaimed, n.Name)
		}
	}
	r.Capabilities = orEmpty(r.Capabilities)
	for _, name := range claimed {
		if c.capabilities[name] == nil && !slices.Contains(r.ClaimedNotFound, clip(name)) && len(r.ClaimedNotFound) < maxListed {
			r.ClaimedNotFound = append(r.ClaimedNotFound, clip(name))
		}
	}
	t := r.Totals
	r.Truncated = c.overflow || t.Sections > maxListed || t.Masked > maxMarks || t.Dropped > maxMarks || t.Kept > maxMarks ||
		t.Hosts > maxListed || t.Environment > maxListed || t.Models > maxListed || t.Plugins > maxListed
	return r
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func marks(all []redact.Mark) Marks {
	return Marks{Count: len(all), Listed: orEmpty(all[:min(len(all), maxMarks)])}
}

func listed(names map[string]*Named) []Named {
	out := []Named{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if len(out) < maxListed {
			out = append(out, *names[name])
		}
	}
	return out
}

// note counts a name and where it stands.
func (c *Collector) note(names map[string]*Named, name, path string) {
	n := names[name]
	if n == nil {
		if len(names) >= maxNames {
			c.overflow = true
			return
		}
		n = &Named{Name: name}
		names[name] = n
	}
	n.Count++
	n.Places = addPlace(n.Places, path)
}

func addPlace(places []string, path string) []string {
	path = clip(path)
	if len(places) < maxPlaces && !slices.Contains(places, path) {
		return append(places, path)
	}
	return places
}

func (c *Collector) can(capability, path string) { c.note(c.capabilities, capability, path) }

// clip makes a stranger's text fit to be listed: short, valid, without control characters.
func clip(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "�"))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText-3], "") + "…"
	}
	return text
}
