package catalog

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// sample makes n entries like a grown market: few categories, 1,400 tags and
// 5,000 maintainers of very unequal popularity, counters with a long tail.
func sample(n int) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		zipf := func(n uint64) *rand.Zipf { return rand.NewZipf(r, 1.1, 8, n-1) }
		tags, makers := zipf(1400), zipf(5000)
		long := rand.NewZipf(r, 1.3, 2, 1_000_000)
		pick := func(of ...string) string { return of[r.IntN(len(of))] }
		for i := range n {
			e := Entry{
				Seq:           int64(i + 1),
				ID:            fmt.Sprintf("%s-%s-%06x", pick("study", "code", "music", "tutor"), pick("helper", "guide", "pack"), r.Uint32()) + fmt.Sprint(i),
				Version:       fmt.Sprintf("1.%d.%d", r.IntN(9), r.IntN(9)),
				Category:      fmt.Sprintf("category-%02d", r.IntN(24)),
				Maintainer:    fmt.Sprintf("maintainer-%d", makers.Uint64()),
				SourceChannel: pick("community", "official", "partner", "import"),
				RiskLevel:     pick("low", "low", "low", "medium", "high"),
				PackType:      pick("", "", "bot_profile_pack", "extension_pack"),
				Owner:         fmt.Sprintf("owner-%d", makers.Uint64()),
				ReviewLabels:  []string{pick("reviewed", "pending", "escalated")},
				FoldedTitles:  []string{fmt.Sprintf("a helper for subject %d", i)},
				Featured:      r.IntN(100) == 0,
				PublishedAt:   1_700_000_000_000_000 + r.Int64N(50_000_000_000_000),
				Engagement:    Engagement{Installs: int64(long.Uint64()), TrialRequests: int64(long.Uint64()), LastActivityAt: 1_700_000_000_000_000 + r.Int64N(50_000_000_000_000)},
			}
			for range 1 + r.IntN(4) {
				e.Tags = append(e.Tags, fmt.Sprintf("tag-%d", tags.Uint64()))
			}
			if r.IntN(10) == 0 {
				e.WarningFlags = []string{pick("prompt_injection_detected", "network", "file_access")}
			}
			if !yield(e) {
				return
			}
		}
	}
}

func loaded(n int) *Index {
	x := New()
	x.LoadAll(sample(n))
	return x
}

// randomQueries asks with 0 to 3 filters, values as frequent as in the items.
func randomQueries(x *Index, n int, q Query) []Query {
	r := rand.New(rand.NewPCG(3, 4))
	out := make([]Query, n)
	for i := range out {
		q.Filter = Filter{}
		for range r.IntN(4) {
			e, _ := x.BySeq(1 + r.Int64N(int64(x.Len())))
			switch r.IntN(7) {
			case 0:
				q.Filter.Category = e.Category
			case 1:
				q.Filter.Tag = e.Tags[0]
			case 2:
				q.Filter.SourceChannel = e.SourceChannel
			case 3:
				q.Filter.RiskLevel = e.RiskLevel
			case 4:
				q.Filter.ReviewLabel = e.ReviewLabels[0]
			case 5:
				q.Filter.Maintainer = e.Maintainer
			case 6:
				q.Filter.Featured = &e.Featured
			}
		}
		out[i] = q
	}
	return out
}

func benchQueries(b *testing.B, x *Index, queries []Query) {
	b.ReportAllocs()
	took := make([]time.Duration, 0, 1<<16)
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if _, err := x.Query(queries[i%len(queries)]); err != nil {
			b.Fatal(err)
		}
		if d := time.Since(start); len(took) < cap(took) {
			took = append(took, d)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "median-ns")
	b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
}

var sizes = []int{100_000, 1_000_000}

func skipLarge(b *testing.B, n int) {
	if testing.Short() && n > 100_000 {
		b.Skip("large")
	}
}

// BenchmarkList is a first page of 50 with random filters, by each sort.
func BenchmarkList(b *testing.B) {
	for _, n := range sizes {
		skipLarge(b, n)
		x := loaded(n)
		for _, s := range []Sort{SortTemplateID, SortRecentActivity, SortTrialRequests, SortInstalls, SortNewest} {
			queries := randomQueries(x, 1000, Query{Sort: s, Limit: 50})
			b.Run(fmt.Sprintf("%d/%s", n, s), func(b *testing.B) { benchQueries(b, x, queries) })
		}
	}
}

