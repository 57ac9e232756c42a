package trial

import (
	"encoding/json"
	"strings"

	"stoa/internal/market/catalog"
	"stoa/internal/market/export"
	"stoa/internal/market/prompting"
)

// Persona is what somebody talks to in a trial: the words of a template or of a persona of a pack, and nothing else of it.
type Persona struct {
	Name         string         `json:"name"`
	SystemPrompt string         `json:"system_prompt"`
	Arguments    []string       `json:"arguments"` // places of the prompt that whoever tries it fills in
	Examples     []catalog.Line `json:"examples"`
	// RecordedWith is the model that gave the examples; "" when the author wrote them.
	RecordedWith string `json:"recorded_with"`
	Cut          bool   `json:"-"` // there is more of the examples
	// Temperature is what the pack's model settings say; nil when they say nothing.
	Temperature *float64 `json:"temperature"`
}

// Bounds of what is answered.
const (
	mostPersonas = 100
	mostExamples = 40
	hottest      = 2 // the highest temperature of OpenAI's interface
)

// Personas are those of an item that a conversation can be held with.
func Personas(item *export.Item) []Persona {
	out := []Persona{}
	general := temperatureIn(item.Rest)
	for i := range item.Personas {
		if len(out) == mostPersonas {
			break
		}
		p := &item.Personas[i]
		if strings.TrimSpace(p.Prompt) == "" {
			continue
		}
		one := Persona{Name: p.Name, SystemPrompt: p.Prompt, Arguments: prompting.Arguments(p.Prompt), Examples: []catalog.Line{}, Temperature: temperature(p.Fields)}
		if one.Temperature == nil {
			one.Temperature = general
		}
		for n, text := range p.Dialogs() {
			if n == mostExamples {
				break
			}
			one.Examples = append(one.Examples, catalog.Line{Role: []string{"user", "assistant"}[n%2], Content: text})
		}
		out = append(out, one)
	}
	return out
}

// Recorded puts the conversations that the author recorded in the place of those that the personas have. An example without a
// name is that of a template, whose one persona is called otherwise in every language.
func Recorded(personas []Persona, examples []catalog.Example) {
	for i := range personas {
		for _, x := range examples {
			if p := &personas[i]; x.Persona == "" || x.Persona == p.Name {
				p.Examples, p.RecordedWith, p.Cut = x.Lines, x.Model, x.Cut
				break
			}
		}
	}
}

// temperatureIn is the one that all model settings of an item agree on; nil when they say different things or nothing.
func temperatureIn(values []export.Value) *float64 {
	var found *float64
	for _, v := range values {
		if !strings.HasPrefix(v.Path, "provider") {
			continue
		}
		t := temperature(v.Value)
		if t == nil {
			continue
		}
		if found != nil && *found != *t {
			return nil
		}
		found = t
	}
	return found
}

// temperature looks for a setting of that name at any depth; nil when there is none or there are different ones.
func temperature(v any) *float64 {
	seen := map[float64]bool{}
	gather(v, 0, seen)
	if len(seen) != 1 {
		return nil
	}
	for t := range seen {
		return &t
	}
	return nil
}

// deepest bounds how deep a stranger's document is looked through.
const deepest = 12

func gather(v any, depth int, seen map[float64]bool) {
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			if t, ok := number(child); ok && strings.EqualFold(name, "temperature") && t >= 0 && t <= hottest {
				seen[t] = true
				continue
			}
			gather(child, depth+1, seen)
		}
	case []any:
		for _, child := range v {
			gather(child, depth+1, seen)
		}
	}
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		t, err := v.Float64()
		return t, err == nil
	}
	return 0, false
}
