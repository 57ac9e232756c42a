package redact

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/platform/errs"
)

// step is one part of a path: a key, an element of a list, or any of them.
type step struct {
	key   string
	index int
	kind  stepKind
}

type stepKind uint8

const (
	stepKey stepKind = iota
	stepIndex
	stepAnyKey
	stepAnyIndex
)

// maxPathBytes bounds a path that a caller gives.
const maxPathBytes = 1024

// parsePath reads section.key["odd.key"][0], with [*] and .* for any element and any key. The error says what is wrong
// and never repeats the path.
func parsePath(text string) ([]step, error) {
	if text == "" || len(text) > maxPathBytes || !utf8.ValidString(text) {
		return nil, errs.New(errs.InvalidRequest, "A path has 1 to 1024 bytes of UTF-8, such as providers.openai.key[0].")
	}
	var steps []step
	rest := text
	for first := true; rest != ""; first = false {
		var s step
		var ok bool
		switch {
		case strings.HasPrefix(rest, `["`):
			s, rest, ok = quotedStep(rest)
		case rest[0] == '[':
			s, rest, ok = indexStep(rest)
		case first:
			s, rest, ok = plainStep(rest)
		case rest[0] == '.':
			s, rest, ok = plainStep(rest[1:])
		}
		if !ok {
			return nil, errs.Newf(errs.InvalidRequest, `Part %d of the path cannot be read; write section.key["odd.key"][0], with [*] for every element.`, len(steps)+1)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func quotedStep(text string) (step, string, bool) {
	end := 2
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			end++
		}
		end++
	}
	if end+1 >= len(text) || text[end+1] != ']' {
		return step{}, "", false
	}
	var key string
	if json.Unmarshal([]byte(text[1:end+1]), &key) != nil {
		return step{}, "", false
	}
	return step{key: key}, text[end+2:], true
}

func indexStep(text string) (step, string, bool) {
	inside, rest, ok := strings.Cut(text[1:], "]")
	if !ok {
		return step{}, "", false
	}
	if inside == "*" {
		return step{kind: stepAnyIndex}, rest, true
	}
	n, err := strconv.Atoi(inside)
	return step{kind: stepIndex, index: n}, rest, err == nil && n >= 0
}

func plainStep(text string) (step, string, bool) {
	end := strings.IndexAny(text, ".[")
	if end < 0 {
		end = len(text)
	}
	if text[:end] == "*" {
		return step{kind: stepAnyKey}, text[end:], true
	}
	return step{key: text[:end]}, text[end:], end > 0
}

// plainKey says whether a key stands in a path as it is.
func plainKey(key string) bool {
	for _, r := range key {
		if r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
			return false
		}
	}
	return key != ""
}

// pathKey and pathIndex extend a path.
func pathKey(path, key string) string {
	if !plainKey(key) {
		quoted, _ := json.Marshal(key) // a string always encodes
		return path + "[" + string(quoted) + "]"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func pathIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// chosen is a set of paths laid over a tree while it is walked: the paths that still fit, each without what was passed.
type chosen [][]step

// under gives what is left of each path below a key or an element, and whether one of them ends here.
func (c chosen) under(fits func(step) bool) (below chosen, here bool) {
	for _, steps := range c {
		if len(steps) == 0 || !fits(steps[0]) {
			continue
		}
		if len(steps) == 1 {
			here = true
			continue
		}
		below = append(below, steps[1:])
	}
	return below, here
}

func (c chosen) underKey(key string) (chosen, bool) {
	if len(c) == 0 {
		return nil, false
	}
	return c.under(func(s step) bool {
		return s.kind == stepAnyKey || s.kind == stepKey && s.key == key
	})
}

// underIndex also takes the plain number that dotted paths of older clients use for an element.
func (c chosen) underIndex(i int) (chosen, bool) {
	if len(c) == 0 {
		return nil, false
	}
	return c.under(func(s step) bool {
		return s.kind == stepAnyIndex || s.kind == stepAnyKey || s.kind == stepIndex && s.index == i ||
			s.kind == stepKey && s.key == strconv.Itoa(i)
	})
}

func parsePaths(field string, paths []string) (chosen, error) {
	var all chosen
	for i, p := range paths {
		steps, err := parsePath(p)
		if err != nil {
			e, _ := errs.As(err)
			return nil, errs.Invalid(field+"["+strconv.Itoa(i)+"]", "is not a path: "+e.Message)
		}
		all = append(all, steps)
	}
	return all, nil
}

// JoinKey extends a path by a key, in the one syntax that paths have.
func JoinKey(path, key string) string { return pathKey(path, key) }
