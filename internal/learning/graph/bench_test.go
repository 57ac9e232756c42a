package graph

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// synthetic makes a vault of notes that link mostly to older ones, some of them in relation lines.
func synthetic(notes, links int) []Document {
	r := rand.New(rand.NewPCG(1, 2))
	docs := make([]Document, notes)
	word := func() string { return fmt.Sprintf("word%d", int(r.ExpFloat64()*400)) }
	for i := range docs {
		var b strings.Builder
		fmt.Fprintf(&b, "---\ncreated: %s\n---\n", time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i/3).Format("2006-01-02"))
		for k := range links / notes {
			if k%5 == 4 {
				fmt.Fprintf(&b, "\n## Part %d\n\n", k)
			}
			target := int(float64(notes) * r.Float64() * r.Float64())
			if r.IntN(10) < 7 && i > 0 {
				target = r.IntN(i)
			}
			if r.IntN(8) == 0 {
				fmt.Fprintf(&b, "Requires: [[Note %d]]\n", target)
				continue
			}
			for range 12 {
				b.WriteString(word())
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "as in [[Note %d]].\n", target)
		}
		for range 60 {
			b.WriteString(word())
			b.WriteByte(' ')
		}
		docs[i] = Document{Path: fmt.Sprintf("dir%d/Note %d.md", i%20, i), Content: b.String()}
	}
	return docs
}

// cpu is the processor time this process has taken: what to compare on a machine that others use too.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func BenchmarkIngest(b *testing.B) {
	for name, docs := range map[string][]Document{
		"mathwiki": vault(b, "mathwiki"), "dendron": vault(b, "dendron-site"),
		"made-1600": synthetic(1625, 10500), "made-6500": synthetic(6500, 42300), "made-26000": synthetic(26000, 169000),
	} {
		b.Run(name, func(b *testing.B) {
			start := cpu()
			for b.Loop() {
				l := Open("bench", nil, nil)
				c := l.Ingest(Batch{Documents: docs, At: time.Unix(1e9, 0)})
				b.ReportMetric(float64(len(c.Edges)), "edges")
				b.ReportMetric(float64(c.Summary.BrokenEdges), "broken")
				b.ReportMetric(float64(c.Summary.UnresolvedLinks), "open")
			}
			b.ReportMetric(float64((cpu()-start).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}

func BenchmarkOneNote(b *testing.B) {
	for name, docs := range map[string][]Document{"mathwiki": vault(b, "mathwiki"), "made-6500": synthetic(6500, 42300)} {
		b.Run(name, func(b *testing.B) {
			l := Open("bench", nil, nil)
			l.Ingest(Batch{Documents: docs, At: time.Unix(1e9, 0)})
			slowest := time.Duration(0)
			i, began := 0, cpu()
			for b.Loop() {
				d := docs[i*37%len(docs)]
				d.Content += fmt.Sprintf("\nA new line %d on [[Note %d]].\n", i, i*53%len(docs))
				i++
				start := time.Now()
				l.Ingest(Batch{Documents: []Document{d}, At: time.Unix(1e9+1, 0)})
				slowest = max(slowest, time.Since(start))
			}
			b.ReportMetric(float64((cpu()-began).Milliseconds())/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(slowest.Milliseconds()), "max-ms")
		})
	}
}

func BenchmarkOpen(b *testing.B) {
	l := Open("bench", nil, nil)
	l.Ingest(Batch{Documents: synthetic(6500, 42300)})
	records := l.Records()
	for b.Loop() {
		Open("bench", records, nil)
	}
}
