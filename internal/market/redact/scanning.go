package redact

import (
	"cmp"
	"slices"
	"strings"
)

// span is a piece of a text that holds a secret. Values are the secrets in it that are worth searching for elsewhere.
type span struct {
	start, end int
	rule, why  string
	values     []string
}

// scanning is the work on one text.
type scanning struct {
	e     *Engine
	text  string
	file  string // its name, for rules that ask for one
	depth int    // how many encodings were taken off
	spans []span

	windows  []window
	lastOf   []int32 // per rule: its latest window + 1
	lastName int     // end of the last name that was read as one
	lastURL  int
	runFrom  int // the stretch without white space that was last measured
	runTo    int
}

// window is a stretch of the text in which a rule is tried.
type window struct {
	rule, start, end int
}

// maxDepth is how many layers of encoding are looked under.
const maxDepth = 2

// scan finds the secrets of a text. The spans come sorted and do not overlap.
func (e *Engine) scan(text, file string, depth int) []span {
	if len(text) < 6 {
		return nil
	}
	e.load()
	s, _ := e.scratch.Get().(*scanning)
	if s == nil {
		s = &scanning{e: e, lastOf: make([]int32, len(e.rules))}
	}
	s.text, s.file, s.depth, s.lastName, s.lastURL = text, file, depth, -1, -1
	s.spans, s.runFrom, s.runTo = nil, 0, 0
	e.literals.each(text, func(literal, start int) bool {
		for _, a := range e.actions[literal] {
			if a.rule < 0 {
				a.reader(s, start, start+e.literals.sizes[literal])
			} else {
				s.around(a.rule, start, start+e.literals.sizes[literal])
			}
		}
		return true
	})
	s.tryRules()
	s.runs()
	spans := join(s.text, s.spans)
	for _, w := range s.windows {
		s.lastOf[w.rule] = 0
	}
	s.windows = s.windows[:0]
	s.text, s.spans = "", nil
	e.scratch.Put(s)
	return spans
}

// around notes the stretch in which a rule could match because of a keyword at [start, end), unless a look at the
// bytes beside it says that it cannot.
func (s *scanning) around(n, start, end int) {
	r := s.e.rules[n]
	r.prepare()
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
	case r.assigned:
		if r.ID == genericRule {
			n := s.assignmentFollows(end)
			if n == 0 {
				return
			}
			to = min(to, end+n+slack)
		} else if !strings.ContainsAny(s.text[end:min(len(s.text), end+64)], "=>|:?,") {
			return
		}
		from = start - 192
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

// blankFree counts bytes up to white space, at most want.
func blankFree(text string, want int) int {
	for i := range min(want, len(text)) {
		if c := text[i]; c <= ' ' || c >= 0x80 {
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
		if c := text[len(text)-1-n]; c <= ' ' || c >= 0x80 {
			break
		}
		n++
	}
	return n
}

// assignmentFollows is a cheap necessary condition of gitleaks' generated rules: an operator near the name, and
// something long enough to be a value behind it. It gives the length up to the end of the value, 0 when there is none.
func (s *scanning) assignmentFollows(end int) int {
	text := s.text[end:]
	i := 0
	limit := min(len(text), 80)
	for i < limit && i < 24 && (wordByte(text[i]) || text[i] == ' ' || text[i] == '\t') {
		i++
	}
	for j := 0; i < limit && j < 3 && strings.IndexByte(" \t\r\n\f\v'\"", text[i]) >= 0; j++ {
		i++
	}
	if i >= limit || strings.IndexByte("=>|:?,", text[i]) < 0 {
		return 0
	}
	for i < limit && strings.IndexByte("=>|:?, \t\r\n\f\v'\"`", text[i]) >= 0 {
		i++
	}
	run := s.blankRun(end + i)
	if q := strings.IndexAny(text[i:i+min(run, 8)], "\"'"); q >= 0 || run < 8 {
		return 0
	}
	return i + run
}

func wordByte(c byte) bool { return isAlpha(c) || isDigit(c) || c == '_' || c == '-' || c == '.' }

func (s *scanning) tryRules() {
	for _, w := range s.windows {
		r := s.e.rules[w.rule]
		text := s.text[w.start:w.end]
		for _, at := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
			start, end := secretOf(r, at)
			if start < 0 || start == end {
				continue
			}
			secret := text[start:end]
			if r.Entropy > 0 && entropy(secret) <= r.Entropy {
				continue
			}
			if r.why == "" && s.allowed(r, secret, w.start+at[0], w.start+at[1]) {
				continue
			}
			if r.accept != nil && !r.accept(secret) || len(secret) < 200 && placeholder(secret) != "" {
				continue
			}
			s.add(w.start+start, w.start+end, ruleName(r), ruleWhy(r), secret)
		}
	}
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

func (s *scanning) allowed(r *rule, secret string, start, end int) bool {
	match := s.text[start:end]
	line := func() string {
		from := 1 + strings.LastIndexByte(s.text[max(0, start-maxReach):start], '\n') + max(0, start-maxReach)
		to := min(len(s.text), end+maxReach)
		if i := strings.IndexByte(s.text[end:to], '\n'); i >= 0 {
			to = end + i
		}
		return s.text[from:to]
	}
	if s.e.global.allows(secret, match, line) {
		return true
	}
	for i := range r.Allowlists {
		if r.Allowlists[i].allows(secret, match, line) {
			return true
		}
	}
	return r.ID == genericRule && s.vetoed(start, end)
}

// genericRule of gitleaks takes any name with such a word in it; ours knows the names that are harmless.
const genericRule = "generic-api-key"

func (s *scanning) vetoed(start, end int) bool {
	text := s.text[start:end]
	stop := strings.IndexAny(text, "=:>|?,")
	if stop < 0 {
		return false
	}
	name := strings.Trim(text[:stop], " \t\r\n'\"`")
	return s.e.names.of(name) == never
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
	if start >= end || maskedAlready(s.text[start:end]) {
		return
	}
	for i, v := range values {
		values[i] = strings.Clone(v)
	}
	s.spans = append(s.spans, span{start, end, rule, why, values})
}

// maskedAlready says whether a piece of text was redacted before: it holds a mark, or is a part of one, and nothing
// beside it that looks like a secret.
func maskedAlready(piece string) bool {
	rest := withoutMarks.Replace(piece)
	if rest != piece {
		return !hasRandomWord(rest)
	}
	return strings.Contains(Masked, piece) || strings.Contains(Sealed, piece) || placeholder(piece) == "is masked already"
}

// join sorts spans and unites those that overlap; the one that begins first and is longest gives the reason. A mark
// that a span would cut through is taken along.
func join(text string, spans []span) []span {
	if len(spans) < 2 {
		return widen(text, spans)
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		if s.start < last.end {
			last.end = max(last.end, s.end)
			last.values = append(last.values, s.values...)
			continue
		}
		out = append(out, s)
	}
	return widen(text, out)
}

// widen moves the ends of spans off the middle of a character.
func widen(text string, spans []span) []span {
	for i := range spans {
		s := &spans[i]
		for s.start > 0 && text[s.start]&0xC0 == 0x80 {
			s.start--
		}
		for s.end < len(text) && text[s.end]&0xC0 == 0x80 {
			s.end++
		}
	}
	return spans
}
