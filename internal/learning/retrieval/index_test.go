package retrieval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func words(text string) []string { return strings.Fields(strings.ToLower(text)) }

func entry(owner, id, title, content string) Entry {
	return Entry{AtomID: id, Owner: owner, Title: title, Content: content, Evidence: []string{"e-" + id}, Version: 1, SourceHash: "h", CreatedAt: time.Unix(1000, 0)}
}

func small() *Index {
	x := New(words, "", 0)
	x.Put(
		entry("shared", "group", "Group", "a set with an associative operation and inverses"),
		entry("shared", "ring", "Ring", "an abelian group with a second operation that distributes"),
		entry("shared", "integral", "Integral", "the area under a curve as a limit of sums"),
		entry("shared", "bread", "Sourdough", "flour water and salt"),
		entry("ann", "mine", "My group notes", "what I think of a group"),
	)
	x.Relate(Relation{"r1", "shared", "group", "ring", "prerequisite", 0.97}, Relation{"r2", "ann", "ring", "bread", "analogy", 0.9})
	return x
}

func ids(hits []Hit) []string {
	var list []string
	for _, h := range hits {
		list = append(list, h.AtomID)
	}
	return list
}

func TestQuery(t *testing.T) {
	x := small()
	hits, trace := x.Query(Query{Text: "group", Owners: []string{"shared"}})
	if len(hits) < 2 || hits[0].AtomID != "group" || hits[1].AtomID != "ring" || slices.Contains(ids(hits), "mine") {
		t.Fatalf("%v", ids(hits))
	}
	if trace.Considered != 4 || trace.EvidenceCoverage != 1 || !trace.Exact {
		t.Errorf("%+v", trace)
	}
	if diff := cmp.Diff([]string{"group", "ring"}, hits[1].Path); diff != "" || !slices.Equal(hits[1].Edges, []string{"r1"}) {
		t.Errorf("path %v by %v", hits[1].Path, hits[1].Edges)
	}
	if slices.Contains(ids(hits), "bread") {
		t.Error("walked along another's relation")
	}
	hits, _ = x.Query(Query{Text: "group", Owners: []string{"ann", "shared"}})
	if !slices.Contains(ids(hits), "mine") || !slices.Contains(ids(hits), "bread") {
		t.Errorf("%v", ids(hits))
	}
	hits, _ = x.Query(Query{Text: "integrals", Owners: []string{"shared"}, Backend: Vector})
	if len(hits) == 0 || hits[0].AtomID != "integral" {
		t.Errorf("a word nearly the same: %v", ids(hits))
	}
	if hits, _ = x.Query(Query{Text: "integrals", Owners: []string{"shared"}, Backend: Keyword}); len(hits) != 0 {
		t.Errorf("words alone: %v", ids(hits))
	}
	hits, trace = x.Query(Query{Text: "group", Owners: []string{"shared"}, AsOf: time.Unix(10, 0)})
	if hits[0].Valid || trace.ValidityPass != 0 || len(hits[0].Reasons) == 0 {
		t.Errorf("%+v", hits[0])
	}
	if hits, trace = x.Query(Query{Text: "group"}); len(hits) != 0 || trace.Considered != 0 {
		t.Error("nobody's question has an answer")
	}
}

// draw makes a few atoms of a few owners.
func draw(t *rapid.T, label string, owners ...string) []Entry {
	vocabulary := strings.Fields("group ring field set map order limit norm space basis")
	var list []Entry
	for i := range rapid.IntRange(0, 12).Draw(t, label) {
		text := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 6).Draw(t, "text")
		owner := rapid.SampledFrom(owners).Draw(t, "owner")
		e := entry(owner, fmt.Sprintf("%s-%d", owner, i), text[0], strings.Join(text, " "))
		e.Version = rapid.IntRange(1, 3).Draw(t, "version")
		list = append(list, e)
	}
	return list
}

