package apitest

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"stoa/internal/httpapi/routes"
)

// movement remembers, over all tests of a package, which fields of the contract's answers were seen with which values,
// and which query parameters changed an answer. A field that no test ever sees move says nothing to anybody.
type movement struct {
	mu       sync.Mutex
	answers  map[string]*answerShape // by operation and status
	fields   map[string]*fieldSeen   // by the schema that declares the field, and its name
	params   map[string]*paramSeen   // by operation and name
	requests map[string]string       // digest of the answer, by caller, operation, parameter, its value and all others
	err      error
}

// fieldSeen is what was seen of a field: at most two different values that are not null.
type fieldSeen struct {
	label  string // an operation and a path where it stands
	values []string
}

type paramSeen struct{ changed bool }

// answerShape is a schema as the walk needs it. Alternatives are all tried: a field is seen where it fits.
type answerShape struct {
	fields map[string]*shapeField
	items  *answerShape
	others *answerShape // of properties that are not named
	parts  []*answerShape
}

type shapeField struct {
	seen   *fieldSeen // nil where the schema leaves one value alone
	shape  *answerShape
	absent bool // a boolean that is left out where it is false
}

var moved = sync.OnceValue(newMovement)

func newMovement() *movement {
	m := &movement{answers: map[string]*answerShape{}, fields: map[string]*fieldSeen{}, params: map[string]*paramSeen{}, requests: map[string]string{}}
	routes, err := routes.Routes()
	if err != nil {
		m.err = err
		return m
	}
	for _, route := range routes {
		for status, text := range route.Responses {
			if status == "default" || status >= "3" && string(text) != string(route.Responses["200"]) {
				continue // a failure; but what a part that fails says of itself may be an answer like any other
			}
			var schema any
			if err := json.Unmarshal(text, &schema); err != nil {
				m.err = err
				return m
			}
			m.answers[route.ID+" "+status] = m.compile(schema, route.ID)
		}
	}
	for _, op := range Operations() {
		if op.Method == http.MethodGet {
			for _, p := range op.Params {
				m.params[op.ID+" "+p.Name] = &paramSeen{}
			}
		}
	}
	return m
}

func (m *movement) compile(schema any, label string) *answerShape {
	s, ok := schema.(map[string]any)
	if !ok {
		return nil
	}
	shape := &answerShape{}
	for _, list := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := s[list].([]any)
		for _, p := range parts {
			shape.parts = append(shape.parts, m.compile(p, label))
		}
	}
	if items, ok := s["items"]; ok {
		shape.items = m.compile(items, label+"[]")
	}
	if others, ok := s["additionalProperties"].(map[string]any); ok {
		shape.others = m.compile(others, label+".*")
	}
	properties, _ := s["properties"].(map[string]any)
	if len(properties) == 0 {
		return shape
	}
	text, _ := json.Marshal(s) // maps are written in order
	sum := sha256.Sum256(text)
	shape.fields = map[string]*shapeField{}
	required, _ := s["required"].([]any)
	for name, p := range properties {
		f := &shapeField{shape: m.compile(p, label+"."+name)}
		if property, _ := p.(map[string]any); !oneValue(property) {
			f.absent = property["type"] == "boolean" && !slices.Contains(required, any(name))
			key := hex.EncodeToString(sum[:]) + " " + name
			if m.fields[key] == nil {
				m.fields[key] = &fieldSeen{label: label + "." + name}
			}
			m.fields[key].label = min(m.fields[key].label, label+"."+name) // a schema may stand in many answers, visited in any order
			f.seen = m.fields[key]
		}
		shape.fields[name] = f
	}
	return shape
}

// oneValue reports whether a schema allows one value alone.
func oneValue(schema map[string]any) bool {
	_, constant := schema["const"]
	choices, listed := schema["enum"].([]any)
	return constant || listed && len(choices) == 1
}

