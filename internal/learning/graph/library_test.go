package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/learning/notes"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func docs(pairs ...string) []Document {
	var list []Document
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, Document{Path: pairs[i], Content: pairs[i+1]})
	}
	return list
}

// relations renders edges by titles of documents: "group -prerequisite-> ring (fact)".
func relations(l *Library, kind notes.Kind) []string {
	title := map[string]string{}
	for _, r := range l.Records() {
		for _, a := range r.Atoms {
			title[a.ID] = strings.Trim(r.Title+"#"+a.Key, "#")
		}
	}
	var list []string
	for _, e := range l.Edges() {
		if e.Kind == kind {
			list = append(list, fmt.Sprintf("%s > %s %s", title[e.Source], title[e.Target], e.Provenance))
		}
	}
	slices.Sort(list)
	return list
}

func want(t *testing.T, l *Library, kind notes.Kind, list ...string) {
	t.Helper()
	if diff := cmp.Diff(list, relations(l, kind)); diff != "" {
		t.Errorf("%s: %s", kind, diff)
	}
}

func TestIngest(t *testing.T) {
	l := Open("shared", nil, nil)
	c := l.Ingest(Batch{At: now, Documents: docs(
		"algebra/Ring.md", "---\nrequires: [Group, Missing]\n---\nA ring is built on [[set theory|sets]].\n## Laws\nOne.\n## Use\n[x](../other/Field.md#top)",
		"algebra/Group.md", "Used in: [[Ring]]\n",
		"other/Field.md", "---\naliases: [Körper]\n---\nDepends on: [[RING]]\n# Top\n",
	)})
	if s := c.Summary; s.Changed != 3 || s.ActiveAtoms != 6 || s.UnresolvedLinks != 1 || len(c.Cycles) != 0 {
		t.Fatalf("%+v", s)
	}
	want(t, l, notes.Prerequisite, "Group > Ring fact", "Ring > Field fact")
	want(t, l, notes.Sequence, "Field > Field#top fact", "Ring > Ring#laws fact", "Ring#laws > Ring#use fact")
	want(t, l, notes.Reference, "Ring#use > Field#top fact")
	for _, e := range c.Edges {
		if len(e.Evidence) == 0 || !e.ValidFrom.Equal(now) {
			t.Errorf("edge without evidence or time: %+v", e)
		}
	}

	again := l.Ingest(Batch{At: now.Add(time.Hour), Documents: docs("algebra/Group.md", "Used in: [[Ring]]\n")})
	if again.Staleness[0].Status != Unchanged || len(again.Atoms)+len(again.Edges)+len(again.RemovedEdges) != 0 {
		t.Errorf("unchanged: %+v", again)
	}

	// A note that comes later is what an earlier link meant.
	l.Ingest(Batch{At: now, Documents: docs("Set theory.md", "All is sets.")})
	want(t, l, notes.Reference, "Ring > Set theory fact", "Ring#use > Field#top fact")
	l.Ingest(Batch{At: now, Deleted: []Ref{{Path: "algebra/Group.md"}}})
	want(t, l, notes.Prerequisite, "Ring > Field fact", "Set theory > Ring inferred")
	l.Ingest(Batch{At: now, Documents: docs("G.md", "# Group\n")})
	want(t, l, notes.Prerequisite, "G > Ring fact", "Ring > Field fact", "Set theory > Ring inferred")
}

func TestVersions(t *testing.T) {
	l := Open("me", nil, nil)
	first := l.Ingest(Batch{At: now, Documents: docs("a.md", "# A\nText.\n## One\nx\n## Two\ny\n$$z$$\n")})
	second := l.Ingest(Batch{At: now.Add(time.Hour), Documents: docs("a.md", "# A\nText.\n## One\nx, and more\n## Three\ny\n")})
	if first.Atoms[1].ID != second.Atoms[1].ID || second.Atoms[1].Metadata.Version != 2 || second.Atoms[0].Metadata.Version != 1 {
		t.Errorf("versions: %+v", second.Atoms)
	}
	if diff := cmp.Diff([]Superseded{{first.Atoms[1].ID, 1, first.Atoms[1].ID + "@1"}}, second.Superseded); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{first.Atoms[2].ID, first.Atoms[3].ID}, second.RemovedAtoms); diff != "" {
		t.Error(diff)
	}
	if !second.Atoms[1].CreatedAt.Equal(now) || !second.Atoms[1].UpdatedAt.Equal(now.Add(time.Hour)) {
		t.Errorf("times: %v %v", second.Atoms[1].CreatedAt, second.Atoms[1].UpdatedAt)
	}
	if len(second.Temporal) != 2 || second.Temporal[0].Kind != Supersedes || second.Temporal[1].Kind != ValidityWindow || second.Temporal[1].IsActive || !second.Temporal[1].ValidTo.Equal(now.Add(time.Hour)) || len(first.Temporal) != 1 || first.Temporal[0].Kind != DerivedFrom {
		t.Errorf("temporal: %+v %+v", first.Temporal, second.Temporal)
	}
	if other := Open("you", nil, nil).Ingest(Batch{At: now, Documents: docs("a.md", "# A")}); other.Atoms[0].ID == first.Atoms[0].ID {
		t.Error("two owners share an id")
	}
}

