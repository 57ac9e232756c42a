package compare

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/market/strictjson"
)

func parse(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	return v.(map[string]any)
}

func packs(t testing.TB, before, after string, selected ...string) Result {
	t.Helper()
	r, err := Packs(parse(t, before), parse(t, after), selected)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func paths(s Section) (out []string) {
	for _, p := range s.ChangedPaths {
		out = append(out, string(p.Status)+" "+p.Path)
	}
	return out
}

func TestSections(t *testing.T) {
	r := packs(
		t,
		`{"plugins":{"a":{"enabled":true}},"skills":{"x":1},"providers":{"p":{"model":"m1","base_url":"u"}}}`,
		`{"plugins":{"a":{"enabled":true}},"personas":{"runtime":{"d":"n"},"entries":{"n":{"prompt":"hi"}}},"providers":{"p":{"model":"m2","base_url":"u"},"q":{}}}`,
	)
	var got []string
	for _, s := range r.Sections {
		got = append(got, fmt.Sprint(s.Section, " ", s.Status, " ", s.Changed, " ", paths(s), " ", s.ChangedPathsCount))
	}
	want := []string{
		"personas added true [added personas.entries.n added personas.runtime] 2",
		"plugins same false [] 0",
		"providers changed true [changed providers.p.model added providers.q] 2",
		"skills removed true [removed skills.x] 1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Counts{Added: 1, Removed: 1, Changed: 1, Same: 1}, r.Summary); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"personas", "providers", "skills"}, r.ChangedSections); d != "" {
		t.Error(d)
	}
	p := r.Sections[2]
	wantDiff := []string{
		"--- before/providers.json", "+++ after/providers.json", "@@ -2,5 +2,6 @@", `   "p": {`, `     "base_url": "u",`,
		`-    "model": "m1"`, "-  }", `+    "model": "m2"`, "+  },", `+  "q": {}`, " }",
	}
	if d := cmp.Diff(wantDiff, p.DiffPreview); d != "" {
		t.Error(d)
	}
	if p.FilePath != "sections/providers.json" || len(p.BeforeHash) != 64 || p.BeforeSize != 35 || p.BeforePreview[2] != `    "base_url": "u",` {
		t.Errorf("%+v", p)
	}
	if a := r.Sections[0]; a.BeforeHash != "" || a.BeforeSize != 0 || len(a.BeforePreview) != 0 || len(a.AfterPreview) == 0 ||
		a.DiffPreview[2] != "@@ -0,0 +1,10 @@" || a.Items[0].Item != "entries.n" {
		t.Errorf("%+v", a)
	}
}

func TestSelection(t *testing.T) {
	r := packs(t, `{"a":1,"b":1}`, `{"a":2,"b":2}`, "b", "zzz", "b")
	if len(r.Sections) != 1 || r.Sections[0].Section != "b" || !slices.Equal(r.Unknown, []string{"zzz"}) {
		t.Errorf("%+v", r)
	}
	if _, err := Packs(map[string]any{"a": make(chan int)}, nil, nil); err == nil {
		t.Error("a channel is no JSON")
	}
}

func TestAChangedSentenceIsOneChangedLine(t *testing.T) {
	prompt := strings.Repeat("You answer in short sentences. You never guess! Do you know? ", 20) + "\nSecond line.\n"
	other := strings.Replace(prompt, "You never guess!", "You guess\u202e!", 1)
	b, _ := json.Marshal(map[string]any{"personas": map[string]any{"n": map[string]any{"prompt": prompt}}})
	a, _ := json.Marshal(map[string]any{"personas": map[string]any{"n": map[string]any{"prompt": other}}})
	s := packs(t, string(b), string(a)).Sections[0]
	want := []string{
		"--- before/personas.json", "+++ after/personas.json", "@@ -3,5 +3,5 @@", `     "prompt": """`,
		"       You answer in short sentences. ", "-      ↳ You never guess! ", "+      ↳ You guess⟨U+202E⟩! ",
		"       ↳ Do you know? ", "       ↳ You answer in short sentences. ",
	}
	if d := cmp.Diff(want, s.DiffPreview); d != "" {
		t.Error(d)
	}
	if last := s.AfterPreview[len(s.AfterPreview)-4:]; !slices.Equal(last, []string{"      ", `    """`, "  }", "}"}) {
		t.Errorf("%q", last)
	}
}

func TestInsertingInAListIsOneDifference(t *testing.T) {
	s := packs(t, `{"h":[{"a":1},{"a":2},{"a":3}]}`, `{"h":[{"a":1},{"x":0},{"a":2},{"a":3}]}`).Sections[0]
	if got := paths(s); !slices.Equal(got, []string{"added h[1]"}) || s.ItemCounts != (Counts{Added: 1, Same: 3}) {
		t.Error(got, s.ItemCounts)
	}
}

func TestManyItems(t *testing.T) {
	before, after := map[string]any{}, map[string]any{}
	for i := range 400 {
		id := fmt.Sprintf("p%03d", i)
		before[id] = map[string]any{"model": "m", "n": json.Number("1"), "k": "v"}
		after[id] = map[string]any{"model": "m2", "n": json.Number("1"), "k": "v"}
	}
	delete(before, "p007")
	delete(after, "p300")
	r, err := Packs(map[string]any{"providers": before}, map[string]any{"providers": after}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sections[0]
	if len(s.Items) != 256 || !s.ItemsTruncated || s.ItemCounts != (Counts{Added: 1, Removed: 1, Changed: 398}) || s.ChangedPathsCount != 400 || len(s.ChangedPaths) != 64 {
		t.Errorf("%d items, %+v, %d paths", len(s.Items), s.ItemCounts, s.ChangedPathsCount)
	}
	if d := cmp.Diff(Item{"p001", Changed, []Path{{"providers.p001.model", Changed}}, 1}, s.Items[1]); d != "" {
		t.Error(d)
	}
	if len(s.DiffPreview) != 240 || !s.DiffPreviewTruncated || s.DiffPreview[len(s.DiffPreview)-1] == "" {
		t.Error(len(s.DiffPreview))
	}
	// Every item has its own changed line: no block of all that was, then all that is.
	removed := 0
	for _, line := range s.DiffPreview {
		if removed++; !strings.HasPrefix(line, "-") {
			removed = 0
		}
		if removed > 3 {
			t.Fatalf("%s", strings.Join(s.DiffPreview, "\n"))
		}
	}
}

func TestBounds(t *testing.T) {
	before, after := map[string]any{}, map[string]any{}
	for i := range 30_000 {
		before[fmt.Sprint(i)], after[fmt.Sprint(i)] = "a", "b"
	}
	r, err := Packs(map[string]any{"m": before}, map[string]any{"m": after}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sections[0]
	if s.ChangedPathsCount != CountedPaths || !s.ChangedPathsAtLeast || !s.ChangedPathsTruncated || s.ItemCounts.Changed != 30_000 {
		t.Error(s.ChangedPathsCount, s.ItemCounts)
	}
	if !s.DiffLimited || len(s.DiffPreview) != 0 || len(s.BeforePreview) != PreviewLines || !s.BeforePreviewTruncated {
		t.Error(s.DiffLimited, len(s.BeforePreview))
	}
}

func TestText(t *testing.T) {
	got := Text("a\nb\nc\nd\ne\nf", "a\nb\nc\nD\ne\nf", "prompt")
	want := []string{"--- before/prompt", "+++ after/prompt", "@@ -2,5 +2,5 @@", " b", " c", "-d", "+D", " e", " f"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if Text("a", "a", "x") != nil {
		t.Error("equal texts")
	}
	if got := Text("", "a\x1b[2J", "x"); !slices.Contains(got, "+a⟨U+001B⟩[2J") {
		t.Errorf("%q", got)
	}
	if got := Text("a\r\nb\r\n", "a\nb\n", "x"); len(got) < 5 {
		t.Errorf("%q", got)
	}
	if got := Text(strings.Repeat("a\n", 30_000), "b", "x"); len(got) != 2 {
		t.Errorf("%d", len(got))
	}
}

func TestTextOfAnything(t *testing.T) {
	some := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom([]rune("ab .。\n\r↳⟨\u200b\x1b")), 0, 2000, -1))
	rapid.Check(t, func(t *rapid.T) {
		before, after := some.Draw(t, "before"), some.Draw(t, "after")
		lines := Text(before, after, "x")
		if (len(lines) > 2) != (before != after) || len(lines) > DiffLines {
			t.Fatalf("%q", lines)
		}
		for _, line := range lines {
			if strings.ContainsAny(line, "\n\r\x1b\u200b") || utf8.RuneCountInString(strings.ReplaceAll(line, "⟨U+200B⟩", "")) > 3000 {
				t.Fatalf("%q", line)
			}
		}
	})
}

// tree draws JSON of few names and values, so that two of them have much in common.
func tree(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		top := 6
		if depth == 0 {
			top = 3
		}
		switch rapid.IntRange(0, top).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return json.Number(rapid.SampledFrom([]string{"1", "1.0", "2"}).Draw(t, "number"))
		case 2, 3:
			return rapid.SampledFrom([]string{"a", "b", "a\nb", "a\r\nb", "\u202e", "⟨U+202E⟩", "↳ x\n", `"""` + "\n"}).Draw(t, "text")
		case 4:
			return append([]any{}, rapid.SliceOfN(tree(depth-1), 0, 5).Draw(t, "list")...)
		}
		return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c", "entries", "", "entries/a", "x.y"}), tree(depth-1), 0, 5).Draw(t, "object")
	})
}

