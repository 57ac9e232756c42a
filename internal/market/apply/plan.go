package apply

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"stoa/internal/market/disclosure"
	"stoa/internal/market/export"
)

// Options say what a plan may do.
type Options struct {
	Replace bool     // also over objects of the member's own, and over what they changed by hand
	Remove  []string // items that are taken out
}

// Plan is what will be done to a bot.
type Plan struct {
	Target string        `json:"target"`
	Items  []Installed   `json:"items"` // that come
	Remove []string      `json:"remove"`
	Steps  []Step        `json:"steps"`
	Gains  []string      `json:"gains"` // what the bot will reach that it does not reach now
	Left   []export.Loss `json:"left"`  // what the bot has no place for
}

// Changes tells whether the plan does anything to the bot or to what is known of it.
func (p *Plan) Changes() bool {
	return len(p.Items) > 0 || len(p.Remove) > 0 || slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Action != Keep })
}

// Count is how many steps have an action.
func (p *Plan) Count(a Action) int {
	n := 0
	for _, s := range p.Steps {
		if s.Action == a {
			n++
		}
	}
	return n
}

// TakenError is an object that another item brought.
type TakenError struct {
	Key  Key
	Item string
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("the %s %s belongs to %s; take that out first", e.Key.Kind, e.Key.ID, e.Item)
}

// UnfinishedError is a plan that was interrupted and stands in the way.
type UnfinishedError struct{}

func (*UnfinishedError) Error() string {
	return "an earlier plan was interrupted: continue or undo it first"
}

// NewPlan reads the bot and says what applying the packages would do. Nothing is written.
func NewPlan(ctx context.Context, t Target, s State, packages []Package, o Options) (Plan, error) {
	plan := Plan{Target: t.Name(), Items: []Installed{}, Remove: o.Remove, Steps: []Step{}, Gains: []string{}, Left: []export.Loss{}}
	if s.Unfinished() != nil {
		return plan, &UnfinishedError{}
	}
	wanted := map[Key]Object{}
	owner := map[Key]string{}
	gone := map[string]bool{}
	for _, id := range o.Remove {
		if _, ok := s.Item(id); !ok {
			return plan, fmt.Errorf("%s is not in this bot", id)
		}
		gone[id] = true
	}
	for _, p := range packages {
		gone[p.ID] = true
		for _, object := range p.Objects {
			if by, ok := owner[object.Key]; ok {
				return plan, &TakenError{object.Key, by}
			}
			wanted[object.Key], owner[object.Key] = object, p.ID
		}
		known, there := s.Item(p.ID)
		if !there || known.Version != p.Version || known.SHA256 != p.SHA256 || !slices.Equal(known.With, p.With) {
			plan.Items = append(plan.Items, p.Installed)
		}
		plan.Gains = append(plan.Gains, p.Reach.Beyond(orNone(known.Reach))...)
		plan.Left = append(plan.Left, p.Left...)
	}
	keys := []Key{}
	for key := range wanted {
		if m := s.managed(key); m != nil && !gone[m.Item] {
			return plan, &TakenError{key, m.Item}
		}
		keys = append(keys, key)
	}
	for _, m := range s.Objects {
		if _, stays := wanted[m.Key]; gone[m.Item] && !stays {
			keys = append(keys, m.Key)
			owner[m.Key] = m.Item
		}
	}
	slices.SortFunc(keys, compareKeys)
	now, err := t.Read(ctx, keys)
	if err != nil {
		return plan, err
	}
	var removals []Step
	for _, key := range keys {
		object, wants := wanted[key]
		step := decide(key, object.Value, now[key], s.managed(key), o.Replace)
		step.Item = owner[key]
		if wants {
			plan.Steps = append(plan.Steps, step)
		} else {
			removals = append(removals, step)
		}
	}
	slices.Reverse(removals) // what refers goes before what it refers to
	plan.Steps = append(plan.Steps, removals...)
	slices.Sort(plan.Gains)
	plan.Gains = slices.Compact(plan.Gains)
	return plan, nil
}

// decide says what becomes of one object. after is nil when the item that brought it no longer has it.
func decide(key Key, after, now Value, m *Managed, replace bool) Step {
	step := Step{Key: key, Before: now, After: after, Leaves: after == nil}
	if after == nil { // m is not nil
		step.After = m.Original
	}
	// Every setting is there already, and settings come into a plan only when they are asked for.
	theirs := m == nil && now != nil && key.Kind != KindConfig || m != nil && digest(now) != m.Digest
	if theirs {
		step.Why = WhyForeign
		if m != nil {
			step.Why = WhyEdited
		}
	}
	switch {
	case same(now, step.After):
		step.Action, step.Why = Keep, WhySame
	case theirs && (!replace || !key.Kind.replaceable()):
		step.Action, step.Before, step.After = Keep, nil, nil // a value of theirs does not go into the journal
	case step.After == nil:
		step.Action = Remove
	case now == nil:
		step.Action = Make
	default:
		step.Action = Change
	}
	return step
}

func compareKeys(a, b Key) int {
	return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(a.ID, b.ID))
}

// orNone is a reach that can be compared with.
func orNone(r disclosure.Reach) disclosure.Reach {
	for _, list := range []*[]string{&r.Capabilities, &r.Hosts, &r.Plugins, &r.Environment} {
		slices.Sort(*list)
	}
	return r
}

// outcome is what is known of the bot when the plan was carried out.
func (p *Plan) outcome(s *State) (items []Installed, objects []Managed) {
	gone := map[string]bool{}
	for _, id := range p.Remove {
		gone[id] = true
	}
	for _, i := range p.Items {
		gone[i.ID] = true
	}
	for _, i := range s.Items {
		if !gone[i.ID] {
			items = append(items, i)
		}
	}
	items = append(items, p.Items...)
	slices.SortFunc(items, func(a, b Installed) int { return cmp.Compare(a.ID, b.ID) })
	touched := map[Key]bool{}
	for _, step := range p.Steps {
		touched[step.Key] = true
		m := s.managed(step.Key)
		next := Managed{Key: step.Key, Item: step.Item, Digest: digest(step.After), Original: step.Before}
		if m != nil {
			next.Original = m.Original
		}
		switch {
		case step.Action == Keep && step.Why == WhySame:
			if m == nil || step.Leaves {
				continue // theirs already, or back to what it was
			}
		case step.Action == Keep && m != nil && step.Why == WhyEdited && !step.Leaves:
			next.Digest = m.Digest // still known as changed by hand
		case step.Action == Keep || step.Action == Remove || step.Leaves:
			continue
		}
		objects = append(objects, next)
	}
	for _, m := range s.Objects {
		if !touched[m.Key] {
			objects = append(objects, m)
		}
	}
	slices.SortFunc(objects, func(a, b Managed) int { return compareKeys(a.Key, b.Key) })
	return items, objects
}
