package scan

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// Version names the rules below; it is stored with every result.
const Version = "rules-1"

// The three outcomes. Incomplete means that something could not be read; it is never treated as clean.
const (
	Clean      = "clean"
	Flagged    = "flagged"
	Incomplete = "incomplete"
)

// Evidence is one finding and where it stands. Line and Column count from 1, columns in characters.
type Evidence struct {
	Category string `json:"category"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	File     string `json:"file"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Phrase   string `json:"phrase"`
}

// Injection sums up the findings that try to turn a bot against its owner.
type Injection struct {
	Detected  bool       `json:"detected"`
	Severity  string     `json:"severity"`
	Rules     []string   `json:"matched_rules"`
	Phrases   []string   `json:"matched_phrases"`
	Locations []Evidence `json:"matched_locations"`
}

// Summary is the scan_summary of the contract.
type Summary struct {
	Status         string     `json:"status"`
	ScannerVersion string     `json:"scanner_version"`
	Levels         []string   `json:"levels"`
	RiskLevel      string     `json:"risk_level"`
	ReviewLabels   []string   `json:"review_labels"`
	WarningFlags   []string   `json:"warning_flags"`
	Injection      Injection  `json:"prompt_injection"`
	Evidence       []Evidence `json:"risk_evidence"`
}

// Source is one text to read: a file of a package or a field of a document.
type Source struct {
	File string
	Path string
	Text string
}

// What one scan keeps at most, so that a hostile text cannot grow the stored result.
const (
	maxEvidence     = 60
	maxPerRule      = 10
	maxPhraseLength = 120 // characters
)

// Scan reads every source whole. The answer depends on the sources alone.
func Scan(sources []Source) Summary {
	s := Summary{
		Status: Clean, ScannerVersion: Version, Levels: []string{"L1"}, RiskLevel: "low",
		ReviewLabels: []string{}, WarningFlags: []string{}, Evidence: []Evidence{},
		Injection: Injection{Severity: "none", Rules: []string{}, Phrases: []string{}, Locations: []Evidence{}},
	}
	for _, source := range sources {
		for _, r := range rules {
			for _, at := range r.pattern.FindAllStringIndex(source.Text, maxPerRule) {
				s.add(r, source, at)
			}
		}
	}
	s.conclude()
	return s
}

func (s *Summary) add(r rule, source Source, at []int) {
	if len(s.Evidence) == maxEvidence {
		return
	}
	line := 1 + strings.Count(source.Text[:at[0]], "\n")
	lineStart := 1 + strings.LastIndexByte(source.Text[:at[0]], '\n')
	e := Evidence{
		Category: r.category, Rule: r.id, Severity: r.severity, File: source.File, Path: source.Path,
		Line: line, Column: 1 + utf8.RuneCountInString(source.Text[lineStart:at[0]]),
		Phrase: cut(source.Text[at[0]:at[1]]),
	}
	s.Evidence = append(s.Evidence, e)
	if !slices.Contains(s.WarningFlags, r.id) {
		s.WarningFlags = append(s.WarningFlags, r.id)
	}
	if r.category != categoryInjection {
		return
	}
	in := &s.Injection
	in.Detected = true
	if in.Severity != high {
		in.Severity = r.severity
	}
	if !slices.Contains(in.Rules, r.id) {
		in.Rules = append(in.Rules, r.id)
	}
	in.Phrases = append(in.Phrases, e.Phrase)
	in.Locations = append(in.Locations, e)
}

// conclude derives risk and labels from the evidence.
func (s *Summary) conclude() {
	sort.Strings(s.WarningFlags)
	sort.Strings(s.Injection.Rules)
	if len(s.Evidence) == 0 {
		s.ReviewLabels = []string{"risk_low"}
		return
	}
	s.Status, s.RiskLevel = Flagged, "medium"
	labels := map[string]bool{}
	for _, e := range s.Evidence {
		if e.Severity == high {
			s.RiskLevel = "high"
		}
		switch {
		case e.Category == categoryInjection:
			labels["prompt_injection_detected"] = true
		case e.Severity == high:
			labels["supply_chain_high_risk"], labels["supply_chain_review_needed"] = true, true
		default:
			labels["supply_chain_review_needed"] = true
		}
	}
	labels["risk_"+s.RiskLevel] = true
	for label := range labels {
		s.ReviewLabels = append(s.ReviewLabels, label)
	}
	sort.Strings(s.ReviewLabels)
}

func cut(phrase string) string {
	if utf8.RuneCountInString(phrase) <= maxPhraseLength {
		return phrase
	}
	return string([]rune(phrase)[:maxPhraseLength])
}

// Filled is the summary with its lists there, as a summary that was stored empty may lack them.
func (s Summary) Filled() Summary {
	for _, list := range []*[]string{&s.Levels, &s.ReviewLabels, &s.WarningFlags, &s.Injection.Rules, &s.Injection.Phrases} {
		if *list == nil {
			*list = []string{}
		}
	}
	if s.Status == "" {
		s.Status, s.RiskLevel, s.Injection.Severity = Incomplete, "low", "none"
	}
	if s.Evidence == nil {
		s.Evidence = []Evidence{}
	}
	if s.Injection.Locations == nil {
		s.Injection.Locations = []Evidence{}
	}
	return s
}
