package notebook

import (
	"strings"

	"stoa/internal/learning/graph"
)

// NoteSource puts the text of a note together, with where in it the content of each atom begins.
func NoteSource(atoms []*graph.Atom) (text string, places map[string]int) {
	var b strings.Builder
	places = make(map[string]int, len(atoms))
	for i, a := range atoms {
		if len(a.Metadata.SectionPath) == 0 && a.Content == outline(atoms[1:]) {
			continue // nothing stands before the first section
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		if n := len(a.Metadata.SectionPath); n > 0 && i > 0 { // the first one's title is that of all
			b.WriteString(strings.Repeat("#", min(6, n+1)) + " " + a.Title + "\n\n")
		}
		places[a.ID] = b.Len()
		b.WriteString(a.Content)
	}
	return b.String(), places
}

// outline is what a note without a beginning has in its place.
func outline(sections []*graph.Atom) string {
	var titles []string
	for _, s := range sections {
		if len(titles) < 40 {
			titles = append(titles, s.Title)
		}
	}
	return strings.Join(titles, "\n")
}
