package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

func item(seq int64, id string) Entry { return Entry{Seq: seq, ID: id} }

func mustQuery(t *testing.T, x *Index, q Query) Page {
	t.Helper()
	page, err := x.Query(q)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func idList(page Page) string {
	var out []string
	for _, h := range page.Hits {
		out = append(out, h.ID)
	}
	return strings.Join(out, " ")
}

func TestFoldAgreesWithEqualFold(t *testing.T) {
	words := []string{"Go", "GO", "go", "ſtrasse", "Strasse", "K", "k", "É", "é", "σ", "ς", "Σ", "模板", "ß", "ẞ", ""}
	for _, a := range words {
		for _, b := range words {
			if want := strings.EqualFold(a, b); (fold(a) == fold(b)) != want {
				t.Errorf("%q, %q: EqualFold %v, folded %q, %q", a, b, want, fold(a), fold(b))
			}
		}
	}
}

func TestForeignCursorsAreErrors(t *testing.T) {
	x := New()
	for i := range int64(5) {
		x.Upsert(item(i+1, fmt.Sprint("t", i)))
	}
	cursor := mustQuery(t, x, Query{Sort: SortInstalls, Limit: 2}).NextCursor
	ranked := []int64{3, 1, 2}
	rankCursor := mustQuery(t, x, Query{Ranked: ranked, Limit: 1}).NextCursor
	for name, q := range map[string]Query{
		"other sort":       {Sort: SortNewest, Cursor: cursor},
		"other order":      {Sort: SortInstalls, Order: Asc, Cursor: cursor},
		"default sort":     {Cursor: cursor},
		"ranked":           {Ranked: ranked, Cursor: cursor},
		"ranked elsewhere": {Sort: SortInstalls, Cursor: rankCursor},
		"not base64":       {Cursor: "***"},
		"cut":              {Sort: SortInstalls, Cursor: cursor[:len(cursor)-1]},
		"longer":           {Sort: SortInstalls, Cursor: cursor + "AA"},
		"empty but a mark": {Cursor: cursorCoding.EncodeToString([]byte{ordering{byID: true}.mark()})},
		"overlong rank":    {Ranked: ranked, Cursor: cursorCoding.EncodeToString([]byte{cursorMark | byte(cursorRanked)<<1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1})},
	} {
		if _, err := x.Query(q); !errors.Is(err, ErrCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCursorHoldsWhileItemsMove(t *testing.T) {
	x := New()
	for i := range int64(6) {
		x.Upsert(item(i+1, fmt.Sprint("t", i+1)))
	}
	first := mustQuery(t, x, Query{Limit: 2})
	x.Remove(2)                 // the item the cursor names
	x.Upsert(item(9, "a"))      // before it
	x.Upsert(item(10, "t2bis")) // after it
	if got := idList(mustQuery(t, x, Query{Limit: 2, Cursor: first.NextCursor})); got != "t2bis t3" {
		t.Error(got)
	}
	r := mustQuery(t, x, Query{Ranked: []int64{4, 5, 6, 1}, Limit: 2})
	if got := idList(mustQuery(t, x, Query{Ranked: []int64{9, 4, 5, 6, 1}, Limit: 2, Cursor: r.NextCursor})); got != "t6 t1" {
		t.Error(got)
	}
}

func TestSpellings(t *testing.T) {
	x := New()
	secret := Entry{Seq: 1, ID: "p", Private: true, Owner: "ann", Tags: []string{"SecreT"}}
	x.Upsert(secret)
	x.Upsert(Entry{Seq: 2, ID: "q", Private: true, Owner: "bob", Tags: []string{"secret"}})
	tags := func(viewer string) string {
		for _, f := range mustQuery(t, x, Query{Facets: true, Viewer: viewer}).Facets {
			if f.Name == "tag" {
				return fmt.Sprint(f.Values)
			}
		}
		return "no facet"
	}
	for viewer, want := range map[string]string{"": "[]", "eve": "[]", "ann": "[{SecreT 1}]", "bob": "[{secret 1}]"} {
		if got := tags(viewer); got != want {
			t.Errorf("%q sees %s, want %s", viewer, got, want)
		}
	}
	x.Upsert(Entry{Seq: 3, ID: "r", Tags: []string{"SECRET"}})
	if got := tags("ann"); got != "[{SECRET 2}]" {
		t.Errorf("public spelling: %s", got)
	}
}

func TestFacetsAreCutAtTheTop(t *testing.T) {
	x := New()
	for i := range int64(200) {
		tags := []string{fmt.Sprintf("tag-%03d", i%100)}
		if i < 5 {
			tags = append(tags, "many")
		}
		x.Upsert(Entry{Seq: i + 1, ID: fmt.Sprint(i), Tags: tags})
	}
	for _, q := range []Query{{Facets: true}, {Facets: true, Ranked: []int64{1, 2, 3, 4, 5, 6}}} {
		values := mustQuery(t, x, q).Facets[dimTag].Values
		if len(values) > FacetValues || values[0] != (FacetValue{"many", 5}) || values[1].Value != "tag-000" {
			t.Errorf("%d values: %v", len(values), values[:2])
		}
	}
}

// Members that all lie at the end of the order make a walk give up.
func TestClusteredMembers(t *testing.T) {
	x := New()
	x.LoadAll(func(yield func(Entry) bool) {
		for i := range int64(20_000) {
			e := Entry{Seq: i + 1, ID: fmt.Sprintf("%05d", i), PublishedAt: i}
			if i >= 16_000 {
				e.Category = "late"
			}
			if !yield(e) {
				return
			}
		}
	})
	for _, s := range []Sort{SortTemplateID, SortNewest} {
		q := Query{Filter: Filter{Category: "Late"}, Sort: s, Order: Asc, Limit: 3}
		page := mustQuery(t, x, q)
		q.Cursor = page.NextCursor
		if got := idList(page) + " " + idList(mustQuery(t, x, q)); got != "16000 16001 16002 16003 16004 16005" {
			t.Errorf("%s: %s", s, got)
		}
	}
}

func TestPopularIsPublic(t *testing.T) {
	x := New()
	x.Upsert(Entry{Seq: 1, ID: "a", Engagement: Engagement{Installs: 1}})
	x.Upsert(Entry{Seq: 2, ID: "b", Engagement: Engagement{Installs: 9}, Private: true, Owner: "ann"})
	x.Upsert(Entry{Seq: 3, ID: "c", Engagement: Engagement{Installs: 5}})
	if got := x.Popular(5); !slices.Equal(got, []int64{3, 1}) {
		t.Error(got)
	}
}

func TestLoadAllKeepsIDsUnique(t *testing.T) {
	x := New()
	x.LoadAll(slices.Values([]Entry{item(1, "a"), item(2, "b"), item(7, "a"), item(0, "zero"), item(8, ""), item(2, "c")}))
	if got := idList(mustQuery(t, x, Query{})); got != "a c" || x.Len() != 2 {
		t.Error(got, x.Len())
	}
	if e, _ := x.Get("a"); e.Seq != 7 {
		t.Error(e.Seq)
	}
}

// TestConcurrentUse is for the race detector; it also checks that a page is of one instant.
func TestConcurrentUse(t *testing.T) {
	x := New()
	x.LoadAll(func(yield func(Entry) bool) {
		for i := range int64(500) {
			if !yield(Entry{Seq: i + 1, ID: fmt.Sprint(i), Category: fmt.Sprint(i % 3), Tags: []string{fmt.Sprint(i % 40)}}) {
				return
			}
		}
	})
	var wg sync.WaitGroup
	for w := range int64(2) {
		wg.Go(func() {
			for i := range int64(1500) {
				n := i*7%500 + 1
				x.SetEngagement(n, Engagement{Installs: i, TrialRequests: i, LastActivityAt: i})
				if i%5 == w {
					x.Remove(n)
					x.Upsert(Entry{Seq: n, ID: fmt.Sprint(n - 1), Category: fmt.Sprint(i % 3), Private: i%2 == 0, Owner: "ann"})
				}
			}
		})
		wg.Go(func() {
			for i := range 600 {
				page := mustQuery(t, x, Query{Sort: SortInstalls, Filter: Filter{Category: fmt.Sprint(i % 3)}, Viewer: "ann", Facets: i%10 == 0, Limit: 20})
				for _, h := range page.Hits {
					if h.Engagement.Installs != h.Engagement.TrialRequests {
						t.Error("torn counters", h)
					}
				}
				sorted := slices.IsSortedFunc(page.Hits, func(a, b Hit) int { return int(b.Engagement.Installs - a.Engagement.Installs) })
				if !sorted || len(page.Hits) > page.Total {
					t.Error("page is not of one instant")
				}
				x.Popular(5)
				x.Get("17")
			}
		})
	}
	wg.Wait()
}
