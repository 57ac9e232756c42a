package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"stoa/internal/market/ranking"
)

func anyText(prefix string, n int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := fmt.Sprintf("%s%d", prefix, rapid.IntRange(0, n).Draw(t, "n"))
		if rapid.IntRange(0, 3).Draw(t, "case") == 0 {
			s = strings.ToUpper(s)
		}
		return s
	})
}

func anyEngagement(t *rapid.T) Engagement {
	n := func(name string) int64 { return rapid.Int64Range(0, 6).Draw(t, name) }
	return Engagement{n("trials"), n("installs"), n("prompts"), n("packages"), n("community"), n("activity")}
}

func anyRanking(t *rapid.T) ranking.Counts {
	n := func(name string) int64 { return rapid.Int64Range(0, 3).Draw(t, name) }
	ratings := n("ratings")
	return ranking.Counts{Ratings: ratings, Stars: ratings * rapid.Int64Range(1, 5).Draw(t, "stars"), Others: n("others"), Keepers: n("keepers")}
}

var (
	anySeq    = rapid.OneOf(rapid.Int64Range(1, 40), rapid.Int64Range(65530, 65540), rapid.Just(int64(maxSeq)))
	anyOwner  = rapid.SampledFrom([]string{"", "ann", "bob", "Bob"})
	anyViewer = rapid.SampledFrom([]string{"", "ann", "bob", "eve"})
	anySort   = rapid.SampledFrom([]Sort{"", SortTemplateID, SortRecentActivity, SortTrialRequests, SortInstalls, SortNewest, SortRanking})
	anyOrder  = rapid.SampledFrom([]Order{"", Asc, Desc})
)

func anyEntry(t *rapid.T) Entry {
	text := func(prefix string, n int) string {
		return rapid.OneOf(rapid.Just(""), anyText(prefix, n), anyText(prefix, n)).Draw(t, prefix)
	}
	list := func(prefix string) []string { return rapid.SliceOfN(anyText(prefix, 3), 0, 3).Draw(t, prefix) }
	return Entry{
		Seq: anySeq.Draw(t, "seq"), ID: fmt.Sprintf("id-%d", rapid.IntRange(0, 50).Draw(t, "id")),
		Version: text("v", 3), Category: text("cat-é", 3), Maintainer: text("m", 3), SourceChannel: text("src", 2),
		RiskLevel: text("risk", 2), PackType: text("pack", 2), Owner: anyOwner.Draw(t, "owner"),
		Tags: list("tag"), ReviewLabels: list("label"), WarningFlags: list("warn"), FoldedTitles: list("title"),
		Featured: rapid.Bool().Draw(t, "featured"), Private: rapid.IntRange(0, 2).Draw(t, "private") == 0,
		PublishedAt: rapid.Int64Range(0, 5).Draw(t, "published"), Engagement: anyEngagement(t), Ranking: anyRanking(t),
	}
}

func anyQuery(t *rapid.T) Query {
	text := func(prefix string, n int) string {
		if rapid.IntRange(0, 5).Draw(t, prefix+"?") > 0 {
			return ""
		}
		return anyText(prefix, n+1).Draw(t, prefix)
	}
	q := Query{
		Filter: Filter{
			Category: text("cat-é", 3), Tag: text("tag", 3), SourceChannel: text("src", 2), RiskLevel: text("risk", 2),
			ReviewLabel: text("label", 3), WarningFlag: text("warn", 3), PackType: text("pack", 2), Maintainer: text("m", 3),
		},
		Sort: anySort.Draw(t, "sort"), Order: anyOrder.Draw(t, "order"),
		Limit: rapid.IntRange(1, 7).Draw(t, "limit"), Viewer: anyViewer.Draw(t, "viewer"), Facets: true,
	}
	if rapid.IntRange(0, 4).Draw(t, "featured?") == 0 {
		b := rapid.Bool().Draw(t, "featured")
		q.Filter.Featured = &b
	}
	if rapid.IntRange(0, 2).Draw(t, "ranked?") == 0 {
		q.Ranked = rapid.SliceOfNDistinct(anySeq, 0, 30, rapid.ID[int64]).Draw(t, "ranked")
	}
	return q
}

