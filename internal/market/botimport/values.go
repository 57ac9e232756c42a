package botimport

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName bounds the names that items get in a pack, in characters.
const maxName = 150

// object is v as an object, nil if it is none.
func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// text is v as a trimmed text; numbers are written out, anything else is "".
func text(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	}
	return ""
}

// first is the first of some members of m that is a text.
func first(m map[string]any, keys ...string) string {
	for _, key := range keys {
		if s := text(m[key]); s != "" {
			return s
		}
	}
	return ""
}

// texts are the texts of a list; a single text counts as a list of one.
func texts(v any) []string {
	if s := text(v); s != "" {
		return []string{s}
	}
	out := []string{}
	for _, item := range list(v) {
		if s := text(item); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// some bounds a list of names for a summary.
func some(names []string) []string {
	out := []string{}
	for _, n := range names[:min(len(names), 200)] {
		out = append(out, clip(n, 120))
	}
	return out
}

// anys is a list of texts as JSON has it.
func anys(in []string) []any {
	out := make([]any, len(in))
	for i, s := range in {
		out[i] = s
	}
	return out
}

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func number(n int) json.Number { return json.Number(strconv.Itoa(n)) }

// clip shortens a text to n characters.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// free is key, or key with a number when it is taken already.
func free(m map[string]any, key string) string {
	if _, taken := m[key]; !taken {
		return key
	}
	for i := 2; ; i++ {
		if next := key + "-" + strconv.Itoa(i); m[next] == nil {
			return next
		}
	}
}

// slug keeps a name's ASCII letters and digits, in lower case, words joined by hyphens, at most 40 bytes.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 40 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}
