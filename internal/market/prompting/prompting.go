// Package prompting reads the arguments of a prompt: places written {{name}} that whoever uses it fills in.
package prompting

import (
	"regexp"
	"slices"
)

// MaxArguments bounds the arguments of one prompt; places beyond are text.
const MaxArguments = 20

var place = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}`)

// Arguments lists the names of a prompt's places, each once, in the order in which they first stand.
func Arguments(prompt string) []string {
	names := []string{}
	for _, match := range place.FindAllStringSubmatch(prompt, -1) {
		if !slices.Contains(names, match[1]) && len(names) < MaxArguments {
			names = append(names, match[1])
		}
	}
	return names
}

// Fill puts values into a prompt's places. A value is text: places in it stay as they are. Those that have no value stay too,
// and are named.
func Fill(prompt string, values map[string]string) (filled string, missing []string) {
	names := Arguments(prompt)
	filled = place.ReplaceAllStringFunc(prompt, func(text string) string {
		name := place.FindStringSubmatch(text)[1]
		if value, ok := values[name]; ok && slices.Contains(names, name) {
			return value
		}
		return text
	})
	for _, name := range names {
		if _, ok := values[name]; !ok {
			missing = append(missing, name)
		}
	}
	return filled, missing
}