func TestMoves(t *testing.T) {
	l := Open("me", nil, nil)
	before := l.Ingest(Batch{At: now, Documents: docs("v/a.md", "About a.", "v/b.md", "[[a]]", "else/c.md", "C.")})
	id := before.Atoms[0].ID
	c := l.Ingest(Batch{At: now, Whole: true, Root: "v/", Documents: docs("v/sub/a2.md", "About a.", "v/b.md", "[[a]]")})
	if len(c.Atoms) != 1 || c.Atoms[0].ID != id || c.Staleness[0].MovedFrom != "" && c.Staleness[0].MovedFrom != "v/a.md" || c.Summary.Deleted != 0 {
		t.Errorf("moved within a whole vault: %+v", c)
	}
	c = l.Ingest(Batch{At: now, Moves: []Move{{Ref{Path: "v/sub/a2.md"}, "v/a.md"}}})
	if len(c.Records) != 1 || c.Records[0].Path != "v/a.md" || c.Records[0].Atoms[0].ID != id || len(c.Atoms) != 0 {
		t.Errorf("moved by name: %+v", c)
	}
	if got := len(l.Records()); got != 3 {
		t.Errorf("%d documents, for what lies outside the root stays", got)
	}
	c = l.Ingest(Batch{At: now, Whole: true, Root: "v/"})
	if c.Summary.Deleted != 2 || len(c.RemovedAtoms) != 2 {
		t.Errorf("emptied: %+v", c.Summary)
	}
}

func TestCycles(t *testing.T) {
	l := Open("me", nil, nil)
	c := l.Ingest(Batch{At: now, Documents: docs(
		"a.md", "Requires: [[b]]", "b.md", "Requires: [[c]]", "c.md", "Requires: a\n", "d.md", "Requires: [[a]]")})
	if len(c.Cycles) != 1 || len(c.Cycles[0].Edges) != 3 || c.Cycles[0].Broken.Confidence != surePlain {
		t.Fatalf("%+v", c.Cycles)
	}
	want(t, l, notes.Prerequisite, "a > d fact", "b > a fact", "c > b fact")
	title := func(name string) string { return AtomID("me", name+".md::") }
	// A member says that b does not need c: the circle is open and the edge that was broken stands again.
	c = l.Correct(Correction{Source: title("c"), Target: title("b"), Verdict: Unrelated}, now)
	want(t, l, notes.Prerequisite, "a > c fact", "a > d fact", "b > a fact")
	if len(c.Cycles) != 0 || len(c.RemovedEdges) != 1 || len(c.Edges) != 1 {
		t.Errorf("%+v", c)
	}
	l.Correct(Correction{Source: title("b"), Target: title("a"), Verdict: Reversed}, now)
	want(t, l, notes.Prerequisite, "a > b fact", "a > c fact", "a > d fact")
	l.Withdraw(title("a"), title("b"), now)
	l.Withdraw(title("b"), title("c"), now)
	want(t, l, notes.Prerequisite, "a > d fact", "b > a fact", "c > b fact")
}

