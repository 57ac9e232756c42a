package detect

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Span is a piece of a text that holds a secret. Values are the secrets in it that are worth searching for elsewhere.
type Span struct {
	Start, End int
	Rule, Why  string
	Values     []string
}

// scanning is the work on one text.
type scanning struct {
	e     *Engine
	text  string
	file  string // its name, for rules that ask for one
	depth int    // how many encodings were taken off
	spans []Span

	budget *Budget

	windows  []window
	lastOf   []int32 // per rule: its latest window + 1
	lastName int     // end of the last name that was read as one
	lastURL  int

	lastWorded int // end of the last key that was recognised by its word
	runFrom    int // the stretch without white space that was last measured
	runTo      int
	row        row // the line whose columns were last looked for
	commands   map[string]commandRead
}

// window is a stretch of the text in which a rule is tried.
type window struct {
	rule, start, end int
}

// MaxDepth is how many layers of encoding are looked under.
const MaxDepth = 2

// Work of the scan in units of a budget.
const (
	literalWork = 6   // per byte that is searched for literals
	readerWork  = 600 // for a reader of ours, wherever a literal sets it off
	valueWork   = 16  // per byte of a value that is judged
)

// Scan finds the secrets of a text. The spans come sorted and do not overlap. It ends early when the budget is used up.
func (e *Engine) Scan(text, file string, depth int, budget *Budget) []Span {
	if len(text) < 6 || !budget.Spend(len(text)*literalWork) {
		return nil
	}
	e.load()
	s, _ := e.scratch.Get().(*scanning)
	if s == nil {
		s = &scanning{e: e, lastOf: make([]int32, len(e.rules))}
	}
	s.text, s.file, s.depth, s.lastName, s.lastURL, s.lastWorded = text, file, depth, -1, -1, -1
	s.spans, s.runFrom, s.runTo, s.row, s.budget = nil, 0, 0, row{}, budget
	clear(s.commands)
	e.literals.each(text, func(literal, start int) bool {
		for _, a := range e.actions[literal] {
			if a.rule < 0 {
				if !budget.Spend(readerWork) {
					return false
				}
				a.reader(s, start, start+e.literals.sizes[literal])
			} else {
				s.around(a.rule, start, start+e.literals.sizes[literal])
			}
		}
		return true
	})
	if !budget.Over() {
		s.tryRules()
		s.runs()
		s.phrases()
		s.escapes()
	}
	spans := Join(s.text, s.spans)
	for _, w := range s.windows {
		s.lastOf[w.rule] = 0
	}
	s.windows = s.windows[:0]
	s.text, s.spans, s.budget = "", nil, nil
	e.scratch.Put(s)
	return spans
}

// around notes the stretch in which a rule could match because of a keyword at [start, end), unless a look at the
// bytes beside it says that it cannot. A rule for a value behind a name is tried at once.
func (s *scanning) around(n, start, end int) {
	r := s.e.rules[n]
	r.prepare()
	if r.value != nil {
		s.behind(r, start, end)
		return
	}
	if r.pattern == nil || r.path != nil && !r.path.MatchString(s.file) {
		return
	}
	from, to := start-r.reach-slack, end+r.reach+slack
	switch {
	case r.head:
		if blankFree(s.text[start:], r.headRun) < r.headRun {
			return
		}
		from = start - 4 // what a word boundary looks at
		if !r.blanks {
			to = min(to, start+s.blankRun(start)+slack)
		}
	case r.solid > 0:
		if before := blankFreeBefore(s.text[:start], r.solid); before+blankFree(s.text[start:], r.solid) < r.solid {
			return
		}
	}
	from, to = max(from, 0), min(to, len(s.text))
	if last := s.lastOf[n]; last > 0 && from <= s.windows[last-1].end {
		w := &s.windows[last-1]
		w.start, w.end = min(w.start, from), max(w.end, to)
		return
	}
	s.windows = append(s.windows, window{n, from, to})
	s.lastOf[n] = int32(len(s.windows))
}

// behind tries a rule on the value behind the name that has its keyword at [start, end).
func (s *scanning) behind(r *rule, start, end int) {
	if r.path != nil && !r.path.MatchString(s.file) {
		return
	}
	at := s.operand(end)
	if at < 0 || r.valueMin > 0 && blankFree(s.text[at:], r.valueMin) < r.valueMin {
		return
	}
	to := min(len(s.text), at+r.valueMax)
	if r.valueMin > 0 {
		to = min(to, at+s.blankRun(at)+slack)
	}
	found := r.value.FindStringSubmatchIndex(s.text[at:to])
	if found == nil {
		s.budget.Spend(readerWork / 3)
		return
	}
	s.budget.Spend(readerWork + found[1]*regexWork)
	from, stop := secretOf(r, found)
	if from < 0 || from == stop {
		return
	}
	for name := start; start > 0 && name-start < 50 && wordByte(s.text[start-1]); {
		start--
	}
	s.judge(r, at+from, at+stop, start, at+found[1])
}

