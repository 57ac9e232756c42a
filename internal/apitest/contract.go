package apitest

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"stoa/api"
)

// Operation is one operation as api/openapi.yaml has it. It is read here on its own, so that a test
// does not ask the code under test what it should do.
type Operation struct {
	ID, Method, Path, Role, Capability string
	// Also are further names under which the operation is in the capability map.
	Also   []string
	Params []Param
	// InPath are the parameters of the path, which Path has in braces.
	InPath []Param
	// Streamed names the property of the body that is walked and never held; "" when there is none.
	Streamed string
	// MostMiB is the contract's x-max-body-mib; 0 when it says nothing.
	MostMiB int
	// Body is the schema of the request body with references followed; nil when there is none.
	Body map[string]any
	// Example is the request body that the contract shows; nil when it shows none.
	Example any
	// Media lists the media types documented for each status, "default" for the rest.
	Media map[string][]string
}

// Param is one query parameter.
type Param struct {
	Name    string
	Aliases []string
	Schema  map[string]any
}

// Operations lists the operations of the contract by id.
var Operations = sync.OnceValue(func() []Operation {
	d := document()
	var all []Operation
	for path, item := range object(d["paths"]) {
		for method, op := range object(item) {
			all = append(all, d.operation(strings.ToUpper(method), path, object(op)))
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
})

// ErrorCodes lists the codes of the contract's ErrorCode.
func ErrorCodes() []string {
	d := document()
	return texts(object(object(object(d["components"])["schemas"])["ErrorCode"])["enum"])
}

// doc is the contract as plain maps and lists.
type doc map[string]any

var document = sync.OnceValue(func() doc {
	var d map[string]any
	if err := yaml.Unmarshal(api.YAML, &d); err != nil {
		panic(fmt.Sprintf("api/openapi.yaml: %v", err))
	}
	return d
})

func (d doc) operation(method, path string, op map[string]any) Operation {
	o := Operation{Method: method, Path: path, Media: map[string][]string{}}
	o.ID, _ = op["operationId"].(string)
	o.Role, _ = op["x-role"].(string)
	o.Capability, _ = op["x-capability"].(string)
	o.Also = texts(op["x-capabilities-also"])
	o.MostMiB, _ = op["x-max-body-mib"].(int)
	params, _ := op["parameters"].([]any)
	for _, p := range params {
		p := object(d.inline(p))
		name, _ := p["name"].(string)
		param := Param{name, texts(p["x-aliases"]), object(p["schema"])}
		switch p["in"] {
		case "query":
			o.Params = append(o.Params, param)
		case "path":
			o.InPath = append(o.InPath, param)
		} // headers: tests that use one know it by name
	}
	if body, ok := op["requestBody"]; ok {
		media := object(object(object(d.inline(body))["content"])["application/json"])
		o.Body, o.Example = object(media["schema"]), media["example"]
		for name, p := range object(o.Body["properties"]) {
			if object(p)["x-streamed"] == true {
				o.Streamed = name
			}
		}
	}
	for status, response := range object(d.inline(op["responses"])) {
		o.Media[status] = []string{}
		for kind := range object(object(response)["content"]) {
			o.Media[status] = append(o.Media[status], kind)
		}
	}
	return o
}

// inline copies a node with every reference followed. Members beside a reference win over its target's.
func (d doc) inline(node any) any {
	switch n := node.(type) {
	case map[string]any:
		out := map[string]any{}
		if ref, ok := n["$ref"].(string); ok {
			var target any = map[string]any(d)
			for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
				target = object(target)[name]
			}
			for k, v := range object(d.inline(target)) {
				out[k] = v
			}
		}
		for k, v := range n {
			if k != "$ref" {
				out[k] = d.inline(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = d.inline(v)
		}
		return out
	}
	return node
}

// Target is the operation's path with values put in for its parameters.
func (o Operation) Target(values map[string]any) string {
	path := o.Path
	for _, p := range o.InPath {
		if v, ok := values[p.Name]; ok {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(fmt.Sprint(v)))
		}
	}
	return path
}

// Names lists a parameter's or property's name and its aliases.
func (p Param) Names() []string { return append([]string{p.Name}, p.Aliases...) }

// Properties lists the top properties of a request body, by name.
func (o Operation) Properties() []Param {
	var all []Param
	for name, schema := range object(o.Body["properties"]) {
		all = append(all, Param{name, texts(object(schema)["x-aliases"]), object(schema)})
	}
	slices.SortFunc(all, func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Place is where in a request body something stands: names of properties, "[]" for each of a list and "{}" for each of a map.
type Place struct {
	Path   []string
	Schema map[string]any
}

// Name is the property that stands there, or that has it in a list or map.
func (p Place) Name() string {
	for _, name := range slices.Backward(p.Path) {
		if name != "[]" && name != "{}" {
			return name
		}
	}
	return ""
}

// Places lists everything in a request body, as deep as it stands.
func (o Operation) Places() []Place { return placesIn(o.Body, nil) }

func placesIn(schema map[string]any, at []string) (all []Place) {
	below := func(step string, s map[string]any) {
		path := append(slices.Clone(at), step)
		all = append(append(all, Place{path, s}), placesIn(s, path)...)
	}
	properties := object(schema["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		below(name, object(properties[name]))
	}
	if items := object(schema["items"]); items != nil {
		below("[]", items)
	}
	if values := object(schema["additionalProperties"]); values != nil {
		below("{}", values)
	}
	for _, kind := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := schema[kind].([]any)
		for _, s := range list {
			all = append(all, placesIn(object(s), at)...)
		}
	}
	return all
}

// Named finds a parameter or, in an operation with a body, a property.
func (o Operation) Named(name string) (Param, bool) {
	for _, p := range append(slices.Clone(o.Params), o.Properties()...) {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

func object(node any) map[string]any {
	o, _ := node.(map[string]any)
	return o
}

func texts(node any) []string {
	list, _ := node.([]any)
	var out []string
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
