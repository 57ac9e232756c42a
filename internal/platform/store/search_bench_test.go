package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/fulltext"
)

// BenchmarkSearch measures searches of several kinds over made-up documents and
// reports the median and the 99th percentile in microseconds. STOA_BENCH_DOCS
// sets how many there are (100,000 unless told), STOA_BENCH_ENGINE keeps to one engine.
func BenchmarkSearch(b *testing.B) {
	docs := 100_000
	if text := os.Getenv("STOA_BENCH_DOCS"); text != "" {
		docs, _ = strconv.Atoi(text)
	}
	for _, e := range engines(b) {
		if only := os.Getenv("STOA_BENCH_ENGINE"); only != "" && only != e.name {
			continue
		}
		g := newGenerator()
		start := time.Now()
		g.fill(b, e, docs)
		b.Logf("%s: %d documents in %v, %s", e.name, docs, time.Since(start).Round(time.Second), size(b, e))
		var all []time.Duration
		for _, kind := range g.queries() {
			b.Run(fmt.Sprintf("%s/%d/%s", e.name, docs, kind.name), func(b *testing.B) {
				var took []time.Duration
				hits, i := 0, 0
				for b.Loop() {
					begin := time.Now()
					result, err := fulltext.Search(context.Background(), e.db, e.index, search.ParseQuery(kind.texts[i%len(kind.texts)]),
						search.Template, g.lookup)
					if err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(begin))
					hits += len(result.Hits)
					i++
				}
				all = append(all, took[:min(len(took), len(kind.texts))]...) // each query once
				report(b, took)
				b.ReportMetric(float64(hits)/float64(i), "hits/op")
			})
		}
		slices.Sort(all)
		if len(all) > 0 {
			b.Logf("%s: over all kinds p50 %v p99 %v", e.name, all[len(all)/2], all[len(all)*99/100])
		}
	}
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// size tells what the index takes on disk.
func size(b *testing.B, e testEngine) string {
	query := `SELECT (page_count * page_size) / 1048576 FROM pragma_page_count(), pragma_page_size()`
	if e.name == "postgres" {
		query = `SELECT pg_total_relation_size('item_search') / 1048576`
	}
	var mib int64
	if err := e.db.QueryRow(query).Scan(&mib); err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf("%d MiB", mib)
}

// generator makes documents whose words follow Zipf's law, as real ones do.
type generator struct {
	random *rand.Rand
	zipf   *rand.Zipf
	titles []string // FoldTitle by sequence number
}

const (
	benchWords = 60_000
	benchBody  = 80
)

func newGenerator() *generator {
	random := rand.New(rand.NewPCG(1, 2))
	return &generator{random: random, zipf: rand.NewZipf(random, 1.1, 20, benchWords-1), titles: []string{""}}
}

// word spells a number in syllables, so that words have common beginnings.
func word(n int) string {
	const syllables = "kanarosimetulipodegabuvi"
	var out strings.Builder
	for n += 24; n > 0; n /= 12 {
		at := n % 12 * 2
		out.WriteString(syllables[at : at+2])
	}
	return out.String()
}

// han spells a number in two characters.
func han(n int) string {
	return string([]rune{rune(0x4e00 + n%300), rune(0x4e00 + n/300%300)})
}

func (g *generator) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = word(int(g.zipf.Uint64()))
	}
	return strings.Join(list, " ")
}

func (g *generator) run(n int) string {
	var out strings.Builder
	for range n {
		out.WriteString(han(int(g.zipf.Uint64())))
	}
	return out.String()
}

// fill indexes made-up documents and marks some as popular.
func (g *generator) fill(b *testing.B, e testEngine, docs int) {
	ctx := context.Background()
	for seq := 1; seq <= docs; {
		tx, err := e.db.BeginTx(ctx, nil)
		if err != nil {
			b.Fatal(err)
		}
		for range min(1000, docs-seq+1) {
			title := g.words(3)
			g.titles = append(g.titles, search.FoldTitle(title))
			if err := e.index.Put(ctx, tx, int64(seq), 1, g.document(seq, title)); err != nil {
				b.Fatal(err)
			}
			seq++
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	if err := e.index.Maintain(ctx, e.db); err != nil {
		b.Fatal(err)
	}
	popular := make([]int64, fulltext.MaxPopular)
	for i := range popular {
		popular[i] = g.random.Int64N(int64(docs)) + 1
	}
	load := func(_ context.Context, seq int64) (search.Document, bool, error) {
		return g.document(int(seq), g.words(3)), true, nil // others than before, but as good for timing
	}
	if err := fulltext.RefreshPopular(ctx, e.db, e.index, popular, load); err != nil {
		b.Fatal(err)
	}
}

func (g *generator) document(seq int, title string) search.Document {
	return search.Document{
		Kind: [2]search.Kind{search.Template, search.Pack}[g.random.IntN(2)], ID: "item-" + strconv.Itoa(seq),
		Titles: []string{title, g.run(3)}, Keywords: strings.Fields(g.words(4)),
		Descriptions: []string{g.words(12), g.run(10)},
		Bodies:       []string{g.words(benchBody), g.run(benchBody / 2)},
	}
}

func (g *generator) lookup(seq int64) (search.Candidate, bool) {
	return search.Candidate{
		ID: strconv.FormatInt(seq, 10), FoldedTitles: g.titles[seq : seq+1], Installs: seq * 7919 % 1000,
	}, true
}

// queryKind is a group of queries that cost alike.
type queryKind struct {
	name  string
	texts []string
}

func (g *generator) queries() []queryKind {
	many := func(text func(i int) string) []string {
		list := make([]string, 40)
		for i := range list {
			list[i] = text(i)
		}
		return list
	}
	return []queryKind{
		{"common", many(func(i int) string { return word(i) })},
		{"two-common", many(func(i int) string { return word(i) + " " + word(i+7) })},
		{"middle", many(func(i int) string { return word(500 + 37*i) })},
		{"common-rare", many(func(i int) string { return word(i) + " " + word(20000+311*i) })},
		{"rare", many(func(i int) string { return word(30000 + 411*i) })},
		{"absent", many(func(i int) string { return "zz" + word(i) })},
		{"prefix", many(func(i int) string { return word(2000 + 97*i)[:4] })},
		{"han-common", many(func(i int) string { return han(i) })},
		{"han-run", many(func(i int) string { return han(i) + han(3*i) + han(i+1) })},
		{"request", many(func(i int) string { return word(3*i) + " " + word(40+i) + " " + word(900+i) + " " + word(5000+i) })},
	}
}