func pack() *rapid.Generator[map[string]any] {
	return rapid.MapOfN(rapid.SampledFrom([]string{"s1", "s2", "s3"}), tree(4), 0, 3)
}

func TestComparedWithItselfAllIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pack().Draw(t, "pack")
		r, err := Packs(p, p, nil)
		if err != nil || r.Summary != (Counts{Same: len(p)}) || len(r.ChangedSections) != 0 {
			t.Fatalf("%+v %v", r, err)
		}
	})
}

func swapped(s Status) Status {
	switch s {
	case Added:
		return Removed
	case Removed:
		return Added
	}
	return s
}

func TestSwappedSidesExchangeAddedAndRemoved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := pack().Draw(t, "before"), pack().Draw(t, "after")
		there, err := Packs(before, after, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, _ := Packs(after, before, nil)
		flip := func(c *Counts) { c.Added, c.Removed = c.Removed, c.Added }
		for i := range back.Sections {
			s := &back.Sections[i]
			s.Status = swapped(s.Status)
			s.BeforeHash, s.AfterHash = s.AfterHash, s.BeforeHash
			s.BeforeSize, s.AfterSize = s.AfterSize, s.BeforeSize
			s.BeforePreview, s.AfterPreview = s.AfterPreview, s.BeforePreview
			s.BeforePreviewTruncated, s.AfterPreviewTruncated = s.AfterPreviewTruncated, s.BeforePreviewTruncated
			flip(&s.ItemCounts)
			for j := range s.ChangedPaths {
				s.ChangedPaths[j].Status = swapped(s.ChangedPaths[j].Status)
			}
			for j := range s.Items {
				s.Items[j].Status = swapped(s.Items[j].Status)
				for k := range s.Items[j].ChangedPaths {
					s.Items[j].ChangedPaths[k].Status = swapped(s.Items[j].ChangedPaths[k].Status)
				}
			}
			if (len(s.DiffPreview) == 0) != (len(there.Sections[i].DiffPreview) == 0) {
				t.Fatal("only one direction has a diff")
			}
			s.DiffPreview = there.Sections[i].DiffPreview // its order of lines is not symmetric
		}
		flip(&back.Summary)
		if d := cmp.Diff(there, back); d != "" {
			t.Fatal(d)
		}
	})
}

