package rules

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the rules
	"encoding/hex"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"stoa/internal/market/scan/normal"
)

//go:embed rules.yaml
var rulesText []byte

// How much one find says alone.
const (
	Strong = "strong"
	Some   = "some"
	Little = "little"
)

// Rule is one thing to look for; see rules.yaml for what its fields mean.
type Rule struct {
	ID         string   `yaml:"id"`
	Family     string   `yaml:"family"`
	Category   string   `yaml:"category"`
	Severity   string   `yaml:"severity"`
	Weight     string   `yaml:"weight"`
	Decides    string   `yaml:"decides"`
	Concepts   []string `yaml:"concepts"`
	Span       int      `yaml:"span"`
	Negated    string   `yaml:"negated"`
	Unless     []string `yaml:"unless"`
	Literals   []string `yaml:"literals"`
	Pattern    string   `yaml:"pattern"`
	Needs      []string `yaml:"needs"`
	Reach      int      `yaml:"reach"`
	PublicHost bool     `yaml:"public_host"`
	Part       bool     `yaml:"part"`
	Combines   []string `yaml:"combines"`
	Why        string   `yaml:"why"`
	Advice     string   `yaml:"advice"`
	Examples   []string `yaml:"examples"`
	NearMisses []string `yaml:"near_misses"`

	need              []uint64 // one set of concepts per place
	unless            uint64
	negated           int // place in need, or -1
	pattern, anywhere *regexp.Regexp
	needs             [][]byte
	host              int   // the group that holds the host
	combinations      []int // rules that combine this part with others
	parts             []int // what a combination needs
}

// Set is all rules, ready to match.
type Set struct {
	Rules []Rule
	trie  *trie
	root  [256]uint32
}

// firstLiteral is where the meanings of the trie stop being concepts and start being rules.
const firstLiteral = 256

// Load reads the embedded rules, once.
var Load = sync.OnceValue(func() *Set {
	s := &Set{}
	b := &builder{}
	readLexicon(b)
	if err := yaml.Unmarshal(rulesText, &s.Rules); err != nil {
		panic("rules.yaml: " + err.Error())
	}
	for i := range s.Rules {
		r := &s.Rules[i]
		r.negated = -1
		for n, names := range r.Concepts {
			set := uint64(0)
			for name := range strings.SplitSeq(names, "/") {
				set |= bit(r.ID, name)
			}
			r.need = append(r.need, set)
			if r.Negated != "" && set&bit(r.ID, r.Negated) != 0 {
				r.negated = n
			}
		}
		for _, name := range r.Unless {
			r.unless |= bit(r.ID, name)
		}
		if r.Pattern != "" {
			if r.Reach == 0 {
				r.Reach = usualReach
			}
			r.pattern = regexp.MustCompile(`\A(?:` + r.Pattern + `)`)
			edge := `\b`
			for _, word := range r.Literals {
				if !begins([]byte(word), 0) || class[word[0]]&isWord == 0 {
					edge = ""
				}
			}
			r.anywhere = regexp.MustCompile(edge + `(?:` + r.Pattern + `)`)
			r.host = r.pattern.SubexpIndex("host")
			for _, n := range r.Needs {
				r.needs = append(r.needs, []byte(n))
			}
			for _, word := range r.Literals {
				b.add(normal.String(word), false, uint16(firstLiteral+i))
			}
		}
	}
	s.combine()
	s.trie = b.build()
	for c := range 256 {
		s.root[c] = s.trie.child(0, byte(c))
	}
	return s
})

// combine links the rules that combine parts with their parts.
func (s *Set) combine() {
	index := map[string]int{}
	for i := range s.Rules {
		index[s.Rules[i].ID] = i
	}
	for i := range s.Rules {
		for _, id := range s.Rules[i].Combines {
			n, ok := index[id]
			if !ok || !s.Rules[n].Part {
				panic(fmt.Sprintf("rules.yaml: %s: no part %q", s.Rules[i].ID, id))
			}
			s.Rules[i].parts = append(s.Rules[i].parts, n)
			s.Rules[n].combinations = append(s.Rules[n].combinations, i)
		}
	}
}

func bit(rule, concept string) uint64 {
	c, ok := concepts[concept]
	if !ok {
		panic(fmt.Sprintf("rules.yaml: %s: no concept %q", rule, concept))
	}
	return 1 << c
}