// TestPrivate is the law of shards: what others have changes nothing of an answer.
func TestPrivate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := New(words, "", 0)
		x.Put(draw(t, "mine", "me", "shared")...)
		ask := Query{Text: rapid.SampledFrom([]string{"group ring", "limit", "space of norm"}).Draw(t, "ask"), Owners: []string{"me", "shared"}}
		before, traced := x.Query(ask)
		x.Put(draw(t, "theirs", "you", "they")...)
		x.Relate(Relation{"r", "you", "me-0", "shared-1", "analogy", 1})
		after, again := x.Query(ask)
		if diff := cmp.Diff(before, after) + cmp.Diff(traced, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestInStep: however atoms came and went, index and signature are those of the atoms.
func TestInStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := New(words, "", 0)
		have := map[string]Entry{}
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			for _, e := range draw(t, "put", "me", "shared") {
				x.Put(e)
				have[e.AtomID] = e
			}
			for id := range have {
				if strings.HasSuffix(id, "-1") && rapid.Bool().Draw(t, "remove") {
					x.Remove(id, "never there")
					delete(have, id)
				}
			}
		}
		fresh := New(words, "", 0)
		for _, e := range have {
			fresh.Put(e)
		}
		every := func(yield func(Entry) bool) {
			for _, e := range have {
				if !yield(e) {
					return
				}
			}
		}
		if x.Signature() != fresh.Signature() || x.Signature() != x.SignatureOf(every) || x.Size() != len(have) {
			t.Fatalf("%d atoms, signature %s, want %s of %d", x.Size(), x.Signature(), fresh.Signature(), len(have))
		}
		ask := Query{Text: "group ring limit", Owners: []string{"me", "shared"}}
		want, _ := fresh.Query(ask)
		got, _ := x.Query(ask)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestSignatureTellsVersions(t *testing.T) {
	x := small()
	before := x.Signature()
	e := entry("shared", "group", "Group", "another text")
	e.Version = 2
	x.Put(e)
	if x.Signature() == before {
		t.Error("a new version has the old signature")
	}
	if New(words, "remote/3", 3).SignatureOf(slices.Values([]Entry{e})) == New(words, "", 0).SignatureOf(slices.Values([]Entry{e})) {
		t.Error("two embedders have one signature")
	}
}

// many makes atoms around topics, as notes are.
func many(n int) []Entry {
	r := rand.New(rand.NewPCG(7, 7))
	list := make([]Entry, n)
	for i := range list {
		topic := r.IntN(200)
		var b strings.Builder
		for range 40 {
			if r.IntN(3) > 0 {
				fmt.Fprintf(&b, "topic%dword%d ", topic, r.IntN(25))
			} else {
				fmt.Fprintf(&b, "common%d ", r.IntN(800))
			}
		}
		list[i] = entry("o", fmt.Sprintf("a%06d", i), fmt.Sprintf("Note %d on topic%d", i, topic), b.String())
	}
	return list
}

// TestRecall holds the cells against looking at everything.
func TestRecall(t *testing.T) {
	list := many(5000)
	x := New(words, "", 0)
	x.Put(list...)
	s := x.shards["o"]
	if s.cells == nil {
		t.Fatal("no cells")
	}
	partly, wholly, scanned := 0, 0, 0
	for i := 0; i < len(list); i += 500 {
		q := Query{Text: list[i].Content, Owners: []string{"o"}, Backend: Vector}
		near, trace := x.Query(q)
		scanned += trace.Scanned
		cells := s.cells
		s.cells = nil
		all, _ := x.Query(q)
		s.cells = cells
		for _, id := range ids(all) {
			wholly++
			if slices.Contains(ids(near), id) {
				partly++
			}
		}
	}
	recall := float64(partly) / float64(wholly)
	t.Logf("recall at 10: %.3f, %d vectors of %d scanned a query", recall, scanned/10, len(list))
	if recall < 0.9 {
		t.Errorf("recall %.3f", recall)
	}
}

func BenchmarkQuery(b *testing.B) {
	for _, n := range []int{1000, 8000, 20000} {
		x := New(words, "", 0)
		list := many(n)
		x.Put(list...)
		for i := range n - 1 {
			x.Relate(Relation{fmt.Sprint(i), "o", list[i].AtomID, list[i+1].AtomID, "sequence", 0.9})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				x.Query(Query{Text: list[i*31%n].Title + " common5", Owners: []string{"o"}})
			}
		})
	}
}

func BenchmarkPut(b *testing.B) {
	list := many(6500)
	x := New(words, "", 0)
	x.Put(list...)
	for i := 0; b.Loop(); i++ {
		x.Put(list[i%len(list)])
	}
}
