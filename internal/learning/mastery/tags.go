package mastery

import (
	"cmp"
	"slices"
	"strings"

	"stoa/internal/learning/mastery/wire"
)

// Tag is an error tag of one person and atom.
type Tag struct {
	Name  string
	Count uint64
	At    int64 // latest, microseconds since 1970 UTC; 0 unknown
}

// Tags are sorted by name, at most maxTags of them.
type Tags []Tag

const (
	maxTags    = 24
	maxTagName = 64
	maxPerTime = 8 // tags of one observation
)

// The tags of the field facts that models give themselves.
const (
	TagConceptBoundary = "concept_boundary"
	TagIncorrectAnswer = "incorrect_answer"
	TagSkipped         = "skipped"
)

// tags gives an observation's tags: lower-cased, each once, the outcome's default if it has none. A right answer has none.
func (o *Observation) tags() []string {
	if o.Outcome == Correct {
		return nil
	}
	var names []string
	for _, name := range o.Tags {
		name = strings.ToValidUTF8(strings.ToLower(strings.TrimSpace(name)), "")
		if name != "" && len(name) <= maxTagName && len(names) < maxPerTime && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if names != nil {
		return names
	}
	switch o.Outcome {
	case Partial:
		return []string{TagConceptBoundary}
	case Skipped:
		return []string{TagSkipped}
	default:
		return []string{TagIncorrectAnswer}
	}
}

// add counts a tag. Beyond maxTags the rarest other one goes, of equals the one not seen longest, then by name.
func (t *Tags) add(name string, at int64) {
	i, found := slices.BinarySearchFunc(*t, name, func(x Tag, name string) int { return cmp.Compare(x.Name, name) })
	if !found {
		*t = slices.Insert(*t, i, Tag{Name: name})
	}
	(*t)[i].Count++
	(*t)[i].At = max((*t)[i].At, at)
	if len(*t) <= maxTags {
		return
	}
	drop := -1
	for k, x := range *t {
		if k != i && (drop < 0 || cmp.Or(cmp.Compare(x.Count, (*t)[drop].Count), cmp.Compare(x.At, (*t)[drop].At)) < 0) {
			drop = k
		}
	}
	*t = slices.Delete(*t, drop, drop+1)
}

// Ranked gives the tags, the most frequent first, of equals the latest.
func (t Tags) Ranked() []Tag {
	ranked := slices.Clone(t)
	slices.SortFunc(ranked, func(a, b Tag) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.At, a.At), cmp.Compare(a.Name, b.Name))
	})
	return ranked
}

func (t Tags) put(w *wire.Writer) {
	w.Uint(uint64(len(t)))
	for _, x := range t {
		w.String(x.Name)
		w.Uint(x.Count)
		w.Int(x.At)
	}
}

func (t *Tags) take(r *wire.Reader) {
	for range r.Count(maxTags) {
		x := Tag{r.String(maxTagName), r.Uint(), r.Int()}
		if n := len(*t); n > 0 && (*t)[n-1].Name >= x.Name {
			r.Fail()
		}
		*t = append(*t, x)
	}
}
