package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"stoa/internal/httpapi/routes"
)

// Check compares an answer with the contract and gives what is wrong with it.
func Check(method, path string, r *Reply) []string {
	problems := checkHeaders(r)
	if !strings.HasPrefix(path, "/api/") {
		return append(problems, checkFailure(r)...)
	}
	op, known := find(method, path)
	if !known {
		if r.Status < 400 && !page(path) {
			problems = append(problems, fmt.Sprintf("%d from a route that the contract does not have", r.Status))
		}
		return append(problems, checkFailure(r)...)
	}
	status := strconv.Itoa(r.Status)
	media, documented := op.Media[status]
	if !documented {
		if r.Status < 400 {
			return append(problems, "status "+status+" is not documented")
		}
		media, status = op.Media["default"], "default"
	}
	if problem := checkClient(op, method, r); problem != "" {
		problems = append(problems, problem)
	}
	return append(append(problems, checkBody(op, method, status, media, r)...), checkFailure(r)...)
}

// checkClient reads an answer with the type that the generated client has for it, which must have a place for all of it.
func checkClient(op Operation, method string, r *Reply) string {
	read, typed := answers[op.ID]
	if !typed || r.Status != http.StatusOK || method == http.MethodHead {
		return ""
	}
	var envelope struct{ Data json.RawMessage }
	err := json.Unmarshal(r.Body, &envelope)
	if err == nil {
		err = read(envelope.Data)
	}
	if err != nil {
		return fmt.Sprintf("client/contract cannot read it: %v", err)
	}
	return ""
}

func strict[T any](data []byte) error {
	var out T
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(&out)
}

// page tells whether a path under /api/ is a document and not an operation.
func page(path string) bool {
	return path == "/api/openapi.yaml" || strings.HasPrefix(path, "/api/docs")
}

func find(method, path string) (Operation, bool) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	i := slices.IndexFunc(Operations(), func(o Operation) bool { return o.Method == method && o.at(path) })
	if i < 0 {
		return Operation{}, false
	}
	return Operations()[i], true
}

// at tells whether a path is the operation's, whose own may name parameters in braces.
func (o Operation) at(path string) bool {
	want, got := strings.Split(o.Path, "/"), strings.Split(path, "/")
	return len(want) == len(got) && slices.EqualFunc(want, got, func(w, g string) bool { return w == g || strings.HasPrefix(w, "{") && g != "" })
}

var requestID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

func checkHeaders(r *Reply) (problems []string) {
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := r.Header.Get(name); got != want {
			problems = append(problems, fmt.Sprintf("%s is %q", name, got))
		}
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
		problems = append(problems, fmt.Sprintf("Content-Security-Policy is %q", csp))
	}
	if r.Header.Get("Permissions-Policy") == "" {
		problems = append(problems, "Permissions-Policy is missing")
	}
	if id := r.Header.Get("X-Request-Id"); !requestID.MatchString(id) {
		problems = append(problems, fmt.Sprintf("X-Request-Id is %q", id))
	}
	if r.Header.Get("Cache-Control") == "" && r.Status/100 != 3 {
		problems = append(problems, "Cache-Control is missing")
	}
	return problems
}

func checkBody(op Operation, method, status string, media []string, r *Reply) []string {
	kind := r.Header.Get("Content-Type")
	if len(media) == 0 {
		if len(r.Body) > 0 {
			return []string{"a body that is not documented"}
		}
		return nil
	}
	if !slices.Contains(media, kind) {
		return []string{fmt.Sprintf("content type %q, want one of %q", kind, media)}
	}
	if kind != "application/json" || method == http.MethodHead {
		return nil
	}
	schema, err := schemaOf(op.ID, status)
	if err != nil {
		return []string{err.Error()}
	}
	if err := schema.Validate(r.value); err != nil {
		return []string{"does not fit the contract: " + err.Error()}
	}
	return checkTimes("", r.value)
}

// checkFailure holds every error to the envelope, whatever the route.
func checkFailure(r *Reply) (problems []string) {
	if r.Status < 400 || r.method == http.MethodHead {
		return nil
	}
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		return []string{fmt.Sprintf("an error of content type %q", kind)}
	}
	schema, err := failureSchema()
	if err != nil {
		return []string{err.Error()}
	}
	// Health keeps its own shape with 503, and still says what a failure says.
	if r.Status == http.StatusServiceUnavailable && r.At("data.checks") != nil {
		if r.Code() == "" || r.At("ok") != false {
			return []string{"503 without an error"}
		}
		return nil
	}
	if err := schema.Validate(r.value); err != nil {
		problems = append(problems, "not the failure envelope: "+err.Error())
	}
	if r.Header.Get("X-Error-Code") != r.Code() || r.Str("message") != r.Str("error.message") {
		problems = append(problems, "the error says two different things")
	}
	if r.Status >= 500 && r.Status != http.StatusServiceUnavailable {
		problems = append(problems, "the server is at fault")
	}
	return problems
}

var timeText = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)?$`)

// isTime reports whether a field is a time by its name: at, created_at, createdAt. It is asked of every field of every answer.
func isTime(name string) bool {
	before, ok := strings.CutSuffix(name, "At")
	return name == "at" || strings.HasSuffix(name, "_at") || ok && before != "" && before[len(before)-1] >= 'a' && before[len(before)-1] <= 'z'
}

// checkTimes finds times that are not written as the contract has them.
func checkTimes(name string, value any) (problems []string) {
	switch v := value.(type) {
	case map[string]any:
		for k, e := range v {
			problems = append(problems, checkTimes(k, e)...)
		}
	case []any:
		for _, e := range v {
			problems = append(problems, checkTimes(name, e)...)
		}
	case string:
		if isTime(name) && !timeText.MatchString(v) {
			problems = append(problems, fmt.Sprintf("%s is %q, which is not a time of the contract", name, v))
		}
	}
	return problems
}

// schemas are the response schemas by operation and status, as the server's own reader inlines them.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Resolved, error) {
	routes, err := routes.Routes()
	if err != nil {
		return nil, err
	}
	all := map[string]*jsonschema.Resolved{}
	for _, route := range routes {
		for status, text := range route.Responses {
			var s jsonschema.Schema
			if err := json.Unmarshal(text, &s); err != nil {
				return nil, fmt.Errorf("%s %s: %w", route.ID, status, err)
			}
			if all[route.ID+" "+status], err = s.Resolve(nil); err != nil {
				return nil, fmt.Errorf("%s %s: %w", route.ID, status, err)
			}
		}
	}
	return all, nil
})

func schemaOf(id, status string) (*jsonschema.Resolved, error) {
	all, err := schemas()
	if err != nil {
		return nil, err
	}
	s, ok := all[id+" "+status]
	if !ok {
		return nil, fmt.Errorf("%s has no schema for %s", id, status)
	}
	return s, nil
}

func failureSchema() (*jsonschema.Resolved, error) { return schemaOf("getAuthInfo", "default") }