// Hit is a word of a concept.
type Hit struct {
	Concept    Concept
	Start, End int
}

// Match is a find of a rule. A Mention is one in a sentence that speaks about it or forbids it.
type Match struct {
	Rule       int
	Start, End int
	Mention    bool
}

const (
	maxSentence = 400 // bytes
	maxHits     = 64  // per sentence
	maxVain     = 16  // runs of a pattern in one text before its literals are taken together
	warnReach   = 160 // bytes after a word of warning in which a command is taken for an example
	usualReach  = 320 // bytes from its literal on that a pattern sees
)

// Scratch is what a run of Match uses again and again.
type Scratch struct {
	hits []Hit
	busy []int   // per rule of shape: where its last find ended
	vain []int   // and how often its pattern ran
	last []Match // the last find of each part
}

// Match reads folded text. sentence gets the concepts of each sentence that has any, found each find of a rule.
func (s *Set) Match(b []byte, scratch *Scratch, sentence func(hits []Hit), found func(Match)) {
	if scratch.busy == nil {
		scratch.busy, scratch.vain, scratch.last = make([]int, len(s.Rules)), make([]int, len(s.Rules)), make([]Match, len(s.Rules))
	}
	clear(scratch.last)
	clear(scratch.vain)
	clear(scratch.busy)
	hits := scratch.hits[:0]
	start := 0
	flush := func(end int) {
		if len(hits) > 0 {
			sentence(hits)
			s.concepts(hits, found)
			hits = hits[:0]
		}
		start = end
	}
	warns, warned := concepts["warns"], -1
	meaning := func(i int) func(uint16, int) {
		return func(m uint16, end int) {
			if m == uint16(warns) {
				warned = i
			}
			if m >= firstLiteral {
				s.shape(b, int(m-firstLiteral), i, warned >= 0 && i-warned < warnReach, scratch, found)
			} else if len(hits) < maxHits {
				hits = append(hits, Hit{Concept(m), i, end})
			}
		}
	}
	for i := 0; i < len(b); i++ {
		c := b[i]
		if s.root[c] != 0 && begins(b, i) {
			s.trie.walk(b, i, &s.root, meaning(i))
		}
		switch {
		case class[c]&isBreak != 0,
			c == '.' && (i+1 == len(b) || b[i+1] == ' ' || b[i+1] >= 0xe0) && i > 0 && b[i-1] != '.',
			c == 0x82 && i >= 2 && b[i-1] == 0x80 && b[i-2] == 0xe3, // 。
			i-start > maxSentence && (c == ' ' || c >= 0xe0):
			flush(i + 1)
		}
	}
	flush(len(b))
	scratch.hits = hits
}

// shape runs the pattern of a rule from its literal at i on.
func (s *Set) shape(b []byte, rule, i int, mention bool, scratch *Scratch, found func(Match)) {
	if i < scratch.busy[rule] {
		return
	}
	r := &s.Rules[rule]
	reach := b[i:min(len(b), i+r.Reach)]
	if !r.possible(reach) {
		return
	}
	pattern := r.pattern
	if scratch.vain[rule]++; scratch.vain[rule] > maxVain {
		pattern = r.anywhere // one run for all literals in reach: a text that is full of them must not cost more
	}
	m := pattern.FindSubmatchIndex(reach)
	if m == nil {
		if pattern == r.anywhere {
			scratch.busy[rule] = i + r.Reach/2
		}
		return
	}
	i += m[0]
	for k := range m {
		if m[k] >= 0 && k > 0 {
			m[k] -= m[0]
		}
	}
	m[0] = 0
	if r.PublicHost && r.host > 0 && !public(string(b[i+m[2*r.host]:i+m[2*r.host+1]])) {
		return
	}
	scratch.busy[rule] = i + m[1]
	match := Match{Rule: rule, Start: i, End: i + m[1], Mention: mention}
	if !r.Part {
		found(match)
		return
	}
	scratch.last[rule] = match
	for _, c := range r.combinations {
		s.combination(c, match, scratch, found)
	}
}

