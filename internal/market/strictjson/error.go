package strictjson

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pathBytes bounds the path that an error shows.
const pathBytes = 240

// Problem is a kind of refusal, for programs.
type Problem string

// The problems.
const (
	BadSyntax     Problem = "bad_syntax"      // no JSON
	BadEncoding   Problem = "bad_encoding"    // invalid UTF-8 or half a surrogate pair
	DuplicateName Problem = "duplicate_name"  // a name twice in one object
	BadName       Problem = "bad_name"        // NUL in a name
	TooDeep       Problem = "too_deep"        // more nesting than allowed
	TooMany       Problem = "too_many_values" // more than MaxValues values
	TrailingData  Problem = "trailing_data"   // text behind the value
	UnknownField  Problem = "unknown_field"   // a name the target has no field for
	WrongType     Problem = "wrong_type"      // a value the target's field cannot hold
)

// Error says what is wrong with a JSON text and where. Its text names no value, so it is fit to show and to log.
type Error struct {
	Problem Problem
	// Path is dotted with [i] for array positions, "" at the top; at most 240 bytes without control characters.
	Path string
	// Line and Column count from 1, Column in characters.
	Line, Column int
	// Message is a sentence without the place.
	Message string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
	}
	return fmt.Sprintf("%s (line %d, column %d): %s", e.Path, e.Line, e.Column, e.Message)
}

func newError(text []byte, offset int, path string, problem Problem, message string) *Error {
	offset = max(0, min(offset, len(text)))
	line := 1 + bytes.Count(text[:offset], []byte{'\n'})
	start := 1 + bytes.LastIndexByte(text[:offset], '\n')
	return &Error{
		Problem: problem, Path: clean(path), Line: line,
		Column: 1 + utf8.RuneCount(text[start:offset]), Message: message,
	}
}

// clean makes a path fit to show: no control or format characters, at most pathBytes bytes.
func clean(path string) string {
	path = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.Is(unicode.C, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return -1
		}
		return r
	}, path)
	if len(path) <= pathBytes {
		return path
	}
	cut := pathBytes - len("…")
	for !utf8.RuneStart(path[cut]) {
		cut--
	}
	return path[:cut] + "…"
}
