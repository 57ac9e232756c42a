package scan

import (
	"encoding/hex"
	"slices"
	"sort"

	"stoa/internal/market/scan/normal"
)

// The categories of findings.
const (
	categoryInjection    = "prompt_injection"
	categoryExfiltration = "exfiltration"
	categoryMalicious    = "malicious_code"
	categorySupplyChain  = "supply_chain"
	categoryHidden       = "hidden_text"

	low    = "low" // seen, and taken for harmless where it stands
	medium = "medium"
	high   = "high"

	ruleModel   = "model"
	adviceModel = "Read the passage. If it is meant for the bot's owner, say it plainly; if it overrides, hides or sends, remove it."
	whyModel    = "Taken together, its words are those of texts that attack bots."
)

var hidden = map[string]struct{ severity, what, advice string }{
	normal.SignTags:       {medium, "letters of the Unicode tags block, which nobody sees", "Remove the invisible characters."},
	normal.SignSelectors:  {medium, "a run of variation selectors, which can carry hidden bytes", "Remove the invisible characters."},
	normal.SignBidi:       {medium, "a control that turns the direction of text", "Remove the control character; write the text in its order."},
	normal.SignInvisible:  {medium, "zero-width characters inside words", "Remove the invisible characters."},
	normal.SignLookalikes: {medium, "words that mix Latin letters with ones that only look so", "Write each word in one script."},
}

// Fingerprint names a finding over versions: its rule and its words, without case, spacing or place.
type Fingerprint string

// Finding is one thing that was found, and where it stands. Line and Column count from 1, columns in characters.
type Finding struct {
	Rule        string      `json:"rule"`
	Category    string      `json:"category"`
	Severity    string      `json:"severity"`
	Confidence  float64     `json:"confidence"` // 0..1: how much the text around it looks like an attack
	File        string      `json:"file"`
	Path        string      `json:"path"`
	Line        int         `json:"line"`
	Column      int         `json:"column"`
	Excerpt     string      `json:"excerpt"`
	Advice      string      `json:"advice"`
	View        string      `json:"view,omitempty"` // how it was read, when not in plain sight
	Fingerprint Fingerprint `json:"fingerprint"`
	Accepted    bool        `json:"accepted,omitempty"` // a person accepted it in an earlier version

	attack bool // in a text that is taken for an attack
	shape  bool // a command or address that says enough alone
	why    string
}

// Evidence is a finding in the form of the contract's field facts.
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
	Mode           Mode       `json:"mode"`
	Digest         string     `json:"digest"` // of the scanner, its mode and all that it read
	Levels         []string   `json:"levels"`
	Compatibility  string     `json:"compatibility"`
	RiskLevel      string     `json:"risk_level"`
	ReviewLabels   []string   `json:"review_labels"`
	WarningFlags   []string   `json:"warning_flags"`
	Injection      Injection  `json:"prompt_injection"`
	Evidence       []Evidence `json:"risk_evidence"`
	Findings       []Finding  `json:"findings"`
	Omitted        int        `json:"findings_omitted"` // findings beyond what a summary keeps
	Gaps           []Gap      `json:"incomplete"`
}

// Brief is a summary as lists show it: with the first places of what was found, and without the findings themselves.
type Brief struct {
	Status         string     `json:"status"`
	ScannerVersion string     `json:"scanner_version"`
	Mode           Mode       `json:"mode"`
	Levels         []string   `json:"levels"`
	Compatibility  string     `json:"compatibility"`
	RiskLevel      string     `json:"risk_level"`
	ReviewLabels   []string   `json:"review_labels"`
	WarningFlags   []string   `json:"warning_flags"`
	Injection      Injection  `json:"prompt_injection"`
	Evidence       []Evidence `json:"risk_evidence"`
}

// briefPlaces is how many places a brief summary names.
const briefPlaces = 3

// Brief shortens a summary for a list.
func (s Summary) Brief() Brief {
	b := Brief{s.Status, s.ScannerVersion, s.Mode, s.Levels, s.Compatibility, s.RiskLevel, s.ReviewLabels, s.WarningFlags, s.Injection, s.Evidence}
	b.Injection.Phrases = s.Injection.Phrases[:min(briefPlaces, len(s.Injection.Phrases))]
	b.Injection.Locations = s.Injection.Locations[:min(briefPlaces, len(s.Injection.Locations))]
	b.Evidence = s.Evidence[:min(briefPlaces, len(s.Evidence))]
	return b
}

