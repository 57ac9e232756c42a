package compare

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// step is a name, or a position when name is nil.
type step struct {
	name  *string
	index int
}

func named(name string) step { return step{name: &name} }

// change is one difference.
type change struct {
	path          []step
	status        Status
	before, after any
}

// String is the path dotted, with [i] for positions, fit to show.
func (c change) String() string { return dotted(c.path) }

func dotted(path []step) string {
	var b strings.Builder
	for i, s := range path {
		switch {
		case s.name == nil:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i == 0:
			b.WriteString(show(*s.name))
		default:
			b.WriteString("." + show(*s.name))
		}
	}
	return clip(b.String(), 240)
}

// walker finds the differences of two values, at most left of them.
type walker struct {
	found  func(change)
	left   int
	count  int
	more   bool // there were more
	arrays int  // how many lists are around the place
}

func (w *walker) report(path []step, status Status, before, after side) {
	if w.count >= w.left {
		w.more = true
		return
	}
	w.count++
	w.found(change{slices.Clone(path), status, before.value, after.value})
}

func (w *walker) compare(path []step, before, after side) {
	switch {
	case w.more || !before.ok && !after.ok:
		return
	case !before.ok:
		w.report(path, Added, before, after)
		return
	case !after.ok:
		w.report(path, Removed, before, after)
		return
	}
	switch b := before.value.(type) {
	case map[string]any:
		if a, ok := after.value.(map[string]any); ok {
			w.objects(path, b, a)
			return
		}
	case []any:
		if a, ok := after.value.([]any); ok {
			w.lists(path, b, a)
			return
		}
	default:
		if same(before.value, after.value) {
			return
		}
	}
	w.report(path, Changed, before, after)
}

func (w *walker) objects(path []step, before, after map[string]any) {
	for _, name := range union(before, after) {
		b, had := before[name]
		a, has := after[name]
		w.compare(append(path, named(name)), side{b, had}, side{a, has})
	}
}

func (w *walker) lists(path []step, before, after []any) {
	first, last := 0, 0
	if w.arrays < 3 { // each level reads everything below it once more
		first, last = ends(before, after)
	}
	w.arrays++
	pairs(before, after, first, last, func(i int, b, a side) {
		w.compare(append(path, step{index: i}), b, a)
	})
	w.arrays--
}

// ends counts the equal elements at the start and at the end of two lists, so that one inserted element is one
// difference.
func ends(before, after []any) (first, last int) {
	n := min(len(before), len(after))
	for first < n && same(before[first], after[first]) {
		first++
	}
	for last < n-first && same(before[len(before)-1-last], after[len(after)-1-last]) {
		last++
	}
	return first, last
}

// pairs gives what lies between the equal ends: elements of the same position, then the rest of the longer
// list with its positions there.
func pairs(before, after []any, first, last int, visit func(i int, b, a side)) {
	for i := first; i < max(len(before), len(after))-last; i++ {
		var b, a side
		if i < len(before)-last {
			b = side{before[i], true}
		}
		if i < len(after)-last {
			a = side{after[i], true}
		}
		visit(i, b, a)
	}
}

// same is reflect.DeepEqual for trees of strictjson.Parse, without its bookkeeping for cycles.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if other, ok := b[name]; !ok || !same(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case nil, bool, string, json.Number:
		return a == b
	}
	return reflect.DeepEqual(a, b)
}

func union(a, b map[string]any) []string {
	names := make([]string, 0, len(a)+len(b))
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// member is one item of a section on both sides; whole stands for a section that has none. Its path is only
// good during the visit.
type member struct {
	path          []step
	before, after side
	whole         bool
}

func (m member) label() string { return dotted(m.path[1:]) }

func (m member) status() Status {
	switch {
	case !m.before.ok:
		return Added
	case !m.after.ok:
		return Removed
	case same(m.before.value, m.after.value):
		return Same
	}
	return Changed
}

// members visits the items of a section in order: the members of its object or list; and those of "entries"
// one by one, where a section keeps them there. An absent section is like an empty one. It gives how many
// elements of a list were left out because they are the same.
func members(name string, before, after side, visit func(member)) (equal int) {
	root := []step{named(name)}
	if !before.ok {
		before.value = emptyLike(after.value)
	}
	if !after.ok {
		after.value = emptyLike(before.value)
	}
	switch b := before.value.(type) {
	case map[string]any:
		if a, ok := after.value.(map[string]any); ok {
			objectMembers(root, b, a, true, visit)
			return 0
		}
	case []any:
		if a, ok := after.value.([]any); ok {
			first, last := ends(b, a)
			pairs(b, a, first, last, func(i int, b, a side) {
				visit(member{path: append(root, step{index: i}), before: b, after: a})
			})
			return first + last
		}
	}
	visit(member{path: root, before: before, after: after, whole: true})
	return 0
}

func objectMembers(path []step, before, after map[string]any, descend bool, visit func(member)) {
	for _, name := range union(before, after) {
		b, had := before[name]
		a, has := after[name]
		m := member{path: append(path, named(name)), before: side{b, had}, after: side{a, has}}
		if descend && name == entries {
			bm, bok := b.(map[string]any)
			am, aok := a.(map[string]any)
			if (bok || !had) && (aok || !has) && len(bm)+len(am) > 0 {
				objectMembers(m.path, bm, am, false, visit)
				continue
			}
		}
		visit(m)
	}
}

// entries is the name under which some sections keep their members, beside settings of the section.
const entries = "entries"

func emptyLike(v any) any {
	switch v.(type) {
	case map[string]any:
		return map[string]any{}
	case []any:
		return []any{}
	}
	return nil
}
