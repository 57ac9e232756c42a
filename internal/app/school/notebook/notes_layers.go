package notebook

import "maps"

// layered is a map that others like it follow: each shares what stays the same with the one before, so that a change costs what it
// changes. The zero value of V stands for what is not there.
type layered[V comparable] struct {
	base, over map[string]V // over is nil in one that follows none
}

func newLayered[V comparable](size int) layered[V] {
	return layered[V]{base: make(map[string]V, size)}
}

// follow gives one with the same in it, which may be changed.
func (m layered[V]) follow() layered[V] {
	const share = 16 // what lies over is copied each time, and is put into a base of its own when it is more than this part
	if len(m.over)*share <= len(m.base) {
		if next := maps.Clone(m.over); next != nil {
			return layered[V]{m.base, next}
		}
		return layered[V]{m.base, map[string]V{}}
	}
	next := maps.Clone(m.base)
	maps.Copy(next, m.over)
	var none V
	maps.DeleteFunc(next, func(_ string, v V) bool { return v == none })
	return layered[V]{base: next, over: map[string]V{}}
}

func (m layered[V]) get(id string) V {
	if v, ok := m.over[id]; ok {
		return v
	}
	return m.base[id]
}

// set puts a value in, the zero value to take one out.
func (m layered[V]) set(id string, v V) {
	if m.over != nil {
		m.over[id] = v
	} else {
		m.base[id] = v
	}
}
