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
				if len(judged.spans) > 0 {
					by, why := judged.spans[0].Rule, judged.spans[0].Why
					if rule.why == "" && (by != "gitleaks:"+rule.ID || !strings.HasSuffix(why, "(gitleaks rule "+rule.ID+")")) || rule.why != "" && (by != rule.ID || why != "looks like "+rule.why) {
						t.Errorf("%s is told as %s: %s", rule.ID, by, why)
					}
				}
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

func parsed(t *testing.T, regex string) *syntax.Regexp {
	tree, err := syntax.Parse(regex, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// What the expressions of rules say about their matches: the shortest and the longest in bytes, and whether white space may stand inside.
func TestMeasuresOfExpressions(t *testing.T) {
	for _, c := range []struct {
		regex             string
		shortest, longest int
		blanks            bool
	}{
		{"abc", 3, 3, false},
		{"[a-f0-9]{8}", 8, 8, false},
		{"[a-f]{2,5}x?", 2, 6, false},
		{"é", 1, 2, false},
		{"[é-ü]", 1, 4, false},
		{"[a-z]é", 2, 3, false},
		{".", 1, 4, true},
		{"(?s).x", 2, 5, true},
		{"a b", 3, 3, true},
		{"a\tb", 3, 3, true},
		{"a[ -z]b", 3, 3, true},
		{"a[\\x00-\t]b", 3, 3, true},
		{"a[\\x0d-\\x1f]b", 3, 3, true},
		{"a[!-z]b", 3, 3, false},
		{"[^a]b[^a]", 3, 9, true},
		{"\\s?ab\\s?", 2, 4, false},
		{"a\\s?b", 2, 3, true},
		{"(a|bcd)(?:ef|g)", 2, 5, false},
		{"(?:ab|c)(?:d|ef)", 2, 4, false},
		{"a+", 1, maxReach + 1, false},
		{"a*b", 1, maxReach + 1, false},
		{"a{3,}", 3, maxReach + 1, false},
		{"(?:ab){3}", 6, 6, false},
		{"a{1000}", 1000, 1000, false},
		{"^ab$", 2, 2, false},
		{"(?i)sk", 2, 2, false},
		{"", 0, 0, false},
		{"(?i)[k-l]m", 2, 5, false},
		{"[a-z\\x{2000}-\\x{2001}]b", 2, 5, true},
	} {
		tree := parsed(t, c.regex)
		if n := shortest(tree); n != c.shortest {
			t.Errorf("%s: shortest %d", c.regex, n)
		}
		if n := longest(tree); n != c.longest && n != c.longest+1 { // a sign of Unicode that folds to a letter is counted or not
			t.Errorf("%s: longest %d", c.regex, n)
		}
		if b := innerBlank(tree); b != c.blanks {
			t.Errorf("%s: blanks inside %v", c.regex, b)
		}
	}
	for _, c := range []struct {
		regex    string
		keywords string
		head     bool
		run      int
	}{
		{"sk_[a-z]{4}", "sk_", true, 7},
		{"\\b(sk_[a-z]{4})", "sk_", true, 7},
		{"(?:^|x)?sk_[a-z]{4}", "sk_", true, 7},
		{"SK_[a-z]{4}", "sk_", true, 7},
		{"sk_[a-z]{4} x", "sk_", true, 7},
		{"sk_", "sk_live", true, 3},
		{"a[a-z]{4}", "a b", false, 0},
		{"[a-z]sk_", "sk_", false, 0},
		{"\\b", "sk_", false, 0},
		{"ab", "sk_", false, 0},
		{"", "sk_", false, 0},
		{"x{0,5}sk_", "sk_", false, 0},
	} {
		if h, run := head(parsed(t, c.regex), strings.Fields(c.keywords)); h != c.head || run != c.run {
			t.Errorf("%s: head %v, %d", c.regex, h, run)
		}
	}
	for _, c := range []struct {
		regex, id, keyword string
		want               int
	}{{"x[a-z]{3}key[0-9]{4}", "", "key", 11}, {"x[a-z]{3}k\\.y", "", "k.y", 7}, {"x[a-z]{3}", "", "key", 0}, {"x[a-z]{3}", "stripe-access-token", "key", 4}, {"x key", "", "key", 0}} {
		if n := solid(parsed(t, c.regex), &rule{ID: c.id, Regex: c.regex, Keywords: []string{c.keyword}}); n != c.want {
			t.Errorf("%s: solid %d", c.regex, n)
		}
	}
}

func TestAllowlists(t *testing.T) {
	for name, c := range map[string]struct {
		list         *allowlist
		secret, line string
		want         bool
	}{
		"a word":                   {&allowlist{StopWords: []string{"test"}}, "xTESTx", "", true},
		"another word":             {&allowlist{StopWords: []string{"test"}}, "xtesx", "", false},
		"of the secret":            {&allowlist{Regexes: []string{"^a+$", "^b$"}}, "aaa", "", true},
		"the second":               {&allowlist{Regexes: []string{"^a+$", "^b$"}}, "b", "", true},
		"of no secret":             {&allowlist{Regexes: []string{"^a+$"}}, "aab", "aaa", false},
		"of the match":             {&allowlist{Regexes: []string{"match"}, RegexTarget: "match"}, "a", "", true},
		"of the line":              {&allowlist{Regexes: []string{"whole"}, RegexTarget: "line"}, "a", "the whole line", true},
		"of another line":          {&allowlist{Regexes: []string{"whole"}, RegexTarget: "line"}, "whole", "the line", false},
		"a word besides":           {&allowlist{Regexes: []string{"b"}, StopWords: []string{"a"}}, "a", "", true},
		"of a build system's file": {&allowlist{Regexes: []string{"a"}, Condition: "AND", Paths: []string{"x"}}, "a", "", false},
		"both, without a file":     {&allowlist{Regexes: []string{"a"}, Condition: "AND"}, "a", "", true},
		"either":                   {&allowlist{Regexes: []string{"a"}, Paths: []string{"x"}}, "a", "", true},
		"nothing":                  {&allowlist{}, "a", "", false},
	} {
		if got := c.list.allows(c.secret, "the match", func() string { return c.line }); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	shared.load()
	checkEach(t, "taken back by gitleaks' own list", func(v string) bool { return mayBeAllowed(v) && shared.global.allows(v, "", nil) },
		[]string{"true", "False", "null", "${X}", "$X", "%X%", "{{ x }}", "/usr/local/bin/x.sh", "abcdefghijklmnopqrstuvwxyz", "014df517-39d1-4453-b7b3-9930c563627c", "aaaaaaa"}, []string{"{a24}", "{h32}", "{p12}"})
	// What the quick look passes over, the list itself does not take back.
	for _, row := range []string{"{a24}", "{h32}", "{l40}", "{w60}", "{p12}", "{d8}"} {
		if v := filled(row); !mayBeAllowed(v) && shared.global.allows(v, "", nil) {
			t.Errorf("%q is passed over", v)
		}
	}
	checkMarked(t, []marked{
		{"gitleaks:generic-api-key", "gateway_keyval_key = ⟦{l24}⟧"},
		{"", "gateway_key = \"abcdefghijklmnopqrstuvwxyz\""},
		{"", "public_key = \"{l24}\""},
		{"", "key_size = {l24}"},
	})
}