// note remembers an answer that fits the contract.
func (m *movement) note(caller string, op Operation, status string, query url.Values, r *Reply) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.walk(m.answers[op.ID+" "+status], r.value)
	if op.Method != http.MethodGet || r.Status != http.StatusOK {
		return
	}
	sum := sha256.Sum256(r.Body)
	digest := hex.EncodeToString(sum[:])
	for _, declared := range op.Params {
		p := m.params[op.ID+" "+declared.Name]
		if p.changed {
			continue
		}
		rest, value := url.Values{}, ""
		for k, v := range query {
			if k == declared.Name || slices.Contains(declared.Aliases, k) {
				value = strings.Join(v, ",")
			} else {
				rest[k] = v
			}
		}
		key := strings.Join([]string{caller, op.ID, declared.Name, rest.Encode()}, "\n")
		if before, ok := m.requests[key]; ok {
			was, said, _ := strings.Cut(before, "\n")
			p.changed = was != digest && said != value
			continue
		}
		m.requests[key] = digest + "\n" + value
	}
}

func (m *movement) walk(shape *answerShape, value any) {
	if shape == nil {
		return
	}
	for _, p := range shape.parts {
		m.walk(p, value)
	}
	switch v := value.(type) {
	case []any:
		for _, e := range v[:min(len(v), 40)] {
			m.walk(shape.items, e)
		}
	case map[string]any:
		for name, e := range v {
			f := shape.fields[name]
			if f == nil {
				m.walk(shape.others, e)
				continue
			}
			f.seen.take(e)
			m.walk(f.shape, e)
		}
		for name, f := range shape.fields {
			if _, there := v[name]; f.absent && !there {
				f.seen.take(false)
			}
		}
	}
}

func (f *fieldSeen) take(value any) {
	if f == nil || value == nil || len(f.values) > 1 {
		return
	}
	text, err := json.Marshal(value)
	if err == nil && !slices.Contains(f.values, string(text)) {
		f.values = append(f.values, string(text))
	}
}

// unmoved lists the fields that were never seen, or with one value alone, and the parameters that changed no answer.
func (m *movement) unmoved() (list []string) {
	for _, f := range m.fields {
		switch len(f.values) {
		case 0:
			list = append(list, f.label+" was never seen")
		case 1:
			list = append(list, f.label+" was never seen but as "+f.values[0][:min(len(f.values[0]), 60)])
		}
	}
	for name, p := range m.params {
		if !p.changed {
			list = append(list, strings.Replace(name, " ", "?", 1)+" changed no answer")
		}
	}
	slices.Sort(list)
	return list
}

// Unmoved compares what did not move in all tests so far with a list of exemptions, a line each: the field or parameter,
// blanks, the reason. A name that ends in * stands for all that begin so. It gives what is wrong with either, and apart from it the lines that can go: on another engine or a
// slower machine more moves, so that they are no failure.
func Unmoved(exemptions string) (problems, spare []string, err error) {
	m := moved()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil, nil, m.err
	}
	reasons, used := map[string]string{}, map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(exemptions))
	for lines.Scan() {
		name, reason, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if name == "" || strings.HasPrefix(name, "#") {
			continue
		}
		if strings.TrimSpace(reason) == "" {
			problems = append(problems, name+" is exempt without a reason")
		}
		reasons[name] = reason
	}
	for _, line := range m.unmoved() {
		name, _, _ := strings.Cut(line, " ")
		by, exempt := exemption(reasons, name)
		if !exempt {
			problems = append(problems, line)
		}
		used[by] = true
	}
	for name := range reasons {
		if used[name] {
			continue
		}
		spare = append(spare, name+" is exempt and moves: its line can go")
	}
	slices.Sort(problems)
	slices.Sort(spare)
	return problems, spare, lines.Err()
}

// exemption finds the line that stands for a name: the name itself, or a beginning of it.
func exemption(reasons map[string]string, name string) (line string, ok bool) {
	if _, ok := reasons[name]; ok {
		return name, true
	}
	for line := range reasons {
		if beginning, whole := strings.CutSuffix(line, "*"); whole && strings.HasPrefix(name, beginning) {
			return line, true
		}
	}
	return "", false
}