// operand returns where the value behind a name that ends at end begins, -1 when no operator follows. It looks at no
// more than 32 bytes.
func (s *scanning) operand(end int) int {
	text := s.text[end:min(len(s.text), end+40)]
	i := 0
	for i < len(text) && i < 20 && (wordByte(text[i]) || text[i] == ' ' || text[i] == '\t') {
		i++
	}
	for n := 0; i < len(text) && n < 3 && strings.IndexByte(" \t\r\n\f\v'\"", text[i]) >= 0; n++ {
		i++
	}
	sign := 0
	for _, operator := range []string{":::=", "::=", ":=", "=>", "?=", "||", "=", ">", ":", ","} {
		if strings.HasPrefix(text[i:], operator) {
			sign = len(operator)
			break
		}
	}
	if sign == 0 {
		return -1
	}
	i += sign
	for n := 0; i < len(text) && n < 5 && strings.IndexByte("=` \t\r\n\f\v'\"", text[i]) >= 0; n++ {
		i++
	}
	return end + i
}

// blankFree counts bytes up to white space, at most want.
func blankFree(text string, want int) int {
	for i := range min(want, len(text)) {
		if c := text[i]; c <= ' ' || c >= utf8.RuneSelf {
			return i
		}
	}
	return min(want, len(text))
}

// blankRun gives the bytes from start on without white space, at most maxReach. It remembers the run it is in, so that
// many keywords in one long run cost no more than one.
func (s *scanning) blankRun(start int) int {
	if start < s.runFrom || start >= s.runTo || start-s.runFrom > maxReach {
		s.runFrom, s.runTo = start, start+blankFree(s.text[start:], 2*maxReach)
	}
	return min(s.runTo-start, maxReach)
}

func blankFreeBefore(text string, want int) int {
	n := 0
	for n < want && n < len(text) {
		if c := text[len(text)-1-n]; c <= ' ' || c >= utf8.RuneSelf {
			break
		}
		n++
	}
	return n
}

func wordByte(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c == '.' }

// tryRules searches the windows with their rules.
func (s *scanning) tryRules() {
	for _, w := range s.windows {
		r := s.e.rules[w.rule]
		if !s.budget.Spend((w.end - w.start) * r.work) {
			return
		}
		text := s.text[w.start:w.end]
		for _, at := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
			if start, end := secretOf(r, at); start >= 0 && start < end {
				s.judge(r, w.start+start, w.start+end, w.start+at[0], w.start+at[1])
			}
		}
	}
}

// judge notes the secret at [start, end) that a rule matched at [from, to), unless something speaks against it.
func (s *scanning) judge(r *rule, start, end, from, to int) {
	secret := s.text[start:end]
	switch {
	case r.Entropy > 0 && entropy(secret) <= r.Entropy,
		r.accept != nil && !r.accept(secret),
		len(secret) < 200 && Placeholder(secret) != "",
		r.why == "" && s.allowed(r, secret, from, to):
		return
	}
	s.add(start, end, ruleName(r), ruleWhy(r), secret)
}

// secretOf gives the group that is the secret: the named one, else the first that matched, else the whole match.
func secretOf(r *rule, at []int) (int, int) {
	if r.SecretGroup > 0 {
		return at[2*r.SecretGroup], at[2*r.SecretGroup+1]
	}
	for i := 2; i < len(at); i += 2 {
		if at[i] >= 0 && at[i] < at[i+1] {
			return at[i], at[i+1]
		}
	}
	return at[0], at[1]
}

// How much of a match and of its line the allowlists of rules are shown.
const (
	shownMatch = 160
	shownLine  = 256
)

func (s *scanning) allowed(r *rule, secret string, start, end int) bool {
	if r.ID == genericRule && (s.vetoed(start, end) || strings.Trim(secret, lettersAndSigns) == "") {
		return true
	}
	if mayBeAllowed(secret) && s.e.global.allows(secret, "", nil) {
		return true
	}
	if r.ID == genericRule && s.e.Names.Of(s.nameIn(start, end)).Masks() {
		return false // ours knows the name: gitleaks' list of harmless names has nothing to add
	}
	match := s.text[start:min(end, start+shownMatch)]
	line := func() string {
		near := max(0, start-shownLine)
		from := near + 1 + strings.LastIndexByte(s.text[near:start], '\n')
		to := min(len(s.text), end+shownLine)
		if i := strings.IndexByte(s.text[end:to], '\n'); i >= 0 {
			to = end + i
		}
		return s.text[from:to]
	}
	for i := range r.Allowlists {
		s.budget.Spend(len(match) * allowWork)
		if r.Allowlists[i].allows(secret, match, line) {
			return true
		}
	}
	return false
}

