package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"

	"stoa/internal/market/redact"
)

// The pinned copy is what the pinned module holds.
func TestRulesAreCurrent(t *testing.T) {
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(target)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("gitleaks.json is stale (%v): go run .", err)
	}
}

// Whatever gitleaks' own detector finds in a field, Stoa masks: a corpus drawn from the expressions of all its rules.
func TestSameFindings(t *testing.T) {
	zerolog.SetGlobalLevel(zerolog.Disabled)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	e := redact.New()
	rules, texts, findings, missed := 0, 0, 0, 0
	for _, id := range d.Config.OrderedRules {
		rule := d.Config.Rules[id]
		if rule.Regex == nil || rule.Path != nil {
			continue // it takes a file's name: not a field
		}
		tree, err := syntax.Parse(rule.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		hit := false
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, uint64(len(rule.RuleID))))
			var b strings.Builder
			sample(r, tree, &b)
			text := b.String()
			if !slices.ContainsFunc(rule.Keywords, func(k string) bool { return strings.Contains(strings.ToLower(text), k) }) {
				text = rule.Keywords[0] + " " + text
			}
			texts++
			for _, f := range d.DetectString(text) {
				findings++
				hit = true
				result, err := e.Sections(map[string]any{"s": map[string]any{"text": text}}, redact.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if left := result.Sections["s"].(map[string]any)["text"].(string); strings.Contains(left, f.Secret) {
					missed++
					t.Errorf("%s: %q is left in %q", f.RuleID, f.Secret, left)
				}
			}
		}
		if hit {
			rules++
		} else {
			t.Logf("no sample of %s was a finding", rule.RuleID)
		}
	}
	t.Logf("%d rules, %d texts, %d findings of gitleaks, %d missed", rules, texts, findings, missed)
}

// sample draws a text that an expression matches.
func sample(r *rand.Rand, t *syntax.Regexp, b *strings.Builder) {
	switch t.Op {
	case syntax.OpLiteral:
		b.WriteString(string(t.Rune))
	case syntax.OpCharClass:
		b.WriteRune(fromClass(r, t.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcdef0123"[r.IntN(10)])
	case syntax.OpCapture:
		sample(r, t.Sub[0], b)
	case syntax.OpConcat:
		for _, s := range t.Sub {
			sample(r, s, b)
		}
	case syntax.OpAlternate:
		sample(r, t.Sub[r.IntN(len(t.Sub))], b)
	case syntax.OpQuest:
		if r.IntN(2) == 0 {
			sample(r, t.Sub[0], b)
		}
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		low, high := t.Min, t.Max
		if t.Op == syntax.OpPlus {
			low = 1
		}
		if t.Op != syntax.OpRepeat || high < 0 {
			high = low + 3
		}
		for range low + r.IntN(high-low+1) {
			sample(r, t.Sub[0], b)
		}
	}
}

func fromClass(r *rand.Rand, ranges []rune) rune {
	for range 200 {
		i := 2 * r.IntN(len(ranges)/2)
		c := ranges[i] + rune(r.IntN(int(ranges[i+1]-ranges[i])+1))
		if c >= ' ' && c < utf8.RuneSelf || c == '\n' {
			return c
		}
	}
	return ranges[0]
}

const prose = "You are a patient gardener who answers briefly and asks about climate and soil before giving advice. See https://example.com/guide for more.\n"

func BenchmarkGitleaks(b *testing.B) {
	zerolog.SetGlobalLevel(zerolog.Disabled)
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat(prose, 1<<20/len(prose))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d.DetectString(text)
	}
}

func BenchmarkStoa(b *testing.B) {
	e := redact.New()
	text := []byte(strings.Repeat(prose, 1<<20/len(prose)))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := e.NewText("a")
		_, _ = s.Write(text)
		if len(s.Findings()) > 0 {
			b.Fatal(fmt.Sprint(s.Findings()))
		}
	}
}
