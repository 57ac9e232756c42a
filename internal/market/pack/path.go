package pack

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a path.
const (
	maxPathBytes = 4096
	maxPathSteps = 128
)

// Step is one step into a value: a key of an object, or a position in a list when Key is nil.
type Step struct {
	Key   *string
	Index int
}

// Path names a value inside a pack; its first step is the section.
type Path []Step

var errPath = errors.New("a path is a section followed by .key, [\"quoted key\"] or [position]")

// ParsePath reads a path in the package's syntax. Keys may stand quoted though they need not.
func ParsePath(text string) (Path, error) {
	if text == "" || len(text) > maxPathBytes || !utf8.ValidString(text) {
		return nil, errPath
	}
	var path Path
	for rest := text; rest != ""; {
		step, tail, err := parseStep(rest, len(path) == 0)
		if err != nil || len(path) == maxPathSteps {
			return nil, errPath
		}
		path, rest = append(path, step), tail
	}
	return path, nil
}

// parseStep reads one step off the front of text.
func parseStep(text string, first bool) (Step, string, error) {
	switch {
	case first || text[0] == '.':
		text = strings.TrimPrefix(text, ".")
		end := strings.IndexAny(text, ".[")
		if end < 0 {
			end = len(text)
		}
		key := text[:end]
		if key == "" || strings.ContainsAny(key, "]\"") {
			return Step{}, "", errPath
		}
		return Step{Key: &key}, text[end:], nil
	case strings.HasPrefix(text, `["`):
		d := json.NewDecoder(strings.NewReader(text[1:]))
		var key string
		if err := d.Decode(&key); err != nil {
			return Step{}, "", errPath
		}
		tail := text[1+d.InputOffset():]
		if !strings.HasPrefix(tail, "]") {
			return Step{}, "", errPath
		}
		return Step{Key: &key}, tail[1:], nil
	case text[0] == '[':
		digits, tail, ok := strings.Cut(text[1:], "]")
		index, err := strconv.Atoi(digits)
		if !ok || err != nil || index < 0 || len(digits) > 9 || strconv.Itoa(index) != digits {
			return Step{}, "", errPath
		}
		return Step{Index: index}, tail, nil
	}
	return Step{}, "", errPath
}

// String writes the path in its one canonical spelling.
func (p Path) String() string {
	text := ""
	for i, s := range p {
		switch {
		case s.Key == nil:
			text = AppendIndex(text, s.Index)
		case i == 0:
			text = *s.Key
		default:
			text = AppendKey(text, *s.Key)
		}
	}
	return text
}

// AppendKey is the path to a key of the object at path.
func AppendKey(path, key string) string {
	if !simple(key) {
		var quoted strings.Builder
		e := json.NewEncoder(&quoted)
		e.SetEscapeHTML(false)
		if err := e.Encode(key); err != nil {
			panic(err) // a string always encodes
		}
		return path + "[" + strings.TrimSuffix(quoted.String(), "\n") + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// AppendIndex is the path to a position in the list at path.
func AppendIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// simple tells whether a key needs no quotes in a path: letters, digits, - and _ (market/redact writes them so too).
func simple(key string) bool {
	return key != "" && utf8.ValidString(key) && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
}

// MaxPath bounds the paths of a pack's values, in bytes. Keys as long as a section would otherwise be repeated in the
// path of every value below them.
const MaxPath = 2_048

// PathsFit tells whether no value below v has a path longer than limit bytes; quotes in keys are not counted.
func PathsFit(v any, limit int) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			if rest := limit - len(key) - 1; rest < 0 || !PathsFit(item, rest) {
				return false
			}
		}
	case []any:
		rest := limit - len(strconv.Itoa(len(v))) - 2
		for _, item := range v {
			if rest < 0 || !PathsFit(item, rest) {
				return false
			}
		}
	}
	return true
}
