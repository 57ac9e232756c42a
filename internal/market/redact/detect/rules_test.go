package detect

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// sampled makes a text that an expression matches; most bounds how often what may be repeated without end is repeated.
func sampled(r *rand.Rand, t *syntax.Regexp) string {
	var b strings.Builder
	times := func(low, high int) {
		for range low + r.IntN(max(high-low, 0)+1) {
			b.WriteString(sampled(r, t.Sub[0]))
		}
	}
	switch t.Op {
	case syntax.OpLiteral:
		b.WriteString(string(t.Rune))
	case syntax.OpCharClass:
		for { // printable, and not always the first range
			i := 2 * r.IntN(len(t.Rune)/2)
			low, high := t.Rune[i], min(t.Rune[i+1], 0x7e)
			if low > 0x7e {
				continue
			}
			c := low + rune(r.IntN(int(high-low)+1))
			if c >= ' ' || high < ' ' {
				b.WriteRune(c)
				break
			}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('.') // that is what it was meant for, wherever nothing more is said
	case syntax.OpStar:
		times(0, 40)
	case syntax.OpPlus:
		times(1, 40)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		high := t.Max
		switch {
		case high < 0:
			high = t.Min + 40
		case t.Min == 0: // what fills up a name: behind a keyword that is shorter than it there is room for less
			high = min(high, 5)
		}
		times(t.Min, high)
	case syntax.OpCapture:
		b.WriteString(sampled(r, t.Sub[0]))
	case syntax.OpConcat:
		for _, s := range t.Sub {
			b.WriteString(sampled(r, s))
		}
	case syntax.OpAlternate:
		b.WriteString(sampled(r, t.Sub[r.IntN(len(t.Sub))]))
	}
	return b.String()
}

// What a rule matches anywhere in a text is found although the rule is tried near its keywords alone: for each rule, texts that it
// matches are drawn, set between others, and what its expression finds in the whole must be covered.
func TestRulesFindWhatTheyMatch(t *testing.T) {
	e := New() // no rule of it was prepared, so its groups are counted as gitleaks counts them
	e.load()
	tried, refused := 0, 0
	for n, rule := range e.rules {
		group := rule.SecretGroup
		rule.prepare()
		if rule.Path != "" || rule.ID == "nytimes-access-token" { // one of its names ends in a comma, which is an operator as well
			continue
		}
		whole := regexp.MustCompile(rule.Regex)
		tree, err := syntax.Parse(rule.Regex, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(uint64(n), seed))
			sample := sampled(r, tree)
			text := []string{"see ", "", "x = \"", "first line\n"}[seed%4] + sample + []string{" there", "", "\"; y", "\nlast line, é"}[r.IntN(4)]
			spans := e.Scan(text, "", 0, nil)
			for _, at := range whole.FindAllStringSubmatchIndex(text, -1) {
				start, end := at[0], at[1]
				for i := 2; i < len(at); i += 2 {
					if at[i] >= 0 && at[i] < at[i+1] {
						start, end = at[i], at[i+1]
						break
					}
				}
				if group > 0 {
					start, end = at[2*group], at[2*group+1]
				}
				secret := strings.TrimRight(text[start:end], "-_.") // which may as well end a sentence
				if secret == "" || secret[0] == '=' || !slices.ContainsFunc(rule.Keywords, func(k string) bool { return strings.Contains(strings.ToLower(text), k) }) {
					continue // a sign of the operator, or a rule that asks for a name that does not stand here
				}
				judged := &scanning{e: e, text: text}
				judged.judge(rule, start, end, at[0], at[1])
				end = start + len(secret)
				if len(judged.spans) == 0 {
					refused++
					continue
				}
				tried++
				covered := false
				for _, s := range spans {
					covered = covered || s.Start <= start && end <= s.End
				}
				if !covered {
					t.Errorf("%s: %q is not found in %q", rule.ID, secret, text)
				} else {
					found++
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: nothing was drawn that counts", rule.ID)
		}
	}
	t.Logf("%d matches are found, %d do not count", tried, refused)
}
