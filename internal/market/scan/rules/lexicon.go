package rules

import (
	_ "embed" // the words
	"fmt"
	"strings"

	"stoa/internal/market/scan/normal"
)

//go:embed lexicon.txt
var lexiconText string

// Concept is an idea that the words of several languages stand for.
type Concept uint8

// concepts are the sections of lexicon.txt in their order; a rule names them.
var (
	concepts   = map[string]Concept{}
	conceptIDs []string
)

func readLexicon(into *builder) {
	var current Concept
	for line := range strings.Lines(lexiconText) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && line[len(line)-1] == ']' && !strings.Contains(line, " "):
			current = Concept(len(conceptIDs))
			name := line[1 : len(line)-1]
			concepts[name] = current
			conceptIDs = append(conceptIDs, name)
		default:
			_, words, ok := strings.Cut(line, ": ")
			if !ok {
				panic(fmt.Sprintf("lexicon.txt: %q", line))
			}
			for word := range strings.SplitSeq(words, " | ") {
				word = strings.TrimSpace(word)
				stem := strings.HasSuffix(word, "*")
				word = normal.String(strings.TrimSuffix(word, "*"))
				if word == "" || strings.Contains(word, "*") || len(word) > maxWord {
					continue // a German verb with its prefix at the end
				}
				into.add(word, stem, uint16(current))
			}
		}
	}
}
