package mastery

import (
	"cmp"
	"slices"
)

// Intensity is how much one or few errors stand out on an atom: the three largest tag counts over the number of
// observations, 0 to 1 (field facts 2.4).
func (a *Atom) Intensity() float64 {
	sum := uint64(0)
	for i, t := range a.Tags.Ranked() {
		if i < 3 {
			sum += t.Count
		}
	}
	return min(float64(sum)/float64(max(1, a.Observations)), 1)
}

// DominantTag is the most frequent error tag, of equals the latest; "" if there is none.
func (a *Atom) DominantTag() string {
	if ranked := a.Tags.Ranked(); len(ranked) > 0 {
		return ranked[0].Name
	}
	return ""
}

// actionKinds are the kinds of action that help against an error, best first (field facts 2.4).
var actionKinds = map[string][3]string{
	TagConceptBoundary:  {"review", "explain", "counterexample"},
	"causal_confusion":  {"review", "explain", "quiz"},
	"prerequisite_gap":  {"review", "quiz", "transfer"},
	"evidence_mismatch": {"review", "reflection", "quiz"},
	"retrieval_failure": {"quiz", "review", "reflection"},
	"transfer_failure":  {"transfer", "counterexample", "review"},
	"reasoning_jump":    {"explain", "reflection", "counterexample"},
	TagIncorrectAnswer:  {"quiz", "review", "explain"},
	TagSkipped:          {"review", "quiz", "reflection"},
	"":                  {"review", "quiz", "explain"},
}

// ActionKinds gives three kinds of action against an error tag, best first; "" asks for an atom without errors.
func ActionKinds(tag string) [3]string {
	if kinds, ok := actionKinds[tag]; ok {
		return kinds
	}
	return [3]string{"review", "explain", "quiz"}
}

// Misconception is one error tag over a person's atoms.
type Misconception struct {
	Tag                    string
	Count                  uint64
	AtomIDs                []string // sorted
	AverageMastery         float64  // over those atoms, 0 to 1
	LastSeenAt             int64    // microseconds since 1970 UTC; 0 unknown
	FrequencyFactor        float64  // count/(count+5)
	Severity               float64  // .65·frequency + .35·(1 - average mastery), 0 to 1
	RecommendedActionKinds [3]string
}

// Misconceptions gathers the error tags of atoms, the most severe first, then by count, then the latest (field facts
// 2.5). mastery gives an atom's probability. Give it the atoms that are asked for.
func Misconceptions(atoms map[string]*Atom, mastery func(atomID string) float64) []Misconception {
	byTag := map[string]*Misconception{}
	for id, a := range atoms {
		for _, t := range a.Tags {
			m := byTag[t.Name]
			if m == nil {
				m = &Misconception{Tag: t.Name, RecommendedActionKinds: ActionKinds(t.Name)}
				byTag[t.Name] = m
			}
			m.Count += t.Count
			m.AtomIDs = append(m.AtomIDs, id)
			m.LastSeenAt = max(m.LastSeenAt, t.At)
		}
	}
	found := make([]Misconception, 0, len(byTag))
	for _, m := range byTag {
		slices.Sort(m.AtomIDs)
		for _, id := range m.AtomIDs {
			m.AverageMastery += mastery(id) / float64(len(m.AtomIDs))
		}
		m.FrequencyFactor = float64(m.Count) / float64(m.Count+5)
		m.Severity = 0.65*m.FrequencyFactor + 0.35*(1-m.AverageMastery)
		found = append(found, *m)
	}
	slices.SortFunc(found, func(a, b Misconception) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.Count, a.Count),
			cmp.Compare(b.LastSeenAt, a.LastSeenAt), cmp.Compare(a.Tag, b.Tag))
	})
	return found
}
