package routes

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"stoa/internal/platform/errs"
)

// shape checks request values against a schema of the contract and says of each field that does not
// fit what would. Objects are walked here, so that every problem can be named; leaves are left to the
// schema library.
type shape struct {
	schema     *jsonschema.Schema
	leaf       *jsonschema.Resolved // nil for an object with properties
	fits       int                  // texts of up to so many bytes fit without asking the library,
	printable  bool                 // provided they hold no control character
	properties map[string]*shape    // nil for a leaf
	items      *shape               // of a list of objects with properties, else nil
	names      []string             // of properties, sorted
	aliases    []alias
}

// alias is another name of a property.
type alias struct{ other, name string }

func newShape(s *jsonschema.Schema) (*shape, error) {
	out := &shape{schema: s}
	if len(s.Properties) == 0 {
		var err error
		if s.Items != nil && len(s.Items.Properties) > 0 {
			if out.items, err = newShape(s.Items); err != nil {
				return nil, err
			}
			list := *s // its items are looked at one by one
			list.Items = nil
			out.leaf, err = list.Resolve(nil)
			return out, err
		}
		out.leaf, err = s.Resolve(nil)
		out.fits, out.printable = surelyFits(s)
		return out, err
	}
	out.properties = map[string]*shape{}
	for name, p := range s.Properties {
		child, err := newShape(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out.properties[name] = child
		out.names = append(out.names, name)
	}
	sort.Strings(out.names)
	for _, name := range out.names {
		for _, other := range words(s.Properties[name].Extra["x-aliases"]) {
			out.aliases = append(out.aliases, alias{other, name})
		}
	}
	return out, nil
}

// noControls is the pattern of ids.
const noControls = `^[^\x00-\x1f\x7f]*$`

// surelyFits is a length in bytes up to which every text fits a schema, if it need be without control characters: that of a
// text bounded in length and perhaps by noControls and nothing else, of which the queries are full. 0 for all other schemas.
func surelyFits(s *jsonschema.Schema) (length int, printable bool) {
	if s.MaxLength == nil {
		return 0, false
	}
	plain := jsonschema.Schema{Type: "string", MaxLength: s.MaxLength, Description: s.Description}
	if s.Pattern == noControls {
		plain.Pattern, printable = noControls, true
	}
	a, errA := plain.MarshalJSON()
	b, errB := s.MarshalJSON()
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return 0, false
	}
	return *s.MaxLength, printable
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7f }

// check renames aliases in place, drops what the contract does not name, and returns what does not
// fit. The first name of a property wins over its aliases, these in the contract's order. path is ""
// at the top.
func (s *shape) check(value any, path string) []errs.Detail {
	if s.items != nil {
		return s.checkList(value, path)
	}
	if s.properties == nil {
		return s.checkLeaf(value, path)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return []errs.Detail{{Field: orBody(path), Problem: "must be an object"}}
	}
	for _, a := range s.aliases {
		if v, there := object[a.other]; there {
			if _, both := object[a.name]; !both {
				object[a.name] = v
			}
		}
	}
	for name := range object {
		if s.properties[name] == nil { // encoding/json would take USER_ID for user_id, unchecked
			delete(object, name)
		}
	}
	var problems []errs.Detail
	for _, name := range s.schema.Required {
		if object[name] == nil { // null says nothing
			problems = append(problems, errs.Detail{Field: join(path, name), Problem: "is missing"})
		}
	}
	for _, name := range s.names {
		v, there := object[name]
		if there && v == nil {
			delete(object, name)
			continue
		}
		if there {
			problems = append(problems, s.properties[name].check(v, join(path, name))...)
		}
	}
	return problems
}

// mostProblems bounds how many problems of a list are named.
const mostProblems = 20

func (s *shape) checkList(value any, path string) []errs.Detail {
	if s.leaf.Validate(value) != nil {
		return []errs.Detail{{Field: orBody(path), Problem: wanted(s.schema)}}
	}
	list, ok := value.([]any)
	if !ok {
		return []errs.Detail{{Field: orBody(path), Problem: "must be a list"}}
	}
	var problems []errs.Detail
	for i, one := range list {
		problems = append(problems, s.items.check(one, fmt.Sprintf("%s[%d]", path, i))...)
		if len(problems) >= mostProblems {
			break
		}
	}
	return problems
}

func (s *shape) checkLeaf(value any, path string) []errs.Detail {
	if text, ok := unstorable(value); ok {
		return []errs.Detail{{Field: orBody(path), Problem: text}}
	}
	if text, ok := value.(string); ok && s.fits > 0 && len(text) <= s.fits && (!s.printable || !strings.ContainsFunc(text, isControl)) {
		return nil
	}
	if s.leaf.Validate(value) != nil {
		return []errs.Detail{{Field: orBody(path), Problem: wanted(s.schema)}}
	}
	return nil
}

// unstorable finds texts that no database takes, however deep they lie.
func unstorable(value any) (problem string, bad bool) {
	switch v := value.(type) {
	case string:
		if strings.ContainsRune(v, 0) {
			return "must not hold a NUL character", true
		}
	case []any:
		for _, e := range v {
			if p, bad := unstorable(e); bad {
				return p, true
			}
		}
	}
	return "", false
}

// wanted says in words what a schema asks for.
func wanted(s *jsonschema.Schema) string {
	switch {
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			words[i] = fmt.Sprint(e)
		}
		return "must be one of " + strings.Join(words, ", ")
	case s.Type == "integer" && s.Minimum != nil && s.Maximum != nil:
		return fmt.Sprintf("must be a whole number from %g to %g", *s.Minimum, *s.Maximum)
	case s.Type == "integer":
		return "must be a whole number"
	case s.Type == "boolean":
		return "must be true or false"
	case s.Type == "array":
		return "must be a list of texts"
	case s.Type == "string":
		return "must be a text" + bounds(s)
	case s.Type == "object":
		return "must be an object"
	}
	return "does not fit the contract"
}

func bounds(s *jsonschema.Schema) string {
	out := ""
	if s.MinLength != nil {
		out += fmt.Sprintf(" of at least %d characters", *s.MinLength)
	}
	if s.MaxLength != nil {
		out += fmt.Sprintf(" of at most %d characters", *s.MaxLength)
	}
	if s.Pattern != "" {
		out += " without control characters or others that are not allowed here"
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func orBody(path string) string {
	if path == "" {
		return "body"
	}
	return path
}
