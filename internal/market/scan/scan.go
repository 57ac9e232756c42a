package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"sync"

	"stoa/internal/market/scan/model"
	"stoa/internal/market/scan/rules"
)

// Version names the scanner: its code by hand, its rules and weights by their digest. It is stored with every result.
var Version = sync.OnceValue(func() string {
	h := sha256.New()
	h.Write([]byte(rules.Digest() + model.Digest()))
	return "scan-4-" + hex.EncodeToString(h.Sum(nil))[:8]
})

// The three outcomes. Incomplete means that something could not be read; it is never treated as clean.
const (
	Clean      = "clean"
	Flagged    = "flagged"
	Incomplete = "incomplete"
)

// Mode says how sure the scanner must be.
type Mode string

// Balanced is tuned for few false alarms. Strict flags at a lower threshold, and a medium finding makes the risk high.
const (
	Balanced Mode = "balanced"
	Strict   Mode = "strict"
)

// Role says what a text is for: instructions belong in a prompt, and not in a description.
type Role int

// The roles of texts. Code and configuration are read for what they do.
const (
	RolePrompt Role = iota
	RoleSkill
	RoleDocument // README, description, changelog
	RoleConfig
	RoleCode
)

// RoleOf guesses the role of a package's file from its name.
func RoleOf(name string) Role {
	name = strings.ToLower(name)
	base := name[strings.LastIndexByte(name, '/')+1:]
	switch {
	case strings.HasPrefix(base, "readme"), strings.HasPrefix(base, "changelog"), strings.HasPrefix(base, "contributing"), strings.HasPrefix(base, "license"):
		return RoleDocument
	case base == "skill.md" || strings.Contains(name, "skills/"):
		return RoleSkill
	case strings.HasSuffix(base, ".prompt") || strings.Contains(name, "prompt") || strings.Contains(name, "persona") || base == "bundle.json":
		return RolePrompt
	}
	for _, end := range []string{".json", ".yaml", ".yml", ".toml", ".ini", ".env", ".cfg"} {
		if strings.HasSuffix(base, end) {
			return RoleConfig
		}
	}
	for _, end := range []string{".py", ".js", ".ts", ".sh", ".ps1", ".rb", ".go", ".lua", ".bat"} {
		if strings.HasSuffix(base, end) {
			return RoleCode
		}
	}
	return RolePrompt
}

// Options of a scan.
type Options struct {
	Mode     Mode          // "" is Balanced
	Accepted []Fingerprint // findings that a person accepted in an earlier version
	About    About
	// Weights are the model's, nil for those that are shipped.
	Weights *model.Weights
}

// About is what a scan needs to know of an item beside its texts.
type About struct {
	// Sections are those that decide its level; see BundleSections and PackSections.
	Sections []string
	// Compatibility is that of a pack: compatible, degraded or blocked. "" is a template, which names no version of a
	// bot that it fits.
	Compatibility string
}

// Scanner reads the texts of one package. It is for one goroutine; its memory does not grow with what it reads.
type Scanner struct {
	options    Options
	set        *rules.Set
	weights    *model.Weights
	scratch    *model.Scratch
	spare      []*model.Document
	file       *fileWriter
	fields     []byte // short fields, joined
	fieldCount int
	digest     hash.Hash
	findings   []Finding
	perRule    map[string]int
	seen       map[string]bool
	incomplete []Gap
	left       int // findings that were not kept
	score      float64
	strict     float64
}

// Gap is something that could not be read.
type Gap struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// What one scan keeps at most, so that a hostile text cannot grow the stored result.
const (
	maxEvidence     = 60
	maxFindings     = 100
	maxPerRule      = 10
	maxPhraseLength = 120 // characters
	maxJoined       = 16 << 10
	shortField      = 1000
	noScore         = -99
	decidedScore    = 99
)

// scratches are used again: they are dear to make for a short text.
var scratches = sync.Pool{New: func() any { return model.NewScratch() }}

