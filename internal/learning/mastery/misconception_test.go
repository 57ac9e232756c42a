package mastery_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/learning/mastery"
)

func TestMisconceptions(t *testing.T) {
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	at := func(i int) time.Time { return time.Unix(1.7e9+int64(i), 0) }
	see := func(i int, atom string, o mastery.Outcome, tags ...string) {
		e.Learn(p, l, mastery.Observation{AtomID: atom, Outcome: o, At: at(i), Tags: tags})
	}
	see(1, "a", mastery.Incorrect, " Prerequisite_Gap ", "prerequisite_gap", "")
	see(2, "a", mastery.Incorrect, "prerequisite_gap", "causal_confusion")
	see(3, "b", mastery.Incorrect, "prerequisite_gap")
	see(4, "b", mastery.Partial)
	see(5, "b", mastery.Skipped)
	see(6, "b", mastery.Correct, "ignored")

	if a := l.Atoms["a"]; a.Intensity() != 1 || a.DominantTag() != "prerequisite_gap" {
		t.Errorf("a: %v, %q", a.Intensity(), a.DominantTag())
	}
	if b := l.Atoms["b"]; b.Intensity() != 0.75 || b.DominantTag() != mastery.TagSkipped {
		t.Errorf("b: %v of 3 tags in 4 observations, latest %q", b.Intensity(), b.DominantTag())
	}
	got := mastery.Misconceptions(l.Atoms, func(id string) float64 { return map[string]float64{"a": 0.2, "b": 0.6}[id] })
	want := []mastery.Misconception{
		{
			Tag: "prerequisite_gap", Count: 3, AtomIDs: []string{"a", "b"}, AverageMastery: 0.4, LastSeenAt: at(3).UnixMicro(),
			FrequencyFactor: 0.375, Severity: 0.65*0.375 + 0.35*0.6, RecommendedActionKinds: [3]string{"review", "quiz", "transfer"},
		},
		{
			Tag: "causal_confusion", Count: 1, AtomIDs: []string{"a"}, AverageMastery: 0.2, LastSeenAt: at(2).UnixMicro(),
			FrequencyFactor: 1. / 6, Severity: 0.65/6 + 0.35*0.8, RecommendedActionKinds: [3]string{"review", "explain", "quiz"},
		},
		{
			Tag: mastery.TagSkipped, Count: 1, AtomIDs: []string{"b"}, AverageMastery: 0.6, LastSeenAt: at(5).UnixMicro(),
			FrequencyFactor: 1. / 6, Severity: 0.65/6 + 0.35*0.4, RecommendedActionKinds: [3]string{"review", "quiz", "reflection"},
		},
		{
			Tag: mastery.TagConceptBoundary, Count: 1, AtomIDs: []string{"b"}, AverageMastery: 0.6, LastSeenAt: at(4).UnixMicro(),
			FrequencyFactor: 1. / 6, Severity: 0.65/6 + 0.35*0.4, RecommendedActionKinds: [3]string{"review", "explain", "counterexample"},
		},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
}

// Of many tags the rarest go, and among equals the oldest; the newest always finds a place.
func TestTagsAreBounded(t *testing.T) {
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	for i := range 100 {
		tags := []string{fmt.Sprint("t", i)}
		if i%3 == 0 {
			tags = append(tags, "often")
		}
		e.Learn(p, l, mastery.Observation{AtomID: "a", Outcome: mastery.Incorrect, At: time.Unix(1.7e9+int64(i), 0), Tags: tags})
	}
	ranked := l.Atoms["a"].Tags.Ranked()
	if len(ranked) != 24 || ranked[0] != (mastery.Tag{Name: "often", Count: 34, At: 1700000099 * 1e6}) {
		t.Fatalf("%d tags, first %+v", len(ranked), ranked[0])
	}
	for i, x := range ranked[1:] {
		if want := fmt.Sprint("t", 99-i); x.Name != want {
			t.Errorf("place %d: %s, not %s", i+2, x.Name, want)
		}
	}
}

func TestActionKinds(t *testing.T) {
	for tag, first := range map[string]string{"": "review", "transfer_failure": "transfer", "unheard_of": "review"} {
		if kinds := mastery.ActionKinds(tag); kinds[0] != first {
			t.Errorf("%q: %v", tag, kinds)
		}
	}
}