// Applying every change to the one side gives the other.
func TestChangesCoverEveryDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := tree(4).Draw(t, "before"), tree(4).Draw(t, "after")
		var changes []change
		w := walker{left: 1 << 30, found: func(c change) { changes = append(changes, c) }}
		w.compare([]step{named("s")}, side{before, true}, side{after, true})
		text, _ := strictjson.Canonical(before)
		result, _ := strictjson.Parse(text, 0)
		// Removing from the end of a list first keeps the positions of the others.
		for _, c := range changes {
			if c.status != Removed {
				result = apply(result, c.path[1:], c)
			}
		}
		for _, c := range slices.Backward(changes) {
			if c.status == Removed {
				result = apply(result, c.path[1:], c)
			}
		}
		if !reflect.DeepEqual(result, after) {
			t.Fatalf("%v became %v, not %v", before, result, after)
		}
		if (len(changes) == 0) != reflect.DeepEqual(before, after) {
			t.Fatal("no changes")
		}
	})
}

func apply(v any, path []step, c change) any {
	if len(path) == 0 {
		return c.after
	}
	last := len(path) == 1
	if path[0].name != nil {
		object := v.(map[string]any)
		name := *path[0].name
		if last && c.status == Removed {
			delete(object, name)
		} else {
			object[name] = apply(object[name], path[1:], c)
		}
		return object
	}
	list, i := v.([]any), path[0].index
	switch {
	case last && c.status == Removed:
		return slices.Delete(list, i, i+1)
	case last && c.status == Added:
		return slices.Insert(list, i, c.after)
	}
	list[i] = apply(list[i], path[1:], c)
	return list
}

// Two sections that differ never have an empty diff, and the diff leads from the one text to the other.
func TestDiffIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := tree(4).Draw(t, "before"), tree(4).Draw(t, "after")
		b, a := render(side{before, true}, renderLines), render(side{after, true}, renderLines)
		lines, cut := unified("s", b, a)
		if cut {
			return
		}
		if (len(lines) == 0) != reflect.DeepEqual(before, after) {
			t.Fatalf("%v and %v give %q", before, after, lines)
		}
		var removed, added []string
		at := 0
		for _, line := range lines[min(2, len(lines)):] {
			var from, n int
			if strings.HasPrefix(line, "@@") {
				if c, _ := fmt.Sscanf(line, "@@ -%d,%d", &from, &n); c == 1 {
					n = 1
				}
				if n > 0 {
					from--
				}
				removed, added, at = append(removed, b.lines[at:from]...), append(added, b.lines[at:from]...), from+n
				continue
			}
			if line[0] != '+' {
				removed = append(removed, line[1:])
			}
			if line[0] != '-' {
				added = append(added, line[1:])
			}
		}
		removed, added = append(removed, b.lines[at:]...), append(added, b.lines[at:]...)
		if !slices.Equal(removed, b.lines) || !slices.Equal(added, a.lines) {
			t.Fatalf("%s\nleads from %q to %q", strings.Join(lines, "\n"), b.lines, a.lines)
		}
	})
}
