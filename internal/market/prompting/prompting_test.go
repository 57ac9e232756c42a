package prompting_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/market/prompting"
)

func TestArguments(t *testing.T) {
	for prompt, want := range map[string][]string{
		"Keep `{name}` as it is.":                  {},
		"To {{ language }} and {{tone}}, {{tone}}": {"language", "tone"},
		"{{1st}} {{a b}} {{}} {{{x}}}":             {"x"},
		strings.Repeat("{{a}}", 30) + "{{B_2}}":    {"a", "B_2"},
	} {
		if got := prompting.Arguments(prompt); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

// What is filled in is text: no value brings another's place, and without values a prompt is what it was.
func TestFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value, other := rapid.String().Draw(t, "value"), rapid.String().Draw(t, "other")
		got, missing := prompting.Fill("<{{a}}|{{b}}|{{c}}>", map[string]string{"a": value + "{{b}}", "b": other})
		if want := "<" + value + "{{b}}|" + other + "|{{c}}>"; got != want || !slices.Equal(missing, []string{"c"}) {
			t.Fatalf("%q, want %q; missing %q", got, want, missing)
		}
		text := rapid.String().Draw(t, "text")
		if same, _ := prompting.Fill(text, nil); same != text {
			t.Fatalf("%q became %q", text, same)
		}
	})
}
