package catalog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func idsOf(t testing.TB, x *Index, q Query) (ids []string, total int) {
	t.Helper()
	for {
		page, err := x.Query(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, hit := range page.Hits {
			ids = append(ids, hit.ID)
		}
		if total = page.Total; page.NextCursor == "" {
			return ids, total
		}
		if len(ids) > total {
			t.Fatalf("%+v gives more than its total of %d: %v", q, total, ids)
		}
		q.Cursor = page.NextCursor
	}
}

func TestTextFilters(t *testing.T) {
	x := New()
	for i, e := range []Entry{
		{ID: "community/basic", Names: []string{"first steps"}},
		{ID: "basic"},
		{ID: "Artificial-Studio", FoldedID: "artificial-studio", Tags: []string{"Études"}},
		{ID: "community/basics-2", Names: []string{"again", "beim start"}},
		{ID: "a.b", Private: true, Owner: "ada"},
	} {
		e.Seq = int64(i + 1)
		x.Upsert(e)
	}
	for _, tc := range []struct {
		filter Filter
		want   []string
	}{
		{Filter{IDPart: "asic"}, []string{"basic", "community/basic", "community/basics-2"}},
		{Filter{IDPart: "basic"}, []string{"basic", "community/basic", "community/basics-2"}},
		{Filter{IDPart: "community/basic"}, []string{"community/basic", "community/basics-2"}},
		{Filter{IDPart: "community/basics-2"}, []string{"community/basics-2"}},
		{Filter{IDPart: "ficial-st"}, []string{"Artificial-Studio"}},
		{Filter{IDPart: "community/nothing-like-it"}, nil},
		{Filter{IDPart: "steps"}, nil},
		{Filter{IDPart: "a.b"}, nil}, // not the viewer's
		{Filter{IDPart: "b"}, []string{"basic", "community/basic", "community/basics-2"}},
		{Filter{IDPart: "basic\x00community"}, nil}, // over the end of a record
		{Filter{TextPart: "t ste"}, []string{"community/basic"}},
		{Filter{TextPart: "im st"}, []string{"community/basics-2"}},
		{Filter{TextPart: "tude"}, []string{"Artificial-Studio"}},
		{Filter{TextPart: "basic"}, []string{"basic", "community/basic", "community/basics-2"}},
		{Filter{IDPart: "basic", TextPart: "start"}, []string{"community/basics-2"}},
	} {
		for _, limit := range []int{1, 2, 50} {
			got, total := idsOf(t, x, Query{Filter: tc.filter, Limit: limit})
			if !slices.Equal(got, tc.want) || total != len(tc.want) {
				t.Errorf("%+v by %d: %v (%d), want %v", tc.filter, limit, got, total, tc.want)
			}
		}
	}
	// The whole id comes first in every order, and with facets.
	for _, sort := range []Sort{SortTemplateID, SortInstalls, SortNewest} {
		for _, order := range []Order{Asc, Desc} {
			for _, limit := range []int{1, 50} {
				if got, total := idsOf(t, x, Query{Filter: Filter{IDPart: "community/basic"}, Sort: sort, Order: order, Limit: limit, Facets: true}); total != 2 || got[0] != "community/basic" {
					t.Errorf("%s %s: %v", sort, order, got)
				}
			}
		}
	}
	if got, _ := idsOf(t, x, Query{Filter: Filter{IDPart: "a.b"}, Viewer: "ada"}); len(got) != 1 {
		t.Errorf("the owner sees %v", got)
	}
	// What is asked for first is not asked for ever.
	x.Upsert(Entry{Seq: 2, ID: "simple"})
	x.Remove(1)
	if got, _ := idsOf(t, x, Query{Filter: Filter{IDPart: "asic"}}); !slices.Equal(got, []string{"community/basics-2"}) {
		t.Errorf("after a change: %v", got)
	}
	if got, _ := idsOf(t, x, Query{Filter: Filter{IDPart: "mpl"}}); !slices.Equal(got, []string{"simple"}) {
		t.Errorf("after a change: %v", got)
	}
}

// Whatever ids there are, a filter finds those that have the part in them and no others.
func TestTextFilterIsASubstring(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := New()
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab/]{1,6}`), 1, 40, rapid.ID).Draw(t, "ids")
		for i, id := range ids {
			x.Upsert(Entry{Seq: int64(i*97 + 1), ID: id})
		}
		part := rapid.StringMatching(`[ab/]{1,3}`).Draw(t, "part")
		want := []string{}
		for _, id := range ids {
			if strings.Contains(id, part) && id != part {
				want = append(want, id)
			}
		}
		slices.Sort(want)
		if slices.Contains(ids, part) {
			want = append([]string{part}, want...)
		}
		page, err := x.Query(Query{Filter: Filter{IDPart: part}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, hit := range page.Hits {
			got = append(got, hit.ID)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", part, got, want)
		}
	})
}

func manyIDs(n int) *Index {
	x := New()
	entries := make([]Entry, n)
	for i := range entries {
		id := fmt.Sprintf("member-%d/assistant-for-%x", i%977, uint32(i)*2654435761)
		entries[i] = Entry{Seq: int64(i + 1), ID: id, Names: []string{fmt.Sprintf("an assistant for the task number %d", i), fmt.Sprintf("助手 %d", i)}}
	}
	x.LoadAll(slices.Values(entries))
	return x
}

func BenchmarkTextFilter(b *testing.B) {
	x := manyIDs(100_000)
	for name, f := range map[string]Filter{
		"common": {IDPart: "ssist"}, "one letter": {IDPart: "a"}, "rare": {IDPart: "-77/assistant-for-1"}, "nothing": {IDPart: "community/nosuch"},
		"common, titles too": {TextPart: "ask num"}, "nothing, titles too": {TextPart: "nosuch"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Query(Query{Filter: f, Limit: 50}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Ten times as many ids may cost about ten times as much and no more: reading them is one pass over memory.
func TestTextFilterCost(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	cost := func(n int) time.Duration {
		x := manyIDs(n)
		best := time.Hour
		for range 20 {
			start := time.Now()
			if _, err := x.Query(Query{Filter: Filter{IDPart: "community/nosuch"}, Limit: 50}); err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(start))
		}
		return best
	}
	small, large := cost(10_000), cost(100_000)
	t.Logf("10,000 ids: %v, 100,000 ids: %v", small, large)
	if large > 40*small+time.Millisecond {
		t.Errorf("%v for 10,000 ids and %v for 100,000", small, large)
	}
}
