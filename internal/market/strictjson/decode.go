package strictjson

import (
	"encoding/json"
	"errors"
	"reflect"
	"strconv"

	v2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// numbers keeps the spelling of numbers where the target is an any or a json.Number.
var numbers = v2.WithUnmarshalers(v2.JoinUnmarshalers(
	v2.UnmarshalFromFunc(func(d *jsontext.Decoder, n *json.Number) error {
		if d.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		token, err := d.ReadToken()
		*n = json.Number(token.String())
		return err
	}),
	v2.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
		if d.PeekKind() != '0' {
			return errors.ErrUnsupported
		}
		token, err := d.ReadToken()
		*v = json.Number(token.String())
		return err
	}),
))

// Decode reads one JSON value into a struct, a map or a slice. Names are matched exactly, not by folded
// case; a name without a field is refused unless allowUnknown. Everything Parse refuses is refused here.
func Decode(text []byte, maxDepth int, into any, allowUnknown bool) error {
	text, err := prepare(text)
	if err != nil {
		return err
	}
	tree, err := parse(text, maxDepth)
	if err != nil {
		return err
	}
	err = v2.Unmarshal(text, into, numbers, v2.RejectUnknownMembers(!allowUnknown))
	var s *v2.SemanticError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &s):
		return newError(text, 0, "", WrongType, "the value does not have the expected shape")
	case errors.Is(err, v2.ErrUnknownName):
		return newError(text, int(s.ByteOffset), locate(tree, s.JSONPointer), UnknownField, "this field is not known; remove it or correct its name")
	}
	return newError(text, int(s.ByteOffset), locate(tree, s.JSONPointer), WrongType, "a "+wanted(s.GoType)+" is needed here")
}

// locate writes a JSON pointer as a dotted path; the tree tells positions from names.
func locate(tree any, pointer jsontext.Pointer) string {
	var path []step
	for token := range pointer.Tokens() {
		switch t := tree.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(t) {
				return render(path)
			}
			path, tree = append(path, step{index: i}), t[i]
		case map[string]any:
			name := token
			path, tree = append(path, step{name: &name}), t[token]
		}
	}
	return render(path)
}

// wanted names what a Go type takes, in JSON's words.
func wanted(t reflect.Type) string {
	if t == nil {
		return "different value"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Bool:
		return "boolean (true or false)"
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return "number"
		}
		return "string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "whole number within its range"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Map, reflect.Struct:
		return "JSON object"
	}
	return "different value"
}
