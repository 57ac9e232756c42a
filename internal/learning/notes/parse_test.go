package notes

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const ring = `---
id: n-42
title: "Ring"
aliases: [Rings, 环]
requires:
  - "[[Abelian Group|abelian]]"
  - Monoid
children: [[Field]]
created: 2022-02-19
tags: [definition, algebra]
---
A ring adds a product to an [[Abelian Group]]; see [laws](../laws/Distributive%20law.md#proof "t").

Proved by: [[Lemma A]], [[Lemma B#main|B]]
**Constructions:** [[Polynomial ring]]
前置：群、幺半群
` + "`[[not a link]]` <!-- [[hidden]] -->" + `

## Prerequisites
- [[Set]]
- Relation

## Examples

$$ a(b+c) = ab + ac $$

` + "```go\nx := a * (b + c) // [[no]]\n```\n\n```mermaid\ngraph TD\n```\n" + `
### Deep
Text ![[Picture note]] and [[dotted.name.here]].
## Examples
Again.
`

func TestParse(t *testing.T) {
	d := Parse(Source{Path: "algebra/Ring theory.md", Content: ring})
	if d.ID != "n-42" || d.Title != "Ring" || d.Genre != Definition || !d.Created.Equal(time.Date(2022, 2, 19, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("head: %q %q %q %v", d.ID, d.Title, d.Genre, d.Created)
	}
	if diff := cmp.Diff([]string{"Ring theory", "Rings", "环"}, d.Names); diff != "" {
		t.Error(diff)
	}
	type atom struct {
		Key  string
		Kind Representation
		Sec  int
	}
	var atoms []atom
	for _, a := range d.Atoms {
		atoms = append(atoms, atom{a.Key, a.Representation, a.Section})
	}
	want := []atom{
		{"", Text, 0},
		{"prerequisites", Text, 1},
		{"examples", Text, 2},
		{"examples / deep", Text, 3},
		{"examples ~2", Text, 4},
		{"examples :: formula 1", Formula, 2},
		{"examples :: code 1", Code, 2},
		{"examples :: mermaid 1", Mermaid, 2},
	}
	if diff := cmp.Diff(want, atoms); diff != "" {
		t.Error(diff)
	}
	type link struct {
		Target, Heading string
		Kind            Kind
		Inverse         bool
	}
	var links []link
	for _, l := range d.Links {
		links = append(links, link{l.Target, l.Heading, l.Kind, l.Inverse})
	}
	wantLinks := []link{
		{"Abelian Group", "", Prerequisite, false},
		{"Monoid", "", Prerequisite, false},
		{"Field", "", Prerequisite, true},
		{"Abelian Group", "", None, false},
		{"../laws/Distributive law.md", "proof", None, false},
		{"Lemma A", "", Prerequisite, false},
		{"Lemma B", "main", Prerequisite, false},
		{"Polynomial ring", "", Prerequisite, true},
		{"群", "", Prerequisite, false},
		{"幺半群", "", Prerequisite, false},
		{"Set", "", Prerequisite, false},
		{"Relation", "", Prerequisite, false},
		{"Picture note", "", None, false},
		{"dotted.name.here", "", None, false},
	}
	if diff := cmp.Diff(wantLinks, links); diff != "" {
		t.Error(diff)
	}
	checkSpans(t, ring, d)
}

func TestWordings(t *testing.T) {
	for line, want := range map[string]link{
		"Requires: [[A]]":                      {Prerequisite, false, 1},
		"- **Depends on**: [[A]]":              {Prerequisite, false, 1},
		"requires:: [[A]]":                     {Prerequisite, false, 1},
		"Prereq – [[A]]":                       {Prerequisite, false, 1},
		"> Prerequisites: [A](A.md)":           {Prerequisite, false, 1},
		"先修：[[A]]":                             {Prerequisite, false, 1},
		"前提知識：[[A]]、[[B]]":                     {Prerequisite, false, 2},
		"Requires [[A]] and [[B]]":             {Prerequisite, false, 2},
		"Used in: [[A]]":                       {Prerequisite, true, 1},
		"See also: [[A]]":                      {Reference, true, 1},
		"対比：[[A]]":                             {Contrast, true, 1},
		"Caused by: [[A]]":                     {Causal, false, 1},
		"Examples: [[A]]":                      {Application, true, 1},
		"Prerequisites: Not Applicable":        {None, false, 0},
		"Prerequisites: none":                  {None, false, 0},
		"Gizmos: [[A]]":                        {None, false, 1},
		"It uses a lot: see [[A]]":             {None, false, 1},
		"https://a.example/[[A]]":              {None, false, 1},
		"Prerequisites:\n- [[A]]\n- [[B]]":     {Prerequisite, false, 2},
		"Prerequisites:\n\n- [[A]]\n  - [[B]]": {Prerequisite, false, 2},
		"Prerequisites:\n- [[A]]\n\nAnd [[B]]": {Prerequisite, false, 1},
	} {
		var got link
		for _, l := range Parse(Source{Path: "x.md", Content: line}).Links {
			if got.n == 0 || l.Kind == want.kind && l.Inverse == want.inverse {
				got.kind, got.inverse = l.Kind, l.Inverse
				if l.Kind == want.kind {
					got.n++
				}
			}
		}
		if got != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
}

type link struct {
	kind    Kind
	inverse bool
	n       int
}

func TestTitles(t *testing.T) {
	for _, c := range []struct{ path, content, title string }{
		{"a/b/Some note.md", "text", "Some note"},
		{"x.md", "# Opening\ntext", "Opening"},
		{"x.md", "text\n# Later\ntext", "x"},
		{"x.md", "---\ntitle: Front\n---\n# Opening\n", "Front"},
		{"x.md", "---\ntitle: broken: yaml [\ntags: a\n---\n", "broken: yaml ["},
		{"x.md", "Under\n=====\ntext", "Under"},
		{"x.md", "+++\ntitle = 'Hugo'\ndate = 2025-01-17\n[params]\na = 1\n+++\n# Opening\n", "Hugo"},
		{"x.md", "+++ a line of text\n# Opening\n", "x"},
	} {
		if got := Parse(Source{Path: c.path, Content: c.content}).Title; got != c.title {
			t.Errorf("%q %q: %q", c.path, c.content, got)
		}
	}
}

func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"21/03/2023 10:49:32": "2023-03-21", "1626382220182": "2021-07-15", "2021-07-02T10:00:00Z": "2021-07-02", "12/31/2020": "2020-12-31",
		"2021年3月5日": "2021-03-05", "soon": "0001-01-01", "99999999999999999999": "0001-01-01", "20210305": "2021-03-05",
	} {
		if got := date(in).Format("2006-01-02"); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// checkSpans holds a document against its source: every span lies in it, on the lines it says, and shows the atom.
func checkSpans(t *testing.T, text string, d Document) {
	t.Helper()
	check := func(s Span, what string) {
		if s.Start < 0 || s.End < s.Start || s.End > len(text) {
			t.Fatalf("%s: span %+v of %d", what, s, len(text))
		}
		last := max(s.Start, s.End-1)
		if got := 1 + strings.Count(text[:s.Start], "\n"); got != s.StartLine {
			t.Fatalf("%s: line %d, want %d", what, s.StartLine, got)
		}
		if got := 1 + strings.Count(text[:last], "\n"); got != s.EndLine {
			t.Fatalf("%s: end line %d, want %d (%+v)", what, s.EndLine, got, s)
		}
	}
	keys := map[string]bool{}
	for i, a := range d.Atoms {
		check(a.Span, "atom "+a.Key)
		if keys[a.Key] {
			t.Fatalf("key %q twice", a.Key)
		}
		keys[a.Key] = true
		if a.Section < 0 || a.Section > i || len(Keywords(a.Title, a.Content)) > maxKeywords {
			t.Fatalf("atom %d: section %d, %q", i, a.Section, Keywords(a.Title, a.Content))
		}
		if i > 0 && !strings.Contains(valid(text[a.Span.Start:a.Span.End]), a.Content) {
			t.Fatalf("atom %q: content outside its span", a.Key)
		}
	}
	for _, l := range d.Links {
		check(l.Span, "link "+l.Target)
		check(l.Statement, "statement "+l.Target)
		if l.Section < 0 || l.Section >= len(d.Atoms) || l.Position < 0 || l.Position > 1 {
			t.Fatalf("link %+v", l)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(ring)
	f.Add("---\na: [[x]]\n---\n[[a|b#c]]$$x$$")
	f.Add(strings.Repeat("> ", 300) + "x")
	f.Add("```ad-note\n[[x]]\n```\n````\n$$\n")
	f.Add("a\n===\n\n- b:\n  - [[c]]\n\x00\xff[[\xff]]")
	f.Fuzz(func(t *testing.T, text string) {
		checkSpans(t, text, Parse(Source{Path: "f.md", Content: text}))
	})
}

// A lone sign below a line of a formula makes no heading of it; two or more signs need no blank behind them.
func TestWhatMakesAHeading(t *testing.T) {
	for text, want := range map[string]int{"$$\na\n=\nb\n$$\n": 0, "$$\na\n-\nb\n$$\n": 0, "a\n==\nb\n": 1, "a\n--\nb\n": 1, "##C# by hand\n": 1, "#tag\n": 0, "###deep\nx\n": 1} {
		n := 0
		for _, s := range Parse(Source{Path: "note.md", Content: "# Note\n\n" + text}).Atoms {
			if len(s.Path) > 0 && s.Representation == Text {
				n++
			}
		}
		if n != want {
			t.Errorf("%q has %d headings, want %d", text, n, want)
		}
	}
}

// Who writes all as headings has headings for items; a frame of headings to fill in stays one.
func TestHeadingsThatAreContent(t *testing.T) {
	outline := "# Renin\n## Causes\n### Primary ones\n#### it is low in most of them\n#### it is normal in some of them\n### Secondary ones\n#### it is always high in these\n## Approach\n### measure it in the morning twice\n### low values mean a primary cause\n### high values mean a secondary one\n"
	d := Parse(Source{Path: "Renin.md", Content: outline})
	var titles []string
	for _, a := range d.Atoms {
		titles = append(titles, a.Title)
	}
	if got := strings.Join(titles, "|"); got != "Renin|Causes|Primary ones|Secondary ones|Approach" {
		t.Errorf("the sections are %s", got)
	}
	if last := d.Atoms[len(d.Atoms)-1].Content; !strings.HasSuffix(last, "\n### high values mean a secondary one") {
		t.Errorf("the last one has %q", last)
	}
	for name, text := range map[string]string{
		"a frame":   "# Renin\n## Summary\n## Causes\n## Signs\n## Tests\n## Therapy\n## Links\n## Sources\n",
		"questions": "# Renin\n" + strings.Repeat("## What does it do in the body?\n", 7),
		"sections":  "# Renin\n" + strings.Repeat("## What it does in the body\nIt does much.\n## What more it does in the body\n", 7),
	} {
		if n := len(Parse(Source{Path: "Renin.md", Content: text}).Atoms); n != strings.Count(text, "\n## ")+1 {
			t.Errorf("%s has %d sections", name, n)
		}
	}
}
