package pack

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"stoa/internal/platform/errs"
)

// maxSelected bounds the item paths of one selection.
const maxSelected = 5_000

// Select takes a part of a pack. sections names whole sections, items names values inside them.
//
// With neither, everything is taken. A section that items name something of is narrowed to those items, each with
// all that is below it; list items keep their order. With items alone only their sections are taken: whoever names
// single things means nothing else. The input is not changed; the result shares values with it.
//
// The errors are 400: invalid_profile_section for a name that no pack or not this one has,
// invalid_profile_section_path for a path that is none, leads to nothing or lies in a section not selected.
func Select(all map[string]any, sections, items []string) (map[string]any, error) {
	for _, name := range sections {
		if err := checkSelected(all, name); err != nil {
			return nil, err
		}
	}
	if len(items) > maxSelected {
		return nil, errs.Newf(errs.InvalidProfileSectionPath, "selected_item_paths holds more than %d paths. Select whole sections instead.", maxSelected)
	}
	wanted := map[string]*mark{}
	for i, text := range items {
		path, err := ParsePath(text)
		if err != nil || path[0].Key == nil {
			return nil, errs.Newf(errs.InvalidProfileSectionPath, "selected_item_paths[%d] is not a path such as personas.entries.gardener.", i)
		}
		name := *path[0].Key
		if _, ok := all[name]; !ok || len(sections) > 0 && !slices.Contains(sections, name) {
			return nil, errs.Newf(errs.InvalidProfileSectionPath, "selected_item_paths[%d] lies in a section that is not selected or not in this pack.", i).With("path", Clean(text))
		}
		if wanted[name] == nil {
			wanted[name] = &mark{}
		}
		if !wanted[name].add(all[name], path[1:]) {
			return nil, errs.Newf(errs.InvalidProfileSectionPath, "selected_item_paths[%d] leads to nothing in this pack. Take the paths of its selection_tree.", i).With("path", Clean(text))
		}
	}
	names := sections
	if len(names) == 0 {
		names = slices.Collect(maps.Keys(all))
		if len(items) > 0 {
			names = slices.Collect(maps.Keys(wanted))
		}
	}
	out := make(map[string]any, len(names))
	for _, name := range names {
		out[name] = all[name]
		if m := wanted[name]; m != nil {
			out[name] = m.take(all[name])
		}
	}
	return out, nil
}

func checkSelected(all map[string]any, name string) error {
	if _, ok := all[name]; ok {
		return nil
	}
	if KnownSection(name) {
		return errs.Newf(errs.InvalidProfileSection, "The section %s is not in this pack.", name).With("section", name)
	}
	return errs.New(errs.InvalidProfileSection, fmt.Sprintf("There is no section %q.", Clean(name))).With("section", Clean(name))
}

// mark says which part of a value is wanted: all of it, or some of its members.
type mark struct {
	all   bool
	keys  map[string]*mark
	items map[int]*mark
}

// add marks the value at path below v, and tells whether there is one.
func (m *mark) add(v any, path Path) bool {
	if len(path) == 0 {
		m.all = true
		return true
	}
	next := &mark{}
	switch step := path[0]; v := v.(type) {
	case map[string]any:
		if step.Key == nil {
			return false
		}
		member, ok := v[*step.Key]
		if !ok {
			return false
		}
		if m.keys == nil {
			m.keys = map[string]*mark{}
		}
		if known := m.keys[*step.Key]; known != nil {
			next = known
		}
		if !next.add(member, path[1:]) {
			return false
		}
		m.keys[*step.Key] = next
		return true
	case []any:
		if step.Key != nil { // dotted numbers, as some clients write positions
			n, err := strconv.Atoi(*step.Key)
			if err != nil || n < 0 {
				return false
			}
			step.Index = n
		}
		if step.Index >= len(v) {
			return false
		}
		if m.items == nil {
			m.items = map[int]*mark{}
		}
		if known := m.items[step.Index]; known != nil {
			next = known
		}
		if !next.add(v[step.Index], path[1:]) {
			return false
		}
		m.items[step.Index] = next
		return true
	}
	return false
}

// take copies the marked part of v.
func (m *mark) take(v any) any {
	if m.all {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(m.keys))
		for key, next := range m.keys {
			out[key] = next.take(v[key])
		}
		return out
	case []any:
		out := make([]any, 0, len(m.items))
		for _, i := range slices.Sorted(maps.Keys(m.items)) {
			out = append(out, m.items[i].take(v[i]))
		}
		return out
	}
	return v
}