// combination reports a rule whose parts all stand within its reach of the last one.
func (s *Set) combination(rule int, last Match, scratch *Scratch, found func(Match)) {
	r := &s.Rules[rule]
	m := Match{Rule: rule, Start: last.Start, End: last.End, Mention: true} // unless a part is none
	for _, p := range r.parts {
		part := scratch.last[p]
		if part.End == 0 || last.End-part.Start > r.Reach {
			return
		}
		m.Start = min(m.Start, part.Start)
		m.Mention = m.Mention && part.Mention
	}
	if m.Start < scratch.busy[rule] {
		return
	}
	scratch.busy[rule] = m.End
	found(m)
}

// possible tells whether one of the literals that the pattern needs is there.
func (r *Rule) possible(reach []byte) bool {
	for _, n := range r.needs {
		if bytes.Contains(reach, n) {
			return true
		}
	}
	return len(r.needs) == 0
}

// public tells whether a host is one that strangers run: no loopback, private or documentation name, no namespace.
func public(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return !a.IsLoopback() && !a.IsPrivate() && !a.IsUnspecified() && !a.IsLinkLocalUnicast()
	}
	for _, name := range []string{"localhost", "www.w3.org", "json-schema.org", "schemas.", "xmlns.com", "purl.org", "host.docker.internal", "ns.adobe.com", "www.apache.org"} {
		if strings.HasPrefix(host, name) {
			return false
		}
	}
	if !strings.Contains(host, ".") || strings.ContainsAny(host, "{$<[") {
		return false // a name of the local network, or a place for one
	}
	for _, end := range []string{".local", ".localhost", ".internal", ".lan", ".test", ".invalid"} {
		if strings.HasSuffix(host, end) {
			return false
		}
	}
	return true
}

// concepts matches the rules of concepts against the words of one sentence.
func (s *Set) concepts(hits []Hit, found func(Match)) {
	var all uint64
	for _, h := range hits {
		all |= 1 << h.Concept
	}
next:
	for n := range s.Rules {
		r := &s.Rules[n]
		if len(r.need) == 0 {
			continue
		}
		for _, set := range r.need {
			if all&set == 0 {
				continue next
			}
		}
		if m, ok := r.find(hits); ok {
			m.Rule = n
			m.Mention = m.Mention || all&r.unless != 0
			found(m)
		}
	}
}

// find looks for the shortest stretch of a sentence that has all that a rule needs. Words that begin at the same
// place count once.
func (r *Rule) find(hits []Hit) (best Match, ok bool) {
	negatedAll := true
	for first := range hits {
		var taken [8]Hit
		missing := (1 << len(r.need)) - 1
		end := 0
		lastStart := -1
		for _, h := range hits[first:] {
			if h.Start-hits[first].Start > r.Span {
				break
			}
			if h.Start == lastStart {
				continue
			}
			for p, set := range r.need {
				if missing&(1<<p) != 0 && set&(1<<h.Concept) != 0 {
					missing &^= 1 << p
					taken[p] = h
					end = max(end, h.End)
					lastStart = h.Start
					break
				}
			}
			if missing == 0 {
				break
			}
			if h.Start > hits[first].Start && missing == 1<<len(r.need)-1 {
				break // the stretch must begin with something that is needed
			}
		}
		if missing != 0 || end-hits[first].Start > r.Span {
			continue
		}
		negated := r.negated >= 0 && isNegated(hits, taken[r.negated])
		if !ok || end-hits[first].Start < best.End-best.Start {
			best, ok = Match{Start: hits[first].Start, End: end}, true
		}
		negatedAll = negatedAll && negated
	}
	best.Mention = ok && negatedAll && r.negated >= 0
	return best, ok
}

// isNegated tells whether a negation stands right before a word, or right after it where verbs come last.
func isNegated(hits []Hit, word Hit) bool {
	neg := concepts["neg"]
	for _, h := range hits {
		if h.Concept != neg || h.Start >= word.Start && h.Start < word.End || h.Start < word.Start && h.End > word.Start {
			continue
		}
		if h.End <= word.Start && word.Start-h.End <= 18 {
			return true
		}
		if h.Start >= word.End && h.Start-word.End <= 15 && h.End-h.Start >= 6 {
			return true // ないで, ません, 않: three bytes a character
		}
	}
	return false
}

// Digest names the rules and words that are embedded.
func Digest() string {
	sum := sha256.Sum256(append([]byte(lexiconText), rulesText...))
	return hex.EncodeToString(sum[:])
}
