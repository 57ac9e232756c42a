package routes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"

	"stoa/api"
	"stoa/internal/app/core"
)

// Role names of the contract's x-role.
const (
	RolePublic    = "public"
	RoleAllowlist = "allowlist"
	RoleMember    = "member"
)

// Route is one operation of the contract.
type Route struct {
	ID         string
	Method     string
	Path       string
	Role       string
	Capability string
	// Scope is what an API token must be for to use it; of public routes nothing is asked.
	Scope core.Scope
	// Also are further names under which clients ask the capability map for it.
	Also []string
	// Flat routes repeat the fields of data beside it.
	Flat    bool
	Params  []param
	Body    *shape // nil when the operation takes no body
	maxBody int64  // bytes of a body
	// Streamed names the member of the body that is too large to hold; "" when there is none.
	Streamed string
	// Responses are the schemas of the JSON answers by status, "default" for the rest. Tests use them.
	Responses map[string]json.RawMessage
}

// param is one parameter of the query or the path.
type param struct {
	Name    string
	InPath  bool
	aliases []string
	shape   *shape
}

// Routes is what the contract says, read once per process. Nobody may change it.
func Routes() ([]Route, error) { return routesOnce() }

var routesOnce = sync.OnceValues(readRoutes)

func readRoutes() ([]Route, error) {
	var doc map[string]any
	if err := yaml.Unmarshal(api.YAML, &doc); err != nil {
		return nil, fmt.Errorf("httpapi: api/openapi.yaml: %w", err)
	}
	c := contract{doc}
	var routes []Route
	for path, item := range c.object(doc["paths"]) {
		for method, op := range c.object(item) {
			route, err := c.route(strings.ToUpper(method), path, c.object(op))
			if err != nil {
				return nil, fmt.Errorf("httpapi: %s %s: %w", method, path, err)
			}
			routes = append(routes, route)
		}
	}
	sort.Slice(routes, func(i, j int) bool { return routes[i].ID < routes[j].ID })
	return routes, nil
}

// contract reads the document as plain maps and lists, following references as it goes.
type contract struct{ doc map[string]any }

func (c contract) route(method, path string, op map[string]any) (Route, error) {
	r := Route{Method: method, Path: path, Responses: map[string]json.RawMessage{}}
	r.ID, _ = op["operationId"].(string)
	r.Role, _ = op["x-role"].(string)
	r.Capability, _ = op["x-capability"].(string)
	r.Scope = scopeOf(method, path, op["x-scope"])
	r.Also = words(op["x-capabilities-also"])
	r.Flat, _ = op["x-flat"].(bool)
	r.maxBody = MaxBody
	if strings.HasPrefix(path, "/api/knowledge/") {
		r.maxBody = maxSchoolBody
	}
	if mib, ok := op["x-max-body-mib"].(int); ok {
		r.maxBody = int64(mib) << 20
	}
	if r.ID == "" || r.Capability == "" || !slices.Contains([]string{RolePublic, RoleAllowlist, RoleMember}, r.Role) {
		return r, fmt.Errorf("operationId, x-role or x-capability is missing or wrong")
	}
	list, _ := op["parameters"].([]any)
	for _, p := range list {
		o := c.object(p)
		s, err := c.shape(o["schema"])
		if err != nil {
			return r, err
		}
		name, _ := o["name"].(string)
		if o["in"] == "header" {
			continue // read by the row that wants it
		}
		r.Params = append(r.Params, param{name, o["in"] == "path", words(o["x-aliases"]), s})
	}
	if body, ok := op["requestBody"]; ok {
		media := c.object(c.object(c.object(body)["content"])["application/json"])
		s, err := c.shape(media["schema"])
		if err != nil {
			return r, err
		}
		r.Body = s
		for name, p := range s.properties {
			if on, _ := p.schema.Extra["x-streamed"].(bool); on {
				r.Streamed = name
			}
		}
	}
	for status, response := range c.object(op["responses"]) {
		media := c.object(c.object(c.object(response)["content"])["application/json"])
		if schema, ok := media["schema"]; ok {
			text, err := json.Marshal(c.inline(schema))
			if err != nil {
				return r, err
			}
			r.Responses[status] = text
		}
	}
	return r, nil
}

// scopeOf is what a token must be for: by the method, unless the contract says otherwise. What concerns the account itself is
// for people alone.
func scopeOf(method, path string, said any) core.Scope {
	switch {
	case path == "/api/account", strings.HasPrefix(path, "/api/account/"):
		return core.ScopeSession
	case said == string(core.ScopeRead), said == nil && method == http.MethodGet:
		return core.ScopeRead
	case said == string(core.ScopePublish):
		return core.ScopePublish
	}
	return core.ScopeWrite
}

// object gives a node as a map, following a reference.
func (c contract) object(node any) map[string]any {
	o, _ := node.(map[string]any)
	if ref, ok := o["$ref"].(string); ok {
		return c.object(c.at(ref))
	}
	return o
}

func (c contract) at(ref string) any {
	var node any = c.doc
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		o, _ := node.(map[string]any)
		node = o[name]
	}
	return node
}

// inline copies a schema with every reference replaced by what it names. The contract has no cycles.
func (c contract) inline(node any) any {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			merged := map[string]any{}
			if target, ok := c.inline(c.at(ref)).(map[string]any); ok {
				for k, v := range target {
					merged[k] = v
				}
			}
			for k, v := range n {
				if k != "$ref" {
					merged[k] = v
				}
			}
			return merged
		}
		out := make(map[string]any, len(n))
		for k, v := range n {
			out[k] = c.inline(v)
		}
		return out
	case []any:
		out := make([]any, len(n))
		for i, v := range n {
			out[i] = c.inline(v)
		}
		return out
	default:
		return node
	}
}

func (c contract) shape(node any) (*shape, error) {
	text, err := json.Marshal(c.inline(node))
	if err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	return newShape(&schema)
}

func words(node any) []string {
	list, _ := node.([]any)
	var out []string
	for _, w := range list {
		if s, ok := w.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
