package detect

import (
	_ "embed" // the rules of gitleaks
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

// The rules of gitleaks v8.30.1 (MIT, see NOTICE), written by tools/gitleaks.
//
//go:embed gitleaks.json
var gitleaksRules []byte

// rule is one pattern and when it counts. What it needs beyond its keywords is made when a keyword first appears.
type rule struct {
	ID          string      `json:"id"`
	Regex       string      `json:"regex"`
	Path        string      `json:"path"`
	SecretGroup int         `json:"secret_group"`
	Entropy     float64     `json:"entropy"`
	Keywords    []string    `json:"keywords"`
	Allowlists  []allowlist `json:"allowlists"`

	why     string // of our own rules; "" for those of gitleaks
	accept  func(secret string) bool
	once    sync.Once
	pattern *regexp.Regexp
	path    *regexp.Regexp
	reach   int  // longest match in bytes, or the cap
	head    bool // every match begins with a keyword
	headRun int  // bytes without white space that a match needs from the keyword on
	solid   int  // bytes without white space that surround the keyword in every match, 0 when there may be blanks
	blanks  bool // there may be white space inside a match

	work int // units of a budget for each byte that the pattern is tried on

	value    *regexp.Regexp // of gitleaks' shape "name operator value": what follows the operator, anchored
	valueMin int            // shortest value in bytes, 0 when there may be white space in it
	valueMax int            // longest value in bytes with what is looked at behind it
}

// allowlist is what looks like a finding of its rule and is none.
type allowlist struct {
	Condition   string   `json:"condition"`
	RegexTarget string   `json:"regex_target"`
	Paths       []string `json:"paths"`
	Regexes     []string `json:"regexes"`
	StopWords   []string `json:"stopwords"`

	once    sync.Once
	pattern *regexp.Regexp
	stop    *automaton
}

const (
	maxReach = 16 << 10 // bytes that a rule without an upper bound is given around its keyword
	slack    = 8        // for what a rule looks at beside its match
)

// The part that gitleaks puts between the name and the value in its generated rules, and what it skips before the value.
const (
	assignment = `(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`
	beforeIt   = `[\x60'"\s=]{0,5}`
)

// gitleaks reads code, where a key ends at a quote or a blank; in prose brackets, commas and other scripts follow.
const (
	strictEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	proseEnd  = `(?:[^A-Za-z0-9_-]|$)`
)

func (r *rule) prepare() {
	r.once.Do(func() {
		if r.ID != genericRule {
			r.Regex = strings.ReplaceAll(r.Regex, strictEnd, proseEnd)
		}
		if r.Path != "" {
			r.path = regexp.MustCompile(r.Path)
		}
		if rest, ok := r.namesFirst(); ok {
			r.anchored(rest)
			return
		}
		r.pattern = regexp.MustCompile(r.Regex)
		tree, err := syntax.Parse(r.Regex, syntax.Perl)
		if err != nil {
			r.reach = maxReach
			return
		}
		r.reach = min(longest(tree), maxReach)
		if r.Path != "" {
			r.reach = min(r.reach, 2048) // unbounded for blanks alone
		}
		r.work = regexWork
		if literal, _ := r.pattern.LiteralPrefix(); literal == "" && r.why == "" {
			if p, err := syntax.Compile(tree.Simplify()); err == nil {
				r.work = max(regexWork, 2*len(p.Inst))
			}
		}
		if r.reach == maxReach {
			r.work = max(r.work, 100)
		}
		r.blanks = innerBlank(tree)
		r.head, r.headRun = head(tree, r.Keywords)
		r.solid = solid(tree, r)
	})
}

// namesFirst returns the part of a rule behind the operator and reports whether the rule has gitleaks' shape with its
// keywords in front, where the name is.
func (r *rule) namesFirst() (rest string, ok bool) {
	regex := strings.ReplaceAll(r.Regex, `'"]{0,3})(?:=`, `'"]{0,3}(?:=`) // some close a group before the operator
	name, rest, ok := strings.Cut(regex, assignment)
	if !ok || !strings.HasPrefix(rest, beforeIt) {
		return "", false
	}
	flags := ""
	if strings.HasPrefix(regex, "(?i)") {
		flags = "(?i)"
	}
	name = strings.ToLower(strings.ReplaceAll(name, `\`, ""))
	for _, k := range r.Keywords {
		ok = ok && (r.ID == genericRule || nameKeywords[r.ID] != nil || strings.Contains(name, k))
	}
	return flags + strings.TrimPrefix(rest, beforeIt), ok
}

// anchored prepares a rule whose value is tried at one place alone, so that an occurrence of its name costs no more than
// its longest value.
func (r *rule) anchored(rest string) {
	r.value = regexp.MustCompile(`\A(?:` + rest + `)`)
	if r.SecretGroup > 0 { // it was counted with the groups of the name, which are not in front of the value any more
		r.SecretGroup = max(0, r.SecretGroup-(groups(r.Regex)-r.value.NumSubexp()))
	}
	r.valueMax = maxReach
	if tree, err := syntax.Parse(rest, syntax.Perl); err == nil {
		r.valueMax = min(longest(tree), maxReach) + slack
		if !innerBlank(tree) {
			r.valueMin = shortest(tree)
		}
	}
}

// groups counts what an expression captures.
func groups(regex string) int {
	tree, err := syntax.Parse(regex, syntax.Perl)
	if err != nil {
		return 0
	}
	return tree.MaxCap()
}

// innerBlank says whether white space may stand inside a match.
func innerBlank(t *syntax.Regexp) bool {
	var parts []*syntax.Regexp
	flatten(t, &parts)
	for i, p := range parts {
		if mayBeBlank(p) && ((i > 0 && i < len(parts)-1) || shortest(p) > 0) {
			return true
		}
	}
	return false
}

// longest gives the length in bytes of the longest match, at most a little over maxReach.
func longest(t *syntax.Regexp) int {
	sum := func(n int) int { return min(n, maxReach+1) }
	switch t.Op {
	case syntax.OpLiteral:
		return len(string(t.Rune))
	case syntax.OpCharClass:
		if last := t.Rune[len(t.Rune)-1]; last < utf8.RuneSelf {
			return 1
		}
		return utf8.UTFMax
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpStar, syntax.OpPlus:
		return maxReach + 1
	case syntax.OpQuest, syntax.OpCapture:
		return longest(t.Sub[0])
	case syntax.OpRepeat:
		if t.Max < 0 {
			return maxReach + 1
		}
		return sum(t.Max * longest(t.Sub[0]))
	case syntax.OpConcat:
		n := 0
		for _, s := range t.Sub {
			n = sum(n + longest(s))
		}
		return n
	case syntax.OpAlternate:
		n := 0
		for _, s := range t.Sub {
			n = max(n, longest(s))
		}
		return n
	}
	return 0
}

// head says whether every match begins with one of the keywords, and how many bytes without white space it then has.
func head(t *syntax.Regexp, keywords []string) (bool, int) {
	var parts []*syntax.Regexp
	flatten(t, &parts)
	for len(parts) > 0 && longest(parts[0]) <= utf8.UTFMax && shortest(parts[0]) == 0 { // boundaries
		parts = parts[1:]
	}
	if len(parts) == 0 || parts[0].Op != syntax.OpLiteral {
		return false, 0
	}
	first := strings.ToLower(string(parts[0].Rune))
	for _, k := range keywords {
		if !strings.HasPrefix(first, k) && !strings.HasPrefix(k, first) {
			return false, 0
		}
	}
	run := 0
	for _, p := range parts {
		if mayBeBlank(p) {
			break
		}
		run += shortest(p)
	}
	return true, run
}

// solid is the length of the shortest match of a rule whose matches hold their keyword and no white space.
func solid(t *syntax.Regexp, r *rule) int {
	plain := strings.ToLower(strings.ReplaceAll(r.Regex, `\`, ""))
	for _, k := range r.Keywords {
		if !strings.Contains(plain, k) && !tokens[r.ID] {
			return 0
		}
	}
	if innerBlank(t) {
		return 0
	}
	var parts []*syntax.Regexp
	flatten(t, &parts)
	n := 0
	for _, p := range parts {
		n += shortest(p)
	}
	return n
}

func flatten(t *syntax.Regexp, parts *[]*syntax.Regexp) {
	if t.Op == syntax.OpConcat || t.Op == syntax.OpCapture {
		for _, s := range t.Sub {
			flatten(s, parts)
		}
		return
	}
	*parts = append(*parts, t)
}

func mayBeBlank(t *syntax.Regexp) bool {
	switch t.Op {
	case syntax.OpLiteral:
		return strings.ContainsAny(string(t.Rune), " \t\r\n\f\v")
	case syntax.OpCharClass:
		for i := 0; i < len(t.Rune); i += 2 {
			for _, blank := range " \t\r\n\f\v" {
				if t.Rune[i] <= blank && blank <= t.Rune[i+1] {
					return true
				}
			}
		}
		return t.Rune[len(t.Rune)-1] >= 0x2000 && t.Rune[len(t.Rune)-2] <= 0x2000 // not what folding the case adds
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	}
	for _, s := range t.Sub {
		if mayBeBlank(s) {
			return true
		}
	}
	return false
}

func shortest(t *syntax.Regexp) int {
	switch t.Op {
	case syntax.OpLiteral:
		return len(t.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpPlus, syntax.OpCapture:
		return shortest(t.Sub[0])
	case syntax.OpRepeat:
		return t.Min * shortest(t.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, s := range t.Sub {
			n += shortest(s)
		}
		return n
	case syntax.OpAlternate:
		n := shortest(t.Sub[0])
		for _, s := range t.Sub[1:] {
			n = min(n, shortest(s))
		}
		return n
	}
	return 0
}

func (a *allowlist) prepare() {
	a.once.Do(func() {
		if len(a.Regexes) > 0 {
			a.pattern = regexp.MustCompile("(?:" + strings.Join(a.Regexes, ")|(?:") + ")")
		}
		if len(a.StopWords) > 0 {
			a.stop = newAutomaton(a.StopWords)
		}
	})
}

// allows says whether the allowlist takes a finding back. Those that also ask for a path of a build system never do.
func (a *allowlist) allows(secret, match string, line func() string) bool {
	if a.Condition == "AND" && len(a.Paths) > 0 {
		return false
	}
	a.prepare()
	if a.pattern != nil {
		target := secret
		switch a.RegexTarget {
		case "match":
			target = match
		case "line":
			target = line()
		}
		if a.pattern.MatchString(target) {
			return true
		}
	}
	found := false
	if a.stop != nil {
		a.stop.each(secret, func(int, int) bool { found = true; return false })
	}
	return found
}

// loadRules reads the rules of gitleaks and adds our own.
func loadRules() ([]*rule, *allowlist) {
	var f struct {
		Allowlist allowlist `json:"allowlist"`
		Rules     []*rule   `json:"rules"`
	}
	if err := json.Unmarshal(gitleaksRules, &f); err != nil {
		panic("redact: gitleaks.json: " + err.Error()) // embedded: the tests read it
	}
	rules := make([]*rule, 0, len(f.Rules))
	for _, r := range f.Rules {
		if replaced[r.ID] {
			continue
		}
		if names := nameKeywords[r.ID]; names != nil {
			r.Keywords = names
		}
		rules = append(rules, r)
	}
	return append(rules, ownRules()...), &f.Allowlist
}

// replaced are rules of gitleaks that look at several lines around each keyword, or take every number of a kind in a text
// that names a vendor. The readers of forms.go and the table of vendorkeys.go take their place.
var replaced = SetOf("curl-auth-header", "curl-auth-user", "kubernetes-secret-yaml", "airtable-personnal-access-token", "facebook-access-token")

// tokens are rules whose keywords are parts of every match, though their expressions do not spell them out.
var tokens = SetOf("authress-service-client-access-key", "stripe-access-token", "harness-api-key", "slack-webhook-url", "sidekiq-sensitive-url")

// nameKeywords are the names in rules of gitleaks whose keywords are parts of the value or shorter than the name. With
// them such a rule is tried behind its name alone.
var nameKeywords = map[string][]string{
	"atlassian-api-token":         {"atlassian", "confluence", "jira"},
	"cloudflare-origin-ca-key":    {"v1.0-"},
	"gocardless-api-token":        {"gocardless"},
	"intra42-client-secret":       {"s-s4t2ud-", "s-s4t2af-"},
	"sourcegraph-access-token":    {"sgp_"},
	"lob-api-key":                 {"lob"},
	"lob-pub-api-key":             {"lob"},
	"new-relic-browser-api-token": {"newrelic", "new-relic", "new_relic"},
	"new-relic-insert-key":        {"newrelic", "new-relic", "new_relic"},
	"new-relic-user-api-key":      {"newrelic", "new-relic", "new_relic"},
	"typeform-api-token":          {"typeform"},
	"linkedin-client-id":          {"linkedin", "linked_in", "linked-in"},
	"linkedin-client-secret":      {"linkedin", "linked_in", "linked-in"},
	"messagebird-api-token":       {"messagebird", "message-bird", "message_bird"},
	"messagebird-client-id":       {"messagebird", "message-bird", "message_bird"},
	"privateai-api-token":         {"privateai", "private_ai", "private-ai"},
}
