package notebook

import (
	"fmt"
	"path/filepath"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/learning/graph"
	"stoa/internal/learning/notes"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// What was let go of is there again when it is needed: for a change, for a link, and when another node changed something.
func TestNotesThatWereLetGoOf(t *testing.T) {
	now := dbtest.NewClock()
	where := filepath.Join(t.TempDir(), "stoa.db")
	open := func() *library {
		db, err := store.Open(t.Context(), where, now.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return newLibraries(db, func(string) {}).Of("ada")
	}
	write := func(l *library, names ...string) {
		t.Helper()
		batch := graph.Batch{Mode: graph.Auto, At: now.Now()}
		for _, name := range names {
			batch.Documents = append(batch.Documents, graph.Document{ID: name, Path: name + ".md", Content: fmt.Sprintf("# %s\n\nSee [[first]] and more words on %s.\n", name, name)})
		}
		if _, err := l.Change(t.Context(), func(g *graph.Library) (graph.Changes, []schooldb.Correction) { return g.Ingest(batch), nil }, func(*store.Tx, graph.Changes) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	count := func(l *library, want int) *NotesSnapshot {
		t.Helper()
		r, err := l.Read(t.Context())
		if err != nil || r.Notes != want {
			t.Fatalf("%+v notes, want %d: %v", r, want, err)
		}
		return r
	}
	release := func(l *library) {
		t.Helper()
		if err := l.Release(t.Context()); err != nil || l.graph != nil || l.content != nil {
			t.Fatal(l.graph, err)
		}
	}
	here, there := open(), open()
	write(here, "first", "second")
	before := count(here, 2)
	release(here)
	if count(here, 2) != before || here.graph != nil {
		t.Error("reading alone brings it back")
	}
	if named := here.resolve("second", notes.Link{Target: "first"}); named.DocumentID != "first" {
		t.Errorf("the link leads to %+v", named)
	}
	count(here, 2)
	release(here)
	write(here, "third")
	if r := count(here, 3); len(r.Edges) < len(before.Edges) || len(r.Atoms) <= len(before.Atoms) {
		t.Errorf("%d atoms and %d edges, before %d and %d", len(r.Atoms), len(r.Edges), len(before.Atoms), len(before.Edges))
	}
	release(here)
	write(there, "fourth")
	count(here, 4)
	release(here)
	if n, err := here.store.CountNotes(t.Context(), "ada"); n != 4 || err != nil {
		t.Error(n, err)
	}
}
