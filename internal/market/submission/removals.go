package submission

import (
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/pack"
	"stoa/internal/market/scan/normal"
)

// Bounds of what a reviewer asks to take out.
const (
	ShortestRemoval = 3 // characters; anything shorter stands everywhere
	LongestRemoval  = 500
	MaxRemovals     = 20 // at once
)

// Holds finds the first place in the sections of an item that is what a reviewer asked to take out: the path itself, or a
// text or a key in which the words stand, however they are disguised (see package normal). The place is a path.
func Holds(sections map[string]any, what string) (place string, found bool) {
	what = strings.TrimSpace(what)
	f := finder{path: what, words: normal.String(what)}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		if place, found = f.in(pack.AppendKey("", name), name, sections[name]); found {
			return place, true
		}
	}
	return "", false
}

type finder struct{ path, words string }

func (f finder) says(text string) bool {
	return f.words != "" && strings.Contains(normal.String(text), f.words)
}

// in looks at a value that stands at a path under a name, "" for one in a list.
func (f finder) in(path, name string, v any) (string, bool) {
	if path == f.path || f.says(name) {
		return path, true
	}
	switch v := v.(type) {
	case string:
		return path, f.says(v)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if place, found := f.in(pack.AppendKey(path, key), key, v[key]); found {
				return place, true
			}
		}
	case []any:
		for i, one := range v {
			if place, found := f.in(pack.AppendIndex(path, i), "", one); found {
				return place, true
			}
		}
	}
	return "", false
}
