package routes

import (
	"reflect"
	"strings"
	"sync"
)

// fields maps json names to the places of a struct's own fields, by struct type.
var fields sync.Map // reflect.Type → map[string]int

// fill puts checked values into a struct by its json tags, as encoding/json would; false when one of
// them is not a plain text, number or flag, and then the struct is half full.
func fill(in reflect.Value, values map[string]any) bool {
	if in.Kind() != reflect.Struct {
		return false
	}
	names := fieldsOf(in.Type())
	if names == nil {
		return false
	}
	for name, value := range values {
		i, ok := names[name]
		if !ok {
			continue
		}
		field := in.Field(i)
		switch v := value.(type) {
		case string:
			if field.Kind() != reflect.String {
				return false
			}
			field.SetString(v)
		case bool:
			if field.Kind() != reflect.Bool {
				return false
			}
			field.SetBool(v)
		case float64:
			if field.Kind() != reflect.Int || float64(int32(v)) != v {
				return false
			}
			field.SetInt(int64(v))
		default:
			return false
		}
	}
	return true
}

func fieldsOf(t reflect.Type) map[string]int {
	if known, ok := fields.Load(t); ok {
		return known.(map[string]int)
	}
	names := map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous { // its fields count as t's own, and encoding/json knows how
			names = nil
			break
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && f.IsExported() {
			names[name] = i
		}
	}
	fields.Store(t, names)
	return names
}
