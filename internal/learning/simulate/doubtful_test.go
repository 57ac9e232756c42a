package simulate

import (
	"reflect"
	"testing"
)

// Planted questions are found by what they are and not because they were planted: with as many answers, questions of the same concepts that are
// good are left alone, and without answers nothing is found.
func TestPlantedQuestionsAreFound(t *testing.T) {
	reports := Doubtful(Courses[:1], 16, 1, 30, 0.25, 3)
	kinds := map[Planted]Detection{}
	for _, d := range reports[0].Kinds {
		kinds[d.Kind] = d
	}
	if g := kinds[Good]; g.Questions < 1000 || g.Share > 0.05 {
		t.Errorf("%d of %d good questions would be lost", g.Proposed, g.Questions)
	}
	for _, kind := range []Planted{AlwaysWrong, Opposite} {
		if d := kinds[kind]; d.Questions < 15 || d.Share < 0.9 {
			t.Errorf("%s: %d of %d found", kind, d.Proposed, d.Questions)
		}
	}
	if !reflect.DeepEqual(reports, Doubtful(Courses[:1], 16, 1, 30, 0.25, 3)) {
		t.Error("the same seed gives another report")
	}
	for _, d := range Doubtful(Courses[:1], 4, 1, 4, 0.25, 3)[0].Kinds {
		if d.Proposed > 0 {
			t.Errorf("%s: proposed after four answers", d.Kind)
		}
	}
}
