package graph_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/learning/graph"
)

// clique is n notes, each of which links to every one, on lines of their own.
func clique(n int) graph.Batch {
	var links strings.Builder
	for i := range n {
		fmt.Fprintf(&links, "[[n%d]]\n", i)
	}
	b := graph.Batch{At: time.Unix(1_700_000_000, 0)}
	for i := range n {
		b.Documents = append(b.Documents, graph.Document{Path: fmt.Sprintf("n%d.md", i), Content: fmt.Sprintf("# Note %d\n\nRequires [[n%d]]\n\n%s", i, (i+1)%n, links.String())})
	}
	return b
}

// peak runs f and returns by how many bytes the heap's objects were more than before at most, as a sampler saw it.
func peak(f func()) int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	read := func() int64 { metrics.Read(sample); return int64(sample[0].Value.Uint64()) }
	before := read()
	var most atomic.Int64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most.Store(max(most.Load(), read()))
			select {
			case <-stop:
				return
			default:
			}
			time.Sleep(time.Millisecond)
		}
	}()
	f()
	close(stop)
	<-done
	return max(most.Load(), read()) - before
}

// Notes that all link to each other keep what is most specific, and their memory is bounded. A thousand of
// them were seen to take up to 400 MiB with the garbage that a busy machine has not collected yet.
func TestDenseLinksAreFolded(t *testing.T) {
	const n = 300
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // what is in use counts here, not when the collector had time
	l := graph.Open("bob", nil, nil)
	batch := clique(n)
	var changes graph.Changes
	used := peak(func() { changes = l.Ingest(batch) })
	t.Logf("%d edges, %d links folded, %d MiB", len(l.Edges()), changes.Summary.FoldedLinks, used>>20)
	if used > 320<<20 {
		t.Errorf("%d MiB of heap", used>>20)
	}
	runtime.GC()
	if kept := peak(func() { again := graph.Open("bob", l.Records(), nil); runtime.KeepAlive(again) }); kept > 320<<20 {
		t.Errorf("%d MiB of heap to open it again", kept>>20)
	}
	if edges := len(l.Edges()); edges < 10_000 || edges > 250_000 {
		t.Errorf("%d edges", edges)
	}
	links := 0
	stated := 0
	for _, r := range l.Records() {
		links += len(r.Links)
		for i := range r.Links {
			if r.Links[i].Kind != "" && r.Links[i].Kind != "reference" {
				stated++
				break
			}
		}
	}
	if links > 64_000 || changes.Summary.FoldedLinks+links != n*(n+1) {
		t.Errorf("%d links kept and %d folded of %d", links, changes.Summary.FoldedLinks, n*(n+1))
	}
	if stated != n {
		t.Errorf("%d notes keep what they say of another, want %d", stated, n)
	}
	again := graph.Open("bob", l.Records(), nil)
	if len(again.Edges()) != len(l.Edges()) {
		t.Errorf("%d edges when it is read again", len(again.Edges()))
	}
	later := l.Ingest(graph.Batch{At: batch.At, Documents: []graph.Document{{Path: "late.md", Content: "# Late\n\nRequires [[n1]]\n"}}})
	if later.Summary.FoldedLinks != changes.Summary.FoldedLinks || len(later.Edges) == 0 {
		t.Errorf("a note that comes later: %+v", later.Summary)
	}
}

// A large honest vault keeps every link: seven thousand notes with about eight each, one of them an index of all.
func TestHonestVaultKeepsItsLinks(t *testing.T) {
	const n = 7000
	b := graph.Batch{At: time.Unix(1_700_000_000, 0)}
	var index strings.Builder
	want := 0
	for i := range n {
		var text strings.Builder
		fmt.Fprintf(&text, "# Topic %d\n\nWhat is said of topic %d.\n\n", i, i)
		for k := 1; k <= 7; k++ {
			fmt.Fprintf(&text, "See [[t%d]].\n", (i*k+k*k+1)%n)
			want++
		}
		b.Documents = append(b.Documents, graph.Document{Path: fmt.Sprintf("t%d.md", i), Content: text.String()})
		fmt.Fprintf(&index, "- [[t%d]]\n", i)
		want++
	}
	b.Documents = append(b.Documents, graph.Document{Path: "overview.md", Content: "# Overview\n\n" + index.String()})
	l := graph.Open("bob", nil, nil)
	var changes graph.Changes
	used := peak(func() { changes = l.Ingest(b) })
	links := 0
	for _, r := range l.Records() {
		links += len(r.Links)
	}
	t.Logf("%d links, %d edges, %d MiB", links, len(l.Edges()), used>>20)
	if changes.Summary.FoldedLinks != 0 || links != want {
		t.Errorf("%d of %d links are kept, %d folded", links, want, changes.Summary.FoldedLinks)
	}
	if used > 320<<20 {
		t.Errorf("%d MiB of heap", used>>20)
	}
}
