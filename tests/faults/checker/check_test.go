package checker

import (
	"slices"
	"testing"
	"time"
)

// story is a history in which everything is as it should be, one operation a second.
func story() []Op {
	h := []Op{
		{Client: "ada", Kind: Install, Item: "a", Outcome: Lost},
		{Client: "ada", Kind: Install, Item: "a", Outcome: OK},
		{Client: "ada", Kind: Install, Item: "b", Outcome: OK},
		{Client: "ada", Kind: Uninstall, Item: "b", Outcome: OK},
		{Client: "ada", Kind: Submit, Item: "ada/x", Key: "k1", Outcome: Refused, Status: 503},
		{Client: "ada", Kind: Submit, Item: "ada/x", Key: "k1", ID: "s1", Outcome: OK},
		{Client: "ada", Kind: Submit, Item: "ada/x", Key: "k1", ID: "s1", Outcome: OK},
		{Client: "ada", Kind: Withdraw, ID: "s1", Outcome: OK},
		{Client: "ada", Kind: Execute, Key: "k2", ID: "e1", Outcome: OK},
		{Client: "ada", Kind: Execute, Key: "k3", Outcome: Lost},
		{Client: "ada", Kind: Use, Item: "t1", Outcome: OK},
		{Client: "ada", Kind: Logout, Item: "t1", Outcome: OK},
		{Client: "ada", Kind: Use, Item: "t1", Outcome: OK}, // half a second later, on another node
		{Client: "ada", Kind: ListInstalled, Outcome: OK, Seen: []Seen{{Owner: "ada", Item: "a"}}},
		{Client: "ada", Kind: ListSubmissions, Outcome: OK, Seen: []Seen{{ID: "s1", Owner: "ada", Item: "ada/x", State: "withdrawn"}}},
		{Client: "ada", Kind: ListSessions, Outcome: OK, Seen: []Seen{{ID: "e1", Owner: "ada"}, {ID: "e2", Owner: "ada"}}},
		{Client: "ada", Kind: Use, Item: "t1", Outcome: Denied, Status: 401},
	}
	for i := range h {
		h[i].Start, h[i].End = time.Duration(i)*time.Second, time.Duration(i)*time.Second+500*time.Millisecond
	}
	return h
}

var bounds = Bounds{Session: 2 * time.Second, Answer: 10 * time.Second, Paused: func(node int, _, _ time.Duration) bool { return node == 7 }}

func at(h []Op, kind Kind) *Op {
	i := slices.IndexFunc(h, func(o Op) bool { return o.Kind == kind && o.Outcome == OK })
	return &h[i]
}