// lettersAndSigns is what gitleaks' general rule takes for words.
const lettersAndSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.-"

// mayBeAllowed is a cheap necessary condition of the global allowlist: references and paths begin with a sign, the rest
// are the words of settings and repetitions of one letter.
func mayBeAllowed(secret string) bool {
	return strings.IndexByte("${%@/{*.", secret[0]) >= 0 || secret[0]|0x20 == secret[len(secret)-1]|0x20 || strings.ContainsAny(secret, "tfnTFN") && len(secret) < 24 ||
		strings.Contains(secret, "false") || strings.Contains(secret, "014df517") || strings.Contains(secret, "abcdefghijklmnopqrstuvwxyz")
}

// genericRule of gitleaks takes any name with such a word in it; ours knows the names that are harmless.
const genericRule = "generic-api-key"

func (s *scanning) vetoed(start, end int) bool {
	name := s.nameIn(start, end)
	if name == "" {
		return false
	}
	return s.nameInText(name, start+strings.Index(s.text[start:end], name)) == Never
}

// nameIn returns the name in front of the operator of a match, "" when there is none.
func (s *scanning) nameIn(start, end int) string {
	text := s.text[start:end]
	stop := strings.IndexAny(text, "=:>|?,")
	if stop < 0 {
		return ""
	}
	return strings.Trim(text[:stop], " \t\r\n'\"`")
}

func ruleName(r *rule) string {
	if r.why == "" {
		return "gitleaks:" + r.ID
	}
	return r.ID
}

func ruleWhy(r *rule) string {
	if r.why == "" {
		return "looks like a secret of the kind " + strings.ReplaceAll(r.ID, "-", " ") + " (gitleaks rule " + r.ID + ")"
	}
	return "looks like " + r.why
}

// add notes a span, unless what it covers is masked already.
func (s *scanning) add(start, end int, rule, why string, values ...string) {
	if start >= end || MaskedAlready(s.text[start:end]) {
		return
	}
	if n := len(s.spans); n > 0 && s.spans[n-1].Rule == wordedRule && s.spans[n-1].Start == start && s.spans[n-1].End == end {
		s.spans[n-1].Rule, s.spans[n-1].Why = rule, why // a vendor's rule says more
		return
	}
	if n := len(s.spans); n > 0 && s.spans[n-1].Start <= start && end <= s.spans[n-1].End && len(values) == 1 && strings.HasSuffix(s.text[s.spans[n-1].Start:s.spans[n-1].End], values[0]) {
		return // the end of what is taken already
	}
	for i, v := range values {
		s.budget.Spend(len(v))
		values[i] = strings.Clone(v)
	}
	s.spans = append(s.spans, Span{start, end, rule, why, values})
}

// MaskedAlready says whether a piece of text was redacted before: it holds a mark, or is a part of one, and nothing
// beside it that looks like a secret.
func MaskedAlready(piece string) bool {
	rest := withoutMarks(piece)
	if rest != piece {
		return !hasRandomWord(rest)
	}
	return strings.Contains(Masked, piece) || strings.Contains(Sealed, piece) || IsMask(piece)
}

// Join sorts spans and unites those that overlap; the one that begins first and is longest gives the reason. A mark
// that a span would cut through is taken along.
func Join(text string, spans []Span) []Span {
	if len(spans) < 2 {
		return widen(text, spans)
	}
	order := func(a, b Span) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) }
	if !slices.IsSortedFunc(spans, order) {
		slices.SortStableFunc(spans, order)
	}
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if s.Start < last.End {
			last.End = max(last.End, s.End)
			last.Values = append(last.Values, s.Values...)
			continue
		}
		out = append(out, s)
	}
	return widen(text, out)
}

// widen moves the ends of spans off the middle of a character.
func widen(text string, spans []Span) []Span {
	for i := range spans {
		s := &spans[i]
		for s.Start > 0 && !utf8.RuneStart(text[s.Start]) {
			s.Start--
		}
		for s.End < len(text) && !utf8.RuneStart(text[s.End]) {
			s.End++
		}
	}
	return spans
}