// NewScan begins a scan.
func NewScan(o Options) *Scanner {
	if o.Mode == "" {
		o.Mode = Balanced
	}
	s := &Scanner{
		options: o, set: rules.Load(), weights: o.Weights, scratch: scratches.Get().(*model.Scratch), digest: sha256.New(),
		perRule: map[string]int{}, seen: map[string]bool{}, score: noScore, strict: noScore,
	}
	if s.weights == nil {
		s.weights = model.Default()
	}
	fmt.Fprintf(s.digest, "%s %s\n", Version(), o.Mode)
	return s
}

// File begins a file; what is written to the answer is scanned, until the next file, field or Finish.
func (s *Scanner) File(name string, role Role) io.Writer {
	s.close()
	fmt.Fprintf(s.digest, "file %q\n", name)
	s.file = newFile(s, name, "$", role)
	return s.file
}

// Field scans one text of a document whole. A field of a .json file with the path "$" is read as JSON.
func (s *Scanner) Field(file, path, text string, role Role) {
	s.close()
	fmt.Fprintf(s.digest, "field %q %q\n", file, path)
	s.file = newFile(s, file, path, role)
	_, _ = s.file.Write([]byte(text))
	s.close()
	if len(text) < shortField && len(s.fields)+len(text) < maxJoined {
		s.fields = append(append(s.fields, text...), '\n')
		s.fieldCount++
	}
}

// Incomplete notes that a file could not be read, or not whole.
func (s *Scanner) Incomplete(file, why string) {
	if len(s.incomplete) < maxEvidence && !slices.Contains(s.incomplete, Gap{file, why}) {
		s.incomplete = append(s.incomplete, Gap{file, why})
	}
}

func (s *Scanner) close() {
	if s.file != nil {
		s.file.finish()
		s.file = nil
	}
}

// About says what the item is, when that was not known at the beginning; it replaces Options.About.
func (s *Scanner) About(a About) { s.options.About = a }

// Finish ends the scan.
func (s *Scanner) Finish() Summary {
	s.close()
	s.joinFields()
	out := s.conclude()
	for _, d := range s.spare {
		s.scratch.Keep(d)
	}
	scratches.Put(s.scratch)
	s.scratch, s.spare = nil, nil
	return out
}

// Scores returns the highest log-odds of any text so far, less its threshold of balanced and of strict mode. They are
// for the making of thresholds, in a balanced scan: a rule that decides alone counts as decidedScore.
func (s *Scanner) Scores() (balanced, strict float64) { return s.score, s.strict }

// Source is one text to read: a file of a package or a field of a document.
type Source struct {
	File string
	Path string
	Text string
}

// Scan reads texts that are in memory, in balanced mode. The answer depends on the sources alone.
func Scan(sources []Source) Summary { return Read(sources, Options{}) }

// Read reads texts that are in memory.
func Read(sources []Source, o Options) Summary {
	s := NewScan(o)
	for _, source := range sources {
		role := RoleOf(source.File)
		if strings.HasSuffix(source.Path, ".description") || strings.HasSuffix(source.Path, ".title") {
			role = RoleDocument
		}
		s.Field(source.File, source.Path, source.Text, role)
	}
	return s.Finish()
}

// Filled is the summary with its lists there, as a summary that was stored empty may lack them.
func (s Summary) Filled() Summary {
	for _, list := range []*[]string{&s.Levels, &s.ReviewLabels, &s.WarningFlags, &s.Injection.Rules, &s.Injection.Phrases} {
		if *list == nil {
			*list = []string{}
		}
	}
	if s.Status == "" {
		s.Status, s.RiskLevel = Incomplete, low
	}
	if s.Injection.Severity == "" {
		s.Injection.Severity = "none"
	}
	if s.Mode == "" {
		s.Mode = Balanced
	}
	if s.Compatibility == "" {
		s.Compatibility = degraded
	}
	if s.Findings == nil {
		s.Findings = []Finding{}
	}
	if s.Gaps == nil {
		s.Gaps = []Gap{}
	}
	if s.Evidence == nil {
		s.Evidence = []Evidence{}
	}
	if s.Injection.Locations == nil {
		s.Injection.Locations = []Evidence{}
	}
	return s
}
