package graph_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
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

// peak runs f and returns by how many bytes what the collector found in use was more than before at most. It collects often
// meanwhile, so that garbage hardly counts, whatever the machine has to do.
func peak(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	read := func() int64 { metrics.Read(sample); return int64(sample[0].Value.Uint64()) }
	runtime.GC()
	before := read()
	most := before
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, read())
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	f()
	runtime.GC()
	close(stop)
	<-done
	return max(most, read()) - before
}

// fullSize reports whether the dense vaults are as large as an attacker's: STOA_FULL_SIZE=1. They are bounded in the same way
// when they are smaller, as long as they have more links than are kept.
func fullSize() bool { return os.Getenv("STOA_FULL_SIZE") != "" }

// Notes that are nothing but links, or very long, take no more memory than an honest vault.
func TestMemoryOfHostileNotes(t *testing.T) {
	all, wide, each, long := 260, 1100, 60, 10<<20
	if fullSize() {
		all, wide, each, long = 1000, 5000, 200, 50<<20
	}
	document := func(name, text string) graph.Batch {
		return graph.Batch{At: time.Unix(1_700_000_000, 0), Documents: []graph.Document{{Path: name, Content: text}}}
	}
	some := graph.Batch{At: time.Unix(1_700_000_000, 0)}
	for i := range wide {
		var text strings.Builder
		for k := range each {
			fmt.Fprintf(&text, "[[n%d]]\n", (i+k*k+1)%wide)
		}
		some.Documents = append(some.Documents, graph.Document{Path: fmt.Sprintf("n%d.md", i), Content: text.String()})
	}
	var needs graph.Batch
	needs.At = some.At
	for i := range all {
		var text strings.Builder
		for k := range all {
			fmt.Fprintf(&text, "Requires [[n%d]]\n\n", k)
		}
		needs.Documents = append(needs.Documents, graph.Document{Path: fmt.Sprintf("n%d.md", i), Content: text.String()})
	}
	var one strings.Builder
	for k := range 100_000 {
		fmt.Fprintf(&one, "[[n%d]]\n", k)
	}
	for _, c := range []struct {
		name  string
		batch graph.Batch
		most  int64 // MiB
	}{
		{"each to each", clique(all), 128},
		{"each needs each", needs, 160},
		{"each to some", some, 160},
		{"one note with 100,000 links", document("one.md", one.String()), 64},
		{"a long note", document("one.md", strings.Repeat("A sentence of some words [[that]] says a thing.\n\n", long/49)), 128},
	} {
		l := graph.Open("bob", nil, nil)
		var changes graph.Changes
		used := peak(func() { changes = l.Ingest(c.batch) })
		t.Logf("%s: %d edges, %d links folded, %d MiB", c.name, len(l.Edges()), changes.Summary.FoldedLinks, used>>20)
		if used > c.most<<20 {
			t.Errorf("%s: %d MiB of memory, want at most %d", c.name, used>>20, c.most)
		}
		changes = graph.Changes{}
		records := l.Records()
		l = nil
		if used := peak(func() { l = graph.Open("bob", records, nil) }); used > c.most<<20 {
			t.Errorf("%s: %d MiB of memory to open it again", c.name, used>>20)
		}
		runtime.KeepAlive(l)
	}
}

// A batch with more atoms than there may be changes nothing, and ends before all of it is read.
func TestTooManyAtoms(t *testing.T) {
	sections := func(path string, n int) graph.Document {
		return graph.Document{Path: path, Content: "# Note\n\nText.\n" + strings.Repeat("\n## Part\n\nText.\n", n-1)}
	}
	l := graph.Open("bob", nil, nil)
	at := time.Unix(1_700_000_000, 0)
	l.Ingest(graph.Batch{At: at, Documents: []graph.Document{sections("a.md", 5)}, MaxAtoms: 5})
	var many []graph.Document
	for i := range 60 {
		many = append(many, sections(fmt.Sprintf("n%d.md", i), 1000))
	}
	var changes graph.Changes
	used := peak(func() { changes = l.Ingest(graph.Batch{At: at, Documents: many, MaxAtoms: 1000}) })
	if changes.TooManyAtoms <= 1000 || changes.TooManyAtoms > 40_000 || len(changes.Records) != 0 || len(l.Records()) != 1 {
		t.Errorf("%d atoms, %d records", changes.TooManyAtoms, len(l.Records()))
	}
	if used > 48<<20 {
		t.Errorf("%d MiB of memory for what was refused", used>>20)
	}
	for n, over := range map[int]bool{4: false, 5: false, 6: true} {
		if changes := l.Ingest(graph.Batch{At: at, Documents: []graph.Document{sections("a.md", n)}, MaxAtoms: 3}); (changes.TooManyAtoms > 0) != over {
			t.Errorf("%d sections where more are kept than may be: %+v", n, changes.Summary)
		}
		l = graph.Open("bob", nil, nil)
		l.Ingest(graph.Batch{At: at, Documents: []graph.Document{sections("a.md", 5)}})
	}
}

// Notes that all link to each other keep what is most specific.
func TestDenseLinksAreFolded(t *testing.T) {
	const n = 300
	l := graph.Open("bob", nil, nil)
	batch := clique(n)
	changes := l.Ingest(batch)
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
	if used > 200<<20 {
		t.Errorf("%d MiB of memory", used>>20)
	}
}