// Counted are the fingerprints of the findings that had a part in the result, or had once before they were accepted.
func (s Summary) Counted() []Fingerprint {
	var out []Fingerprint
	for _, f := range s.Findings {
		if f.Severity != low {
			out = append(out, f.Fingerprint)
		}
	}
	return out
}

// conclude derives status, risk, labels and flags from the findings. They are independent facts.
func (s *Scanner) conclude() Summary {
	out := Summary{
		Status: Clean, ScannerVersion: Version(), Mode: s.options.Mode, Digest: hex.EncodeToString(s.digest.Sum(nil)),
		Levels: levels(s.options.About.Sections), Compatibility: degraded, RiskLevel: low,
		ReviewLabels: []string{}, WarningFlags: []string{}, Evidence: []Evidence{}, Findings: []Finding{}, Omitted: s.left, Gaps: []Gap{},
		Injection: Injection{Severity: "none", Rules: []string{}, Phrases: []string{}, Locations: []Evidence{}},
	}
	out.Gaps = append(out.Gaps, s.incomplete...)
	rank := map[string]int{high: 0, medium: 1, low: 2}
	sort.SliceStable(s.findings, func(i, j int) bool {
		a, b := s.findings[i], s.findings[j]
		if a.attack != b.attack {
			return a.attack
		}
		return rank[a.Severity] < rank[b.Severity]
	})
	labels := map[string]bool{}
	for _, f := range s.findings {
		out.Findings = append(out.Findings, f)
		if f.Accepted || f.Severity == low {
			continue
		}
		out.Status = Flagged
		e := Evidence{f.Category, f.Rule, f.Severity, f.File, f.Path, f.Line, f.Column, f.Excerpt}
		if len(out.Evidence) < maxEvidence {
			out.Evidence = append(out.Evidence, e)
		}
		out.WarningFlags = append(out.WarningFlags, f.Rule)
		switch {
		case f.Severity == high, s.options.Mode == Strict:
			out.RiskLevel = high
		case out.RiskLevel == low:
			out.RiskLevel = medium
		}
		switch f.Category {
		case categorySupplyChain:
			labels["supply_chain_review_needed"] = true
			if f.Severity == high {
				labels["supply_chain_high_risk"] = true
			}
		case categoryMalicious:
			labels["malicious_code_review_needed"] = true
		case categoryExfiltration:
			labels["data_transfer_review_needed"] = true
		case categoryHidden:
			labels["hidden_text_review_needed"] = true
		}
		if f.attack {
			out.Injection.add(e)
			labels["prompt_injection_detected"] = true
		}
	}
	s.judge(&out, labels)
	if len(s.incomplete) > 0 {
		out.Status = Incomplete
		labels["scan_incomplete"] = true
	}
	labels["risk_"+out.RiskLevel] = true
	for label := range labels {
		out.ReviewLabels = append(out.ReviewLabels, label)
	}
	sort.Strings(out.ReviewLabels)
	sort.Strings(out.WarningFlags)
	out.WarningFlags = slices.Compact(out.WarningFlags)
	sort.Strings(out.Injection.Rules)
	out.Injection.Rules = slices.Compact(out.Injection.Rules)
	return out
}

// judge adds what the item's sections and its compatibility say.
func (s *Scanner) judge(out *Summary, labels map[string]bool) {
	if slices.Contains(out.Levels, levelRights) {
		labels[labelProviders] = true
		out.RiskLevel = high
	}
	if slices.Contains(out.Levels, levelAgents) {
		labels[labelAgents] = true
		if out.RiskLevel == low {
			out.RiskLevel = medium
		}
	}
	if c := s.options.About.Compatibility; c != "" {
		out.Compatibility = c
		if c != compatible {
			labels[labelCompatibility] = true
		}
	}
}

func (in *Injection) add(e Evidence) {
	in.Detected = true
	if in.Severity != high {
		in.Severity = e.Severity
	}
	in.Rules = append(in.Rules, e.Rule)
	if len(in.Locations) < maxEvidence {
		in.Phrases = append(in.Phrases, e.Phrase)
		in.Locations = append(in.Locations, e)
	}
}
