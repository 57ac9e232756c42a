package strategy

import (
	"strings"
	"testing"
	"time"

	"stoa/internal/learning/path"
)

// crowd is the evidence of people with an effect each, in so many sessions of each.
func crowd(sessions int, effects ...float64) (all Evidence) {
	for i, effect := range effects {
		var none, person Evidence
		live(&person, sessions, effect, uint64(i+1))
		live(&all, sessions, effect, uint64(i+1))
		all.Change(&none, &person)
	}
	return all
}

func TestOneAccountDoesNotDecideForOthers(t *testing.T) {
	one := crowd(110, 3)
	var nobody Evidence
	if scope, pooled := Scope(&one, &nobody); pooled || scope != &nobody {
		t.Error("one account's evidence counts for somebody else")
	}
	if scope, pooled := Scope(&one, &one); pooled || scope != &one {
		t.Error("a person's own evidence does not count for them")
	}
	few, many := crowd(60, 2, 2, 2, 2), crowd(60, 2, 2, 2, 2, 2)
	if _, pooled := Scope(&few, &nobody); pooled {
		t.Error("four people are enough")
	}
	scope, pooled := Scope(&many, &nobody)
	got := Select(Inputs{Auto: true, MinConfidence: .35, Everyone: scope, Pooled: pooled, Now: noon})
	if !pooled || got.Source != Trend {
		t.Errorf("five people who agree: %+v", got)
	}
	// One who brought more than all others together does not outvote them.
	loud := crowd(60, -1, -1, -1, -1)
	var none, person Evidence
	live(&person, 600, 6, 99)
	live(&loud, 600, 6, 99)
	loud.Change(&none, &person)
	if got := Select(Inputs{Auto: true, MinConfidence: .35, Everyone: &loud, Pooled: true, Now: noon}); got.Source == Trend && got.Strategy == path.Exploration {
		t.Errorf("one of five decides: %+v", got)
	}
}

// A choice that is held ends at once when what it rests on does.
func TestHeldChoiceEnds(t *testing.T) {
	var much Evidence
	live(&much, 80, 2, 3)
	held := Inputs{Auto: true, Everyone: &much, Held: path.Recovery, HeldFor: 1, Now: noon}
	if got := Select(held); got.Source != Trend || got.Strategy != path.Recovery {
		t.Fatalf("it is not held: %+v", got)
	}
	for name, change := range map[string]func(*Inputs){
		"minimum confidence": func(in *Inputs) { in.MinConfidence = 1 },
		"a failing check":    func(in *Inputs) { in.FailingCheck = "alignment" },
		"old evidence":       func(in *Inputs) { in.Now = noon.Add(40 * 24 * time.Hour) },
		"too few people":     func(in *Inputs) { in.Pooled = true },
		"switched off":       func(in *Inputs) { in.Auto = false },
	} {
		in := held
		change(&in)
		if got := Select(in); got.Source == Trend {
			t.Errorf("%s: still %s", name, got.Reason)
		}
	}
	in := Inputs{Auto: true, Everyone: &much, Now: noon.Add(58*24*time.Hour + 12*time.Hour)}
	if got := Select(in); !strings.Contains(got.Reason, "evidence_age_days:") || strings.Contains(got.Reason, "-") || !strings.Contains(got.Reason, ">30") {
		t.Errorf("the reason is %q", got.Reason)
	}
}