// BenchmarkListPrivate is the same when one item in a hundred is private.
func BenchmarkListPrivate(b *testing.B) {
	x := New()
	x.LoadAll(func(yield func(Entry) bool) {
		for e := range sample(100_000) {
			if e.Private = e.Seq%100 == 0; !yield(e) {
				return
			}
		}
	})
	benchQueries(b, x, randomQueries(x, 1000, Query{Sort: SortInstalls, Viewer: "owner-1"}))
}

// BenchmarkPlan is the worst case of both plans: a set where they cost the same.
func BenchmarkPlan(b *testing.B) {
	x := loaded(100_000)
	for _, share := range []int{10, 20, 45, 100, 200} { // one in share is a member
		seqs := make([]int64, 0, 100_000/share)
		for i := 1; i <= 100_000; i += share {
			seqs = append(seqs, int64(i))
		}
		set := seqSet(seqs)
		for _, o := range []ordering{{byID: true}, {col: colInstalls, desc: true}} {
			name := fmt.Sprintf("1in%d/byID=%v", share, o.byID)
			b.Run(name+"/walk", func(b *testing.B) {
				for b.Loop() {
					x.s.walkSet(set, o, position{}, 51, 51*share, 1<<30)
				}
			})
			b.Run(name+"/collect", func(b *testing.B) {
				for b.Loop() {
					if o.byID {
						x.s.firstByID(set, o.desc, position{}, 51)
					} else {
						x.s.firstByColumn(set, o, position{}, 51)
					}
				}
			})
		}
	}
}

// BenchmarkFacets is a page with all facets counted.
func BenchmarkFacets(b *testing.B) {
	for _, n := range sizes {
		skipLarge(b, n)
		x := loaded(n)
		b.Run(fmt.Sprintf("%d/unfiltered", n), func(b *testing.B) { benchQueries(b, x, []Query{{Facets: true}}) })
		b.Run(fmt.Sprintf("%d/one", n), func(b *testing.B) {
			benchQueries(b, x, []Query{{Facets: true, Filter: Filter{RiskLevel: "low"}}})
		})
		b.Run(fmt.Sprintf("%d/random", n), func(b *testing.B) { benchQueries(b, x, randomQueries(x, 1000, Query{Facets: true})) })
	}
}

// BenchmarkRanked filters a search result of 1,000.
func BenchmarkRanked(b *testing.B) {
	x := loaded(100_000)
	r := rand.New(rand.NewPCG(5, 6))
	ranked := make([]int64, 1000)
	for i, n := range r.Perm(100_000)[:1000] {
		ranked[i] = int64(n + 1)
	}
	benchQueries(b, x, randomQueries(x, 1000, Query{Ranked: ranked}))
}

// BenchmarkSetEngagement is one more install and a new time of activity.
func BenchmarkSetEngagement(b *testing.B) {
	for _, n := range sizes {
		skipLarge(b, n)
		x := loaded(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(7, 8))
			e := Engagement{LastActivityAt: 1_800_000_000_000_000}
			for b.Loop() {
				e.Installs++
				e.LastActivityAt++
				x.SetEngagement(1+r.Int64N(int64(n)), e)
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	x := loaded(100_000)
	e, _ := x.BySeq(77_777)
	b.ReportAllocs()
	for b.Loop() {
		x.Get(e.ID)
	}
}

// BenchmarkLoadAll gives the time to build and the heap the index keeps.
func BenchmarkLoadAll(b *testing.B) {
	for _, n := range sizes {
		skipLarge(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			entries := slices.Collect(sample(n))
			for b.Loop() {
				New().LoadAll(slices.Values(entries))
			}
			entries = nil //nolint:ineffassign // lets the collector have it before the heap is measured
			before := heap()
			x := loaded(n) // keeps all the strings it needs alive by itself
			b.ReportMetric(float64(heap()-before)/float64(n), "heap-B/entry")
			runtime.KeepAlive(x)
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
