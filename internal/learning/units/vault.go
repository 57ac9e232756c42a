package units

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// What can only be told from all notes of a vault, counted along as they change.

// rules gives a digest of all that a note's units hang on besides the note: what is common in the vault, and choices.
func (v *vault) rules(choices map[string]bool) uint64 {
	var list []string
	for h := range v.headings.often {
		if v.common(h) {
			list = append(list, "h"+h)
		}
	}
	for k := range v.keys.often {
		if v.field(k) {
			list = append(list, "k"+k)
		}
	}
	for c := range v.chunks.often {
		if v.repeated(c) {
			list = append(list, fmt.Sprint("c", c))
		}
	}
	for id, learn := range choices {
		list = append(list, fmt.Sprint("d", learn, id))
	}
	slices.Sort(list)
	return maphash.String(seed, strings.Join(list, "\x00"))
}

// vault is what can only be told from all notes.
type vault struct {
	notes          int
	headings, keys tally[string]
	chunks         tally[uint64]
}

func newVault() *vault {
	return &vault{headings: newTally[string](fewNotes), keys: newTally[string](fewNotes), chunks: newTally[uint64](fewCopies)}
}

// follow counts the notes of a list in the place of those of another. What is in both, at about the same place, is not looked at.
func (v *vault) follow(was, is []*Prepared) {
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(was) > 0 && len(is) > 0 && was[0] == is[0]:
			was, is = was[1:], is[1:]
		case len(is) == 0 || len(was) > 0 && inOrder(was[0], is[0]) <= 0:
			v.count(was[0], -1)
			was = was[1:]
		default:
			v.count(is[0], 1)
			is = is[1:]
		}
	}
}

// inOrder is the order in which notes are built: by path.
func inOrder(a, b *Prepared) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID)) }

// Sort puts notes in the order in which they are built.
func Sort(list []*Prepared) { slices.SortFunc(list, inOrder) }

// Replace gives a list that is in order with others in the place of those that are gone. The list that was given stays.
func Replace(list, others []*Prepared, gone func(*Prepared) bool) []*Prepared {
	Sort(others)
	out := make([]*Prepared, 0, len(list)+len(others))
	for _, p := range list {
		if gone(p) {
			continue
		}
		for len(others) > 0 && inOrder(others[0], p) < 0 {
			out, others = append(out, others[0]), others[1:]
		}
		out = append(out, p)
	}
	return append(out, others...)
}

func (v *vault) count(p *Prepared, by int) {
	v.notes += by
	for _, h := range p.headings {
		v.headings.add(h, by)
	}
	for _, k := range p.keys {
		v.keys.add(k, by)
	}
	for _, h := range p.hashes {
		v.chunks.add(h, by)
	}
}

// tally counts in how many notes something stands; often are those in at least so many.
type tally[K comparable] struct {
	least int
	n     map[K]int
	often map[K]bool
}

func newTally[K comparable](least int) tally[K] {
	return tally[K]{least: least, n: map[K]int{}, often: map[K]bool{}}
}

func (t *tally[K]) add(k K, by int) {
	n := t.n[k] + by
	if t.n[k] = n; n == 0 {
		delete(t.n, k)
	}
	if n >= t.least {
		t.often[k] = true
	} else if by < 0 {
		delete(t.often, k)
	}
}

// A heading that stands in this many notes, and this share of them, names nothing. A paragraph or property key that
// stands in so many is not about any one of them.
const (
	fewNotes    = 8
	headingPart = .05
	fewCopies   = 5
	copiesPart  = .01
)

func (v *vault) common(heading string) bool {
	n := v.headings.n[heading]
	return n >= fewNotes && float64(n) > headingPart*float64(v.notes)
}

func (v *vault) repeated(h uint64) bool {
	n := v.chunks.n[h]
	return h != 0 && n >= fewCopies && float64(n) >= copiesPart*float64(v.notes)
}

func (v *vault) field(key string) bool {
	n := v.keys.n[key]
	return n >= fewNotes && float64(n) > headingPart*float64(v.notes)
}
