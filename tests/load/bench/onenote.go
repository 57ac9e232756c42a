package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/school/notebook"
	"stoa/internal/learning/graph"
)

// changedNote is the time from a changed note until a search finds what is new in it, the middle of twenty, among n notes.
func (b *bench) changedNote(n int) (time.Duration, error) {
	a, db, err := b.learner(fmt.Sprintf("changed-%d", n))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	defer a.Close()
	documents := make([]graph.Document, n)
	for i := range documents {
		documents[i] = graph.Document{ID: fmt.Sprintf("c%d", i), Path: fmt.Sprintf("notes/c%d.md", i), Content: fourSections(i, "first")}
	}
	if _, err := a.IngestFolder(b.Ctx, ada, "ada", "", false, documents, time.UTC); err != nil {
		return 0, err
	}
	took := make([]time.Duration, 21)
	for i := range took {
		began, word := time.Now(), fmt.Sprintf("zebra%d", i)
		at := i * 37 % n
		changed := notebook.IngestDocument{DocumentID: documents[at].ID, SourcePath: documents[at].Path, Content: fourSections(at, word)}
		if _, err := a.IngestKnowledge(b.Ctx, ada, notebook.IngestInput{UserID: "ada", Documents: []notebook.IngestDocument{changed}}); err != nil {
			return 0, err
		}
		found, err := a.QueryKnowledge(b.Ctx, ada, notebook.QueryInput{UserID: "ada", Query: word})
		if err != nil {
			return 0, err
		}
		if len(found.Items) == 0 {
			return 0, errors.New("a changed note is not found")
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took[1:]) // the first one reads everything in
	return took[11], nil
}

func fourSections(i int, word string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Concept %d\n\nConcept %d is a thing that needs [[c%d]].\n", i, i, i/2)
	for s := range 4 {
		fmt.Fprintf(&text, "\n## Part %d of %d\n\nThis part says what word%d and word%d have to do with each other in concept %d.\nIt is long enough to be read as a thing of its own, since it has more than a hundred letters.\n", s, i, i*3%997, i*s%991, i)
	}
	return text.String() + word + "\n"
}
