package trial

import (
	"cmp"
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
	// Model is the language model that the pack's settings name; "" when they name none or several.
	Model string `json:"model"`
}

// Bounds of what is answered.
const (
	mostPersonas = 100
	mostExamples = 40
)

// Personas are those of an item that a conversation can be held with.
func Personas(item *export.Item) []Persona {
	out := []Persona{}
	general := settingsIn(providers(item.Rest))
	for i := range item.Personas {
		if len(out) == mostPersonas {
			break
		}
		p := &item.Personas[i]
		if strings.TrimSpace(p.Prompt) == "" {
			continue
		}
		one := Persona{Name: p.Name, SystemPrompt: p.Prompt, Arguments: prompting.Arguments(p.Prompt), Examples: []catalog.Line{}}
		own := settingsIn(p.Fields)
		one.Temperature = cmp.Or(own.temperature, general.temperature)
		one.Model = cmp.Or(own.model, general.model)
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

// Kept are the examples of a version that hold for the next one too: those of personas whose words did not change.
func Kept(examples []catalog.Example, before, after []Persona) []catalog.Example {
	says := func(personas []Persona, name string) string {
		for i := range personas {
			if name == "" || personas[i].Name == name {
				return personas[i].SystemPrompt
			}
		}
		return ""
	}
	var out []catalog.Example
	for _, x := range examples {
		if text := says(after, x.Persona); text != "" && text == says(before, x.Persona) {
			out = append(out, x)
		}
	}
	return out
}
