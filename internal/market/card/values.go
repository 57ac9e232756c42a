package card

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stoa/internal/market/visible"
)

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// text is a scalar as it is written; "" for anything else.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool, int, int64, float64:
		return fmt.Sprint(v)
	}
	return ""
}

func texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, x := range list {
		if s := text(x); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// first is the first text among members that is not empty.
func first(m map[string]any, keys ...string) string {
	for _, key := range keys {
		if s := strings.TrimSpace(text(m[key])); s != "" {
			return text(m[key])
		}
	}
	return ""
}

func either(a, b string) string {
	if strings.TrimSpace(a) != "" {
		return a
	}
	return b
}

// line makes a text one line of at most limit bytes, without characters that nobody sees.
func line(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !visible.Plain(r) && r != 0x200d && r != 0xfe0f:
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(cut(strings.Join(strings.Fields(s), " "), limit))
}
