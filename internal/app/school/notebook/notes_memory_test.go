package notebook

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// A note is in memory with little beside its text. Members have up to 20,000, which are all read for the first change after a start.
func TestWhatANoteTakes(t *testing.T) {
	const count, mostOfNote, mostOfShown = 2000, 6800, 2400
	now := dbtest.NewClock()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "stoa.db"), now.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rng := rand.New(rand.NewPCG(15, 1))
	batch := graph.Batch{Mode: graph.Auto, At: now.Now()}
	text := 0
	for i := range count {
		var b strings.Builder
		fmt.Fprintf(&b, "# note %d\n\n", i)
		for range 40 {
			fmt.Fprintf(&b, "w%d ", rng.IntN(1<<30))
		}
		text += b.Len()
		batch.Documents = append(batch.Documents, graph.Document{ID: fmt.Sprint("n", i), Path: fmt.Sprint("n", i, ".md"), Content: b.String()})
	}
	if _, err := newLibraries(db, func(string) {}).Of("ada").Change(t.Context(), func(g *graph.Library) (graph.Changes, []schooldb.Correction) { return g.Ingest(batch), nil }, func(*store.Tx, graph.Changes) error { return nil }); err != nil {
		t.Fatal(err)
	}
	batch = graph.Batch{}
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	l := newLibraries(db, func(string) {}).Of("ada")
	before := heap()
	r, err := l.Read(t.Context())
	if err != nil || r.Notes != count {
		t.Fatal(r, err)
	}
	whole := (heap() - before) / count
	if err := l.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	shown := (heap() - before) / count
	t.Logf("a note of %d bytes takes %d, and %d when what changes need was let go of", text/count, whole, shown)
	if whole > mostOfNote || shown > mostOfShown {
		t.Errorf("%d and %d bytes, at most %d and %d", whole, shown, mostOfNote, mostOfShown)
	}
	runtime.KeepAlive(r)
}