func TestAGoodHistory(t *testing.T) {
	if found := Check(story(), bounds); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// Each planted violation is found, and by the rule that is meant for it.
func TestPlanted(t *testing.T) {
	last := func(h []Op) *Op { return &h[len(h)-1] }
	for name, c := range map[string]struct {
		rule  string
		plant func(h []Op) []Op
	}{
		"a lost install": {RuleLost, func(h []Op) []Op { at(h, ListInstalled).Seen = nil; return h }},
		"an uninstall not seen": {RuleStale, func(h []Op) []Op {
			l := at(h, ListInstalled)
			l.Seen = append(l.Seen, Seen{Owner: "ada", Item: "b"})
			return h
		}},
		"installed twice": {RuleDoubled, func(h []Op) []Op {
			l := at(h, ListInstalled)
			l.Seen = append(l.Seen, l.Seen[0])
			return h
		}},
		"another's installation": {RuleLeak, func(h []Op) []Op { at(h, ListInstalled).Seen[0].Owner = "bob"; return h }},
		"installed by nobody": {RulePhantom, func(h []Op) []Op {
			l := at(h, ListInstalled)
			l.Seen = append(l.Seen, Seen{Owner: "ada", Item: "c"})
			return h
		}},
		"a lost submission": {RuleLost, func(h []Op) []Op { at(h, ListSubmissions).Seen = nil; return h }},
		"one key, two submissions": {RuleDoubled, func(h []Op) []Op {
			h[6].ID = "s2"
			l := at(h, ListSubmissions)
			l.Seen = append(l.Seen, Seen{ID: "s2", Owner: "ada", Item: "ada/x", State: "pending"})
			return h
		}},
		"one item submitted twice, one answer lost": {RuleDoubled, func(h []Op) []Op {
			l := at(h, ListSubmissions)
			l.Seen = append(l.Seen, Seen{ID: "s9", Owner: "ada", Item: "ada/x", State: "pending"})
			return h
		}},
		"another's submission": {RuleLeak, func(h []Op) []Op { at(h, ListSubmissions).Seen[0].Owner = "bob"; return h }},
		"a lost withdrawal":    {RuleLost, func(h []Op) []Op { at(h, ListSubmissions).Seen[0].State = "pending"; return h }},
		"a withdrawal by nobody": {RulePhantom, func(h []Op) []Op {
			i := slices.IndexFunc(h, func(o Op) bool { return o.Kind == Withdraw })
			h[i].ID = "s0"
			return h
		}},
		"a lost session": {RuleLost, func(h []Op) []Op {
			l := at(h, ListSessions)
			l.Seen = l.Seen[1:]
			return h
		}},
		"a session worked through twice": {RuleDoubled, func(h []Op) []Op {
			l := at(h, ListSessions)
			l.Seen = append(l.Seen, Seen{ID: "e3", Owner: "ada"})
			return h
		}},
		"a login that outlives its end": {RuleStale, func(h []Op) []Op {
			l := last(h)
			l.Outcome, l.Status = OK, 200
			return h
		}},
		"a login that ends by itself": {RuleLost, func(h []Op) []Op {
			at(h, Use).Outcome = Denied
			return h
		}},
		"an answer that is wrong by itself": {RuleAnswer, func(h []Op) []Op { h[4].Problem = "500"; return h }},
		"an answer without an id":           {RuleAnswer, func(h []Op) []Op { at(h, Execute).ID = ""; return h }},
		"an answer that is late":            {RuleLate, func(h []Op) []Op { l := last(h); l.End = l.Start + 11*time.Second; return h }},
		"a run in which nothing was done": {RuleEmpty, func(h []Op) []Op {
			return slices.DeleteFunc(h, func(o Op) bool { return o.Kind == Withdraw })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			found := Check(c.plant(story()), bounds)
			if !slices.ContainsFunc(found, func(v Violation) bool { return v.Rule == c.rule }) {
				t.Errorf("want %q, found %+v", c.rule, found)
			}
		})
	}
}

// What cannot be known is not held against the nodes.
func TestWhatIsNotHeldAgainstThem(t *testing.T) {
	for name, change := range map[string]func(h []Op) []Op{
		"an install without an answer took effect": func(h []Op) []Op {
			h[2].Outcome, h[3].Outcome = Lost, Lost
			h[3].Kind = Install
			l := at(h, ListInstalled)
			l.Seen = append(l.Seen, Seen{Owner: "ada", Item: "b"})
			return append(h, Op{Client: "ada", Kind: Uninstall, Item: "z", Outcome: OK, Start: time.Hour, End: time.Hour})
		},
		"a late install after an acknowledged uninstall": func(h []Op) []Op {
			h[0].Item = "b"
			l := at(h, ListInstalled)
			l.Seen = append(l.Seen, Seen{Owner: "ada", Item: "b"})
			return h
		},
		"a paused node answers late": func(h []Op) []Op {
			l := &h[len(h)-1]
			l.Node, l.End = 7, l.Start+time.Minute
			return h
		},
		"a list that began before the install was acknowledged": func(h []Op) []Op {
			l := at(h, ListInstalled)
			l.Start, l.End, l.Seen = h[1].Start, h[1].Start+9*time.Second, nil
			return h
		},
	} {
		t.Run(name, func(t *testing.T) {
			if found := Check(change(story()), bounds); len(found) > 0 {
				t.Errorf("%+v", found)
			}
		})
	}
}