// TestAgainstModel drives index and model by the same changes and compares every
// answer: hits, order, totals, facets, paging. Since the model decides visibility
// per item, this also holds that no private item of another owner counts anywhere.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, m := New(), model{}
		if rapid.Bool().Draw(t, "bulk") {
			list := rapid.SliceOfNDistinct(rapid.Custom(anyEntry), 0, 40, func(e Entry) int64 { return e.Seq }).Draw(t, "load")
			slices.SortFunc(list, func(a, b Entry) int { return int(a.Seq - b.Seq) })
			x.LoadAll(slices.Values(list))
			for _, e := range list {
				m.upsert(e)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"upsert": func(t *rapid.T) {
				e := anyEntry(t)
				x.Upsert(e)
				m.upsert(e)
			},
			"remove": func(t *rapid.T) {
				seq := anySeq.Draw(t, "seq")
				x.Remove(seq)
				delete(m, seq)
			},
			"ranking": func(t *rapid.T) {
				seq, c := anySeq.Draw(t, "seq"), anyRanking(t)
				gen, old := x.Generation(), m[seq]
				x.SetRanking(seq, c)
				now := old
				now.Ranking = c
				if old.ID != "" {
					m[seq] = now
				}
				if (gen != x.Generation()) != (old.ID != "" && old.Ranking != c) {
					t.Fatal("the generation tells of a change that is none, or not of one")
				}
			},
			"engagement": func(t *rapid.T) {
				seq, e := anySeq.Draw(t, "seq"), anyEngagement(t)
				gen, content, old := x.Generation(), x.ContentGeneration(), m[seq]
				x.SetEngagement(seq, e)
				if _, ok := m[seq]; ok {
					now := old
					now.Engagement = old.Engagement.merge(e)
					m[seq] = now
				}
				if content != x.ContentGeneration() {
					t.Fatal("counters are not content")
				}
				if changed := m[seq].Engagement != old.Engagement; changed != (x.Generation() != gen) {
					t.Fatalf("changed %v, generation %d → %d", changed, gen, x.Generation())
				}
			},
			"query": func(t *rapid.T) { compare(t, x, m, anyQuery(t)) },
			"":      func(t *rapid.T) { compareItems(t, x, m) },
		})
	})
}

func compare(t *rapid.T, x *Index, m model, q Query) {
	want, wantFacets := m.list(q), m.facets(q)
	var got []Hit
	for pages := 0; ; pages++ {
		if pages > len(want) {
			t.Fatalf("paging does not end")
		}
		page, err := x.Query(q)
		if err != nil {
			t.Fatal(err)
		}
		if page.Total != len(want) {
			t.Fatalf("total %d, want %d", page.Total, len(want))
		}
		for _, f := range page.Facets {
			counts := map[string]int{}
			for i, v := range f.Values {
				counts[fold(v.Value)] = v.Count
				if i > 0 && (f.Values[i-1].Count < v.Count || (f.Values[i-1].Count == v.Count && fold(f.Values[i-1].Value) >= fold(v.Value))) {
					t.Fatalf("facet %s out of order: %v", f.Name, f.Values)
				}
			}
			if d := cmp.Diff(wantFacets[f.Name], counts); d != "" {
				t.Fatalf("facet %s: %s", f.Name, d)
			}
		}
		got = append(got, page.Hits...)
		if page.NextCursor == "" {
			break
		}
		if len(page.Hits) != q.Limit {
			t.Fatalf("short page of %d with a next one", len(page.Hits))
		}
		q.Cursor = page.NextCursor
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
}

// compareItems checks reads by identity, and that nothing is kept of what is gone.
func compareItems(t *rapid.T, x *Index, m model) {
	if x.Len() != len(m) {
		t.Fatalf("len %d, want %d", x.Len(), len(m))
	}
	terms := map[string]bool{}
	for seq, want := range m {
		got, ok := x.Get(want.ID)
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); !ok || d != "" {
			t.Fatalf("found %v: %s", ok, d)
		}
		if by, _ := x.BySeq(seq); !cmp.Equal(got, by) {
			t.Fatalf("by seq: %s", cmp.Diff(got, by))
		}
		for _, viewer := range []string{"", "ann", "bob", "eve"} {
			hit, ok := x.Look(want.ID, viewer)
			if ok != want.VisibleTo(viewer) || ok && hit != (Hit{seq, want.ID, want.Engagement, want.Ranking}) {
				t.Fatalf("%q looks at %+v: %v, %+v", viewer, want, ok, hit)
			}
		}
		if _, ok := x.Look(want.ID+"?", "ann"); ok {
			t.Fatal("found what is not there")
		}
		for _, id := range x.s.mustTerms(seq) {
			terms[fmt.Sprint(id)] = true
		}
	}
	if live := len(x.s.dict.terms) - len(x.s.dict.freeTerms); live != len(terms) {
		t.Fatalf("%d terms alive, %d used", live, len(terms))
	}
	for c := range numColumns {
		if n := x.s.trees.cols[c].Len(); n != len(m) {
			t.Fatalf("tree %d has %d of %d", c, n, len(m))
		}
	}
}

func (s *state) mustTerms(seq int64) []uint32 {
	p, i := s.rows.at(uint32(seq))
	return p.recs[i].terms
}
