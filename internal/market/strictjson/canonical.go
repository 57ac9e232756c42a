package strictjson

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical writes the form that section hashes are taken of: names sorted by their bytes, no blanks, only
// quotes, backslashes and control characters escaped, numbers as they were spelled. It takes what Parse
// gives; other values go through encoding/json first.
func Canonical(v any) ([]byte, error) {
	return appendCanonical(nil, v)
}

func appendCanonical(out []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		if v {
			return append(out, "true"...), nil
		}
		return append(out, "false"...), nil
	case json.Number:
		if !number(string(v)) {
			return nil, fmt.Errorf("strictjson: a number that JSON cannot write")
		}
		return append(out, v...), nil
	case string:
		return appendString(out, v)
	case []any:
		out = append(out, '[')
		for i, item := range v {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendCanonical(out, item); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case map[string]any:
		out = append(out, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendString(out, name); err != nil {
				return nil, err
			}
			if out, err = appendCanonical(append(out, ':'), v[name]); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	}
	return appendOther(out, v)
}

// number is true for the number of RFC 8259 section 6.
func number(s string) bool {
	digits := func() bool {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		s = s[n:]
		return n > 0
	}
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	if s != "" && s[0] == '0' {
		s = s[1:]
	} else if !digits() {
		return false
	}
	if s != "" && s[0] == '.' {
		if s = s[1:]; !digits() {
			return false
		}
	}
	if s != "" && s[0]|' ' == 'e' {
		if s = s[1:]; s != "" && (s[0] == '+' || s[0] == '-') {
			s = s[1:]
		}
		if !digits() {
			return false
		}
	}
	return s == ""
}

func appendString(out []byte, s string) ([]byte, error) {
	out, err := jsontext.AppendQuote(out, s)
	if err != nil {
		return nil, fmt.Errorf("strictjson: a text that is not valid UTF-8")
	}
	return out, nil
}

// appendOther writes a Go value that is not of Parse's making.
func appendOther(out []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("strictjson: %w", err)
	}
	tree, err := Parse(text, 0)
	if err != nil {
		return nil, err
	}
	return appendCanonical(out, tree)
}
