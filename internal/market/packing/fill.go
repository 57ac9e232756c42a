package packing

import (
	"strings"

	"stoa/internal/market/pack"
	"stoa/internal/market/redact"
	"stoa/internal/market/redact/detect"
	"stoa/internal/market/strictjson"
	"stoa/internal/platform/errs"
)

// Open opens the sealed secrets of a pack with its owner's identity, and checks that they belong to this pack.
func Open(p *pack.Profile, identity string) (redact.Secrets, error) {
	if p.Sealed == nil {
		return redact.Secrets{}, errs.New(errs.InvalidRequest, "This pack holds no sealed secrets: there is no secrets.age in it.")
	}
	s, err := redact.Unseal(p.Sealed, identity)
	if err != nil {
		return redact.Secrets{}, err
	}
	if s.Binding != p.Manifest.PackID {
		return redact.Secrets{}, errs.Newf(errs.InvalidProfilePackPayload, "The sealed secrets belong to the pack %s, not to %s. Somebody put them here; they are not opened.",
			pack.Clean(s.Binding), pack.Clean(p.Manifest.PackID))
	}
	return s, nil
}

// Fill puts sealed values back where they stood, in a copy of the sections. left are the paths of those that have no
// place any more, because the pack was changed after they were sealed.
func Fill(sections map[string]any, s redact.Secrets) (filled map[string]any, left []string, err error) {
	if filled, err = copied(sections); err != nil {
		return nil, nil, err
	}
	var order []string
	values := map[string][]redact.Secret{}
	var keys []redact.Secret
	for _, entry := range s.Entries {
		if entry.Key {
			keys = append(keys, entry)
			continue
		}
		if values[entry.Path] == nil {
			order = append(order, entry.Path)
		}
		values[entry.Path] = append(values[entry.Path], entry)
	}
	for _, path := range order {
		if !put(filled, path, values[path]) {
			left = append(left, path)
		}
	}
	for i := len(keys) - 1; i >= 0; i-- { // the innermost first: a key on the way must still have its mark
		if !rename(filled, keys[i]) {
			left = append(left, keys[i].Path)
		}
	}
	return filled, left, nil
}

func copied(sections map[string]any) (map[string]any, error) {
	text, err := strictjson.Canonical(sections)
	if err != nil {
		return nil, err
	}
	v, err := strictjson.Parse(text, 0)
	out, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, errs.New(errs.InvalidProfilePackPayload, "The sections cannot be read.")
	}
	return out, nil
}

// put sets the value at a path: one mark per entry.
func put(sections map[string]any, path string, entries []redact.Secret) bool {
	return at(sections, path, func(now any) (any, bool) {
		text, ok := now.(string)
		if !ok || strings.Count(text, detect.Sealed) != len(entries) {
			return nil, false
		}
		if text == detect.Sealed {
			return entries[0].Value, true
		}
		for _, e := range entries {
			value, ok := e.Value.(string)
			if !ok {
				return nil, false
			}
			before, after, _ := strings.Cut(text, detect.Sealed)
			// A value may not be taken for the next mark.
			text = before + strings.ReplaceAll(value, detect.Sealed, inside) + after
		}
		return strings.ReplaceAll(text, inside, detect.Sealed), true
	})
}

// inside stands for a mark inside a value while marks are replaced.
const inside = "\x00sealed\x00"

// rename puts a key back that was sealed itself.
func rename(sections map[string]any, key redact.Secret) bool {
	value, ok := key.Value.(string)
	path, err := pack.ParsePath(key.Path)
	if !ok || err != nil || len(path) < 2 || path[len(path)-1].Key == nil {
		return false
	}
	masked := *path[len(path)-1].Key
	return at(sections, path[:len(path)-1].String(), func(now any) (any, bool) {
		object, ok := now.(map[string]any)
		if !ok {
			return nil, false
		}
		under, ok := object[masked]
		if !ok || strings.Count(masked, detect.Sealed) != 1 {
			return nil, false
		}
		delete(object, masked)
		object[strings.Replace(masked, detect.Sealed, value, 1)] = under
		return object, true
	})
}

// at changes the value at a path, and tells whether there was one that could be.
func at(sections map[string]any, path string, change func(any) (any, bool)) bool {
	steps, err := pack.ParsePath(path)
	if err != nil {
		return false
	}
	_, ok := descend(sections, steps, change)
	return ok
}

func descend(v any, steps pack.Path, change func(any) (any, bool)) (any, bool) {
	if len(steps) == 0 {
		return change(v)
	}
	switch v := v.(type) {
	case map[string]any:
		if steps[0].Key == nil {
			return nil, false
		}
		member, has := v[*steps[0].Key]
		if !has {
			return nil, false
		}
		next, ok := descend(member, steps[1:], change)
		if ok {
			v[*steps[0].Key] = next
		}
		return v, ok
	case []any:
		if steps[0].Key != nil || steps[0].Index >= len(v) {
			return nil, false
		}
		next, ok := descend(v[steps[0].Index], steps[1:], change)
		if ok {
			v[steps[0].Index] = next
		}
		return v, ok
	}
	return nil, false
}