// TestSameAnyWay is the law of the Library: however the notes came and went, the graph is that of the notes.
func TestSameAnyWay(t *testing.T) {
	names := []string{"alpha", "beta", "gamma", "delta", "eps", "x.md", "x.y.md", "dir/index"}
	words := strings.Fields("group ring field set map order limit norm space basis module ideal prime kernel image vector matrix trace rank")
	rapid.Check(t, func(t *rapid.T) {
		l := Open("o", nil, nil)
		have := map[string]Document{}
		at := now
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			at = at.Add(time.Minute)
			var b Batch
			b.At = at
			b.Mode = rapid.SampledFrom([]Mode{Auto, Incremental, Full, NoRecompute}).Draw(t, "mode")
			for range rapid.IntRange(0, 5).Draw(t, "docs") {
				path := rapid.SampledFrom(names).Draw(t, "path")
				if !strings.HasSuffix(path, ".md") {
					path += ".md"
				}
				var text strings.Builder
				if rapid.Bool().Draw(t, "dated") {
					fmt.Fprintf(&text, "---\ncreated: 2020-01-%02d\naliases: [%s]\n---\n", rapid.IntRange(1, 28).Draw(t, "day"), rapid.SampledFrom(names).Draw(t, "alias"))
				}
				for range rapid.IntRange(0, 4).Draw(t, "links") {
					fmt.Fprintf(&text, rapid.SampledFrom([]string{"[[%s]] is used.\n", "Requires: [[%s]]\n", "Gadgets: [[%s]]\n", "## H\n[[%s]]\n", "Examples: [[%s]]\n"}).Draw(t, "form"), rapid.SampledFrom(names).Draw(t, "to"))
				}
				from := rapid.IntRange(0, 9).Draw(t, "from")
				text.WriteString(strings.Join(words[from:from+9+rapid.IntRange(0, 1).Draw(t, "more")], " "))
				d := Document{ID: path, Path: path, Content: text.String()}
				b.Documents = append(b.Documents, d)
				have[d.ID] = d
			}
			if rapid.IntRange(0, 3).Draw(t, "delete") == 0 {
				for _, id := range slices.Sorted(maps.Keys(have)) {
					if !slices.ContainsFunc(b.Documents, func(d Document) bool { return d.ID == id }) {
						b.Deleted = append(b.Deleted, Ref{ID: id})
						delete(have, id)
						break
					}
				}
			}
			l.Ingest(b)
		}
		fresh := Open("o", nil, nil)
		fresh.Ingest(Batch{At: at, Documents: slices.Collect(maps.Values(have))})
		same(t, "made at once", l, fresh)
		text, err := json.Marshal(l.Records())
		if err != nil {
			t.Fatal(err)
		}
		var records []Record
		if err := json.Unmarshal(text, &records); err != nil {
			t.Fatal(err)
		}
		same(t, "opened again", l, Open("o", records, nil))
	})
}

func same(t *rapid.T, what string, a, b *Library) {
	t.Helper()
	strip := func(l *Library) []Edge {
		var list []Edge
		for _, e := range l.Edges() {
			list = append(list, *e)
			list[len(list)-1].ValidFrom = time.Time{}
		}
		return list
	}
	if diff := cmp.Diff(strip(a), strip(b)); diff != "" {
		t.Fatalf("%s: %s", what, diff)
	}
	if a.open != b.open || a.count != b.count || len(a.broken) != len(b.broken) {
		t.Fatalf("%s: %d/%d open, %d/%d atoms, %d/%d broken", what, a.open, b.open, a.count, b.count, len(a.broken), len(b.broken))
	}
}

// TestAcyclic holds breakCycles against the definition: what stands has no circle, and every broken edge closes one made
// of edges that are at least as strong.
func TestAcyclic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "nodes")
		edges := map[string]Edge{}
		for range rapid.IntRange(1, 40).Draw(t, "edges") {
			a, b := rapid.IntRange(0, n-1).Draw(t, "a"), rapid.IntRange(0, n-1).Draw(t, "b")
			e := edge(notes.Prerequisite, fmt.Sprint(a), fmt.Sprint(b), Inferred, float64(rapid.IntRange(60, 95).Draw(t, "sure"))/100, "")
			edges[e.ID] = e
		}
		m := newNeeds()
		for _, e := range edges {
			m.put(&e)
		}
		first := m.breakCycles()
		second := m.breakCycles()
		if len(first) != len(second) {
			t.Fatalf("%d broken, then %d", len(first), len(second))
		}
		kept := maps.Clone(edges)
		for _, c := range first {
			delete(kept, c.Broken.ID)
		}
		for _, c := range first {
			at := c.Broken.Target
			for _, id := range c.Edges[1:] {
				e, ok := kept[id]
				if !ok || e.Source != at || e.Confidence < c.Broken.Confidence {
					t.Fatalf("no cycle of stronger edges: %+v", c)
				}
				at = e.Target
			}
			if at != c.Broken.Source {
				t.Fatalf("an open cycle: %+v", c)
			}
		}
		var list [][2]int32
		for _, e := range kept {
			var a, b int32
			fmt.Sscan(e.Source, &a)
			fmt.Sscan(e.Target, &b)
			if a == b {
				t.Fatalf("a loop stands: %+v", e)
			}
			list = append(list, [2]int32{a, b})
		}
		seen := map[int32]bool{}
		for _, c := range components(n, list) {
			if seen[c] {
				t.Fatal("a circle stands")
			}
			seen[c] = true
		}
	})
}
