package scan

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"math"
	"strings"
	"unicode/utf8"

	"stoa/internal/market/scan/model"
	"stoa/internal/market/scan/normal"
	"stoa/internal/market/scan/rules"
)

// unit is one text that is judged by itself: a file, a field, a hidden or a decoded piece.
type unit struct {
	s       *Scanner
	doc     *model.Document
	file    string
	path    string
	role    Role
	view    string // how the text was found, "" when it stands there in plain sight
	script  script
	prose   prose
	folded  int // bytes
	found   []Finding
	top     Finding   // where its worst chunk is
	decided bool      // by a rule that needs no company
	strict  bool      // by one that needs none in strict mode
	words   hash.Hash // of all folded text
}

func (s *Scanner) newUnit(file, path string, role Role, view string) *unit {
	u := &unit{s: s, file: file, path: path, role: role, view: view, words: sha256.New()}
	if n := len(s.spare); n > 0 {
		u.doc, s.spare = s.spare[n-1], s.spare[:n-1]
		u.doc.Reset(s.weights, s.scratch)
	} else {
		u.doc = s.scratch.Document(s.weights)
	}
	return u
}

// place finds the line and column of a byte of a window, counted from 1, and its path.
type place interface {
	at(offset int) (line, column int, path string)
	source() []byte
	// fresh is false for what an earlier window has shown already.
	fresh(end int) bool
}

// read scans folded text that continues the unit.
func (u *unit) read(folded normal.Text, w place) {
	u.script.count(folded.B)
	u.folded += len(folded.B)
	u.words.Write(folded.B)
	s := u.s
	u.doc.Window(s.set, folded.B, func(m rules.Match) {
		to := int(folded.At[m.End])
		if m.Mention || !w.fresh(to) || len(u.found) >= maxFindings {
			return
		}
		r := &s.set.Rules[m.Rule]
		f := u.finding(r.ID, r.Category, r.Severity, r.Advice, folded, m.Start, m.End, w)
		u.decided = u.decided || r.Decides == string(Balanced) || r.Decides == string(s.options.Mode)
		u.strict = u.strict || r.Decides != ""
		f.shape = r.Pattern != "" && r.Weight == rules.Strong
		f.why = r.Why
		u.found = append(u.found, f)
	})
	if at := u.doc.TopAt; at >= 0 {
		at, end := u.doc.Telling(folded.B, at)
		u.top = u.finding(ruleModel, categoryInjection, medium, adviceModel, folded, at, end, w)
		u.top.why = whyModel
	}
}

func (u *unit) finding(rule, category, severity, advice string, folded normal.Text, i, j int, w place) Finding {
	from, to := int(folded.At[i]), int(folded.At[j])
	line, column, path := w.at(from)
	if path == "" {
		path = u.path
	}
	excerpt := string(folded.B[i:j])
	sum := sha256.Sum256([]byte(rule + "\x00" + excerpt))
	if source := w.source(); u.view == "" && from < to && to <= len(source) && utf8.Valid(source[from:to]) {
		excerpt = string(source[from:to])
	}
	return Finding{
		Rule: rule, Category: category, Severity: severity, File: u.file, Path: path, Line: line, Column: column,
		Excerpt: cut(excerpt), Advice: advice, View: u.view, Fingerprint: Fingerprint(hex.EncodeToString(sum[:8])),
	}
}

// finish judges the unit and hands its findings over.
func (u *unit) finish() {
	s := u.s
	defer func() { s.spare = append(s.spare, u.doc) }()
	if u.doc.Empty() && len(u.found) == 0 {
		return
	}
	z := u.doc.Score(s.set)
	class := u.class()
	t := s.weights.For(u.script.language(), class)
	relief := 0.0
	if u.role == RoleDocument && len(u.found) > 0 {
		relief += documentsShift
	}
	if u.view != "" && class != model.Short { // a window can be decoded to dozens of short pieces
		relief += hiddenShift
	}
	limit := t.Balanced - relief
	if s.options.Mode == Strict {
		limit = t.Strict - relief
	}
	// Of a configuration without a sentence the model has seen little: names of hosts and models look to it like words.
	enough := len(u.found) > 0 || u.script.letters() >= leastLetters && (u.role != RoleConfig || u.prose.found)
	attack := z >= limit && enough || u.decided
	if enough {
		s.score, s.strict = max(s.score, z-t.Balanced+relief), max(s.strict, z-t.Strict+relief)
	}
	if u.decided {
		s.score = decidedScore
	}
	if u.strict {
		s.strict = decidedScore
	}
	if u.decided {
		z = max(z, t.Balanced+decidedMargin)
	}
	confidence := math.Round(100/(1+math.Exp(-(z-t.Balanced)))) / 100
	ruled := false
	for _, f := range u.found {
		f.Confidence = confidence
		if f.Category == categorySupplyChain {
			f.Confidence = .9
		} else if !attack {
			if f.shape {
				f.Severity = medium
			} else {
				f.Severity = low
			}
		} else {
			ruled = true
			f.attack = true
		}
		s.keep(f)
	}
	if attack && !ruled && u.top.Rule != "" {
		f := u.top
		f.Confidence, f.attack = confidence, true
		// The model judges the text as a whole: who accepts that accepts no other text.
		f.Fingerprint = Fingerprint(hex.EncodeToString(u.words.Sum(nil)[:8]))
		if confidence >= .7 {
			f.Severity = high
		}
		s.keep(f)
	}
}

// leastBytes is the length from which a text may be flagged sooner for being short: a word or a name says nothing.
const leastBytes = 40

// class is that by which the threshold is chosen. Only what may be an instruction counts as short: a configuration has
// hundreds of short texts, and what JSON holds is judged apart from its braces and names.
func (u *unit) class() model.Class {
	c := u.doc.Class()
	container := u.view == "" && strings.HasSuffix(strings.ToLower(u.file), ".json")
	if c == model.Short && (container || u.folded < leastBytes || u.role != RolePrompt && u.role != RoleSkill) {
		return model.Middle
	}
	return c
}

// How much lower the threshold is where instructions have no place; in a document a rule must have found something too,
// since the words in which a cautious setup is described are near those of an attack.
const (
	documentsShift = .3
	hiddenShift    = .3
	leastLetters   = 24  // below that the model alone, without any rule's find, has nothing to go by
	decidedMargin  = 1.5 // what a rule that decides is worth, in log-odds above the threshold
)

// keep adds a finding, unless it is a repetition or there are too many.
func (s *Scanner) keep(f Finding) {
	key := f.Rule + "\x00" + string(f.Fingerprint) + "\x00" + f.File + "\x00" + f.Path
	if f.View == "" {
		key += "\x00" + string(rune(f.Line)) + "\x00" + string(rune(f.Column))
	}
	if s.seen[key] {
		return
	}
	limit := maxPerRule
	if f.attack {
		limit *= 2
	}
	if s.perRule[f.Rule] >= limit || len(s.findings) >= maxFindings {
		// The verdict counts whatever is kept: one more attack replaces a finding that says less.
		if f.attack {
			for i := range s.findings {
				if !s.findings[i].attack {
					s.findings[i] = f
					s.left++
					return
				}
			}
		}
		s.left++
		return
	}
	s.seen[key] = true
	s.perRule[f.Rule]++
	for _, a := range s.options.Accepted {
		f.Accepted = f.Accepted || a == f.Fingerprint
	}
	s.findings = append(s.findings, f)
}

func cut(phrase string) string {
	if utf8.RuneCountInString(phrase) <= maxPhraseLength {
		return phrase
	}
	return string([]rune(phrase)[:maxPhraseLength])
}
