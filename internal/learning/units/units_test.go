package units

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
)

// prepared reads a note as the product does.
func prepared(path, text string) *Prepared {
	doc := notes.Parse(notes.Source{Path: path, Content: text})
	n := Note{ID: path, Path: path, Title: doc.Title, Names: doc.Names, Genre: doc.Genre, Order: doc.Order}
	for i := range doc.Atoms {
		if a := &doc.Atoms[i]; a.Representation == notes.Text {
			n.Atoms = append(n.Atoms, Atom{ID: path + "#" + a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
		}
	}
	return Prepare(n)
}

func vaultOf(files ...string) []*Prepared {
	var list []*Prepared
	for i := 0; i+1 < len(files); i += 2 {
		list = append(list, prepared(files[i], files[i+1]))
	}
	return list
}

const sentenceOfText = "A group is a set with an associative product, a neutral element and inverses of all elements.\n"

func TestLinesThatSayNothing(t *testing.T) {
	never := func(string) bool { return false }
	for line, want := range map[string]Reason{
		"#seed #math/topology":                                      Metadata,
		"Tags: #Definition #Topics/Algebra":                         Metadata,
		"Date Created: 12/04/2023 10:08:49":                         Metadata,
		"2024-03-01 12:30":                                          Metadata,
		"Monday, 3 May 2021":                                        Metadata,
		"2024年5月3日":                                                 Metadata,
		"Status: #seed":                                             Metadata,
		"upstream: [[Linear algebra]]":                              Metadata,
		"Examples: _Not Applicable_":                                Metadata,
		"**Created**: 2021-01-01":                                   Metadata,
		"创建时间: 2023-05-01":                                          Metadata,
		"jump:: ":                                                   Metadata,
		"{ .block-language-dataview}":                               Markup,
		"[[A]] | [[B]]":                                             Links,
		"← [[Previous]] | [[Next]] →":                               Links,
		"See also [[Norm]] and [[Topology]].":                       Links,
		"[Discussions](https://discuss.d2l.ai/1)":                   Links,
		"[![Build](https://img.shields.io/x)](y)":                   Links,
		"![[Other note#Summary]]":                                   Links,
		`<div class="topSpace"></div>`:                              Markup,
		":begin_tab:`mxnet`":                                        Markup,
		":label:`sec_x`":                                            Markup,
		"{{title}}":                                                 Template,
		"Subject: <% tp.file.title %>":                              Template,
		"A group is a set with a product.":                          "",
		"Capital of France::Paris":                                  "",
		"$x^{{a}}$ is a power":                                      "",
		"![A diagram](pictures/a.png)":                              "",
		"Note: the converse does not hold.":                         "",
		"In 1905 Einstein published four papers.":                   "",
		"Use `{{ name }}` to insert the value.":                     "",
		"See [[Norm]] for the proof of this bound on the distance.": "",
	} {
		if got := lineNoise(line, true, never); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestRolesOfHeadings(t *testing.T) {
	for heading, want := range map[string]headingRole{
		"proof:": continued, "Proof sketch": continued, "**Proof** of Theorem 2": continued, "Example 3.2": continued, "Examples (if any):": continued, "Solution/Reasoning:": continued, "证明": continued, "例1": continued, "証明（2）": continued,
		"Dimostrazione di Lagrange": continued, "Beweis": continued, "Step 2": continued, "Exercises": exercises, "domande orale": exercises, "3.2 Exercises": exercises, "Introduction": lead, "1. Introduction": lead, "Definition": lead, "定义": lead, "第1章 はじめに": lead, "Heading 1:": lead,
		"Properties": aspect, "References": linksOnly, "参考文献": linksOnly, "Table of Contents": contents, "To Do": chores, "Change log": versions, "Groups": topic, "Examples of schemes": topic, "Proof by induction": continued, "Metric spaces": topic, "Problem solving strategies": topic, "Solution sets of linear systems": topic,
	} {
		if got := roleOf(heading); got != want {
			t.Errorf("%q: %d, want %d", heading, got, want)
		}
	}
}

func TestWhatRepeatsIsLeftOut(t *testing.T) {
	var list []*Prepared
	for i := range 60 {
		list = append(list, prepared(fmt.Sprintf("Plugin %d.md", i), fmt.Sprintf("Plugin %d is a tool that draws chart number %d of the vault it is installed in.\n\nmaturity: about %d of ten\n\n# About this page\nThis page was made by a machine and must not be edited by hand.\n\n# How we came here\nIt was found while reading about chart number %d of another vault in the library.\n", i, i, i, i)))
	}
	r := Build(list, nil)
	if len(r.Units) != 60 {
		t.Fatalf("%d units, left %v", len(r.Units), r.Left[:min(5, len(r.Left))])
	}
	for i := range r.Units {
		text := r.Units[i].Text()
		if strings.Contains(text, "made by a machine") || strings.Contains(text, "maturity") || !strings.Contains(text, "draws chart") || !strings.Contains(text, "found while reading") {
			t.Fatalf("unit %q: %s", r.Units[i].Title, text)
		}
	}
	if r.Lines[Repeated]+reasons(r)[Repeated] == 0 {
		t.Errorf("no text is told as repeated: %v %v", r.Lines, reasons(r))
	}
}

func reasons(r Result) map[Reason]int {
	m := map[Reason]int{}
	for _, l := range r.Left {
		m[l.Reason]++
	}
	return m
}

func TestALongNoteIsSplit(t *testing.T) {
	long := strings.Repeat("The product of two elements is an element again, and its inverse is the product of the inverses in the other order. ", 12)
	text := "# Warm up\nShort words.\n# Subgroups\n" + long + "\n## proof:\n" + long + "\n# Quotients\n" + long + "\n# Properties\n" + long + "\n# References\n- [[A]]\n- [[B]]\n"
	r := Build(vaultOf("Groups.md", text), nil)
	var titles []string
	for i := range r.Units {
		titles = append(titles, r.Units[i].Title)
	}
	if strings.Join(titles, "|") != "Groups › Subgroups|Quotients|Groups › Properties" && strings.Join(titles, "|") != "Groups|Quotients|Groups › Properties" {
		t.Errorf("titles %q", titles)
	}
	if r.Of["Groups.md#subgroups / proof:"] != r.Of["Groups.md#subgroups"] {
		t.Errorf("a proof is apart from what it proves: %v", r.Of)
	}
	if reasons(r)[Links] != 1 {
		t.Errorf("left %v", r.Left)
	}
}

func TestChoicesWin(t *testing.T) {
	list := vaultOf("A.md", sentenceOfText, "MOC.md", "- [[A]]\n- [[B]]\n- [[C]]\n", "B.md", sentenceOfText+"## To Do\nRead the second chapter again and write the proof down.\n")
	r := Build(list, map[string]bool{"A.md#": false, "MOC.md#": true, "B.md#to do": true})
	if r.Of["A.md#"] != "" || r.Of["MOC.md#"] == "" || r.Of["B.md#to do"] == "" || reasons(r)[Chosen] != 1 {
		t.Errorf("%v %v", r.Of, r.Left)
	}
}

func TestOrderOfTheAuthor(t *testing.T) {
	list := vaultOf(
		"book/SUMMARY.md", "- [Intro](intro.md)\n- [Sets](sets.md)\n- [Maps](deep/maps.md)\n",
		"book/intro.md", "# Intro to it\n"+sentenceOfText, "book/sets.md", "# Sets\n"+sentenceOfText+"More of it.\n", "book/deep/maps.md", "# Maps\n"+sentenceOfText+"And more.\n",
		"net/08 - UDP.md", sentenceOfText+"x", "net/10 - TCP.md", sentenceOfText+"y", "net/9 - IP.md", sentenceOfText+"z", "net/2-SAT.md", sentenceOfText+"w",
		"rst/index.md", "# Top\n```{toctree}\n:maxdepth: 1\n\nalpha\nBeta <beta>\n```\n", "rst/alpha.md", "# Alpha\n"+sentenceOfText+"a", "rst/beta.md", "# Beta\n"+sentenceOfText+"b",
	)
	Build(list, nil)
	got := map[Pair]bool{}
	for _, p := range AuthorOrder(list) {
		got[p] = true
	}
	for _, want := range []Pair{{"book/intro.md#", "book/sets.md#"}, {"book/sets.md#", "book/deep/maps.md#"}, {"net/08 - UDP.md#", "net/9 - IP.md#"}, {"net/9 - IP.md#", "net/10 - TCP.md#"}, {"rst/alpha.md#", "rst/beta.md#"}} {
		if !got[want] {
			t.Errorf("%v is missing in %v", want, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("%v", got)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"A **bold** and _slanted_ word":         "A bold and slanted word",
		"[[Note#Heading|shown]] and [[Other]]":  "shown and Other",
		"a [link](x \"t\") ![pic](y)":           "a link",
		"snake_case and 2*3*4 stay":             "snake_case and 2*3*4 stay",
		"x ==marked== y^[1]":                    "x marked y^[1]",
		"a <b>tag</b> %%gone%% <!-- too --> z":  "a tag z",
		"price of $5 and $10":                   "price of $5 and $10",
		"$a_1*b$ is `c_d`":                      "$a_1*b$ is `c_d`",
		"if a == b then":                        "if a == b then",
		"text ^block-1":                         "text",
		"see :numref:`fig_x` and :term:`graph`": "see and graph",
		"Vec<T> holds":                          "Vec<T> holds",
		"a &amp; b":                             "a & b",
		`Restraint \(Temperance\)`:              "Restraint (Temperance)",
		`the set \(x_1\) has`:                   `the set \(x_1\) has`,
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestBlocks(t *testing.T) {
	text := "Para one\nstill one\n\n- a\n  - b\n1. c\n\n| x | y |\n|---|---|\n| 1 | `a|b` |\n\n> [!note]- Title\n> body\n\n```python\ncode\n```\n``` ad-Theorem\ntitle: T\n\nBody $x$.\n```\n$$\nx\n$$\n:::{exercise} Do\nit\n:::\nTerm\n: meaning\n\n%% hidden\nmore %%\n[^1]: foot\n"
	var kinds []string
	for _, b := range Blocks(text) {
		kinds = append(kinds, fmt.Sprint(b.Kind))
		if b.Start >= b.End || b.End > len(text) {
			t.Errorf("%+v", b)
		}
	}
	want := fmt.Sprint(Paragraph, List, Table, Callout, Code, Callout, Math, Callout, Terms, Ignored, Footnote)
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The signs that themes give the box of an item mark ideas and quotations; those of lists of tasks mark tasks.
func TestTasks(t *testing.T) {
	list := Blocks("- [ ] a\n- [x] b\n- [I] c\n- [\"] d\n- [-] e\n- [ab] f\n")[0].Items
	got := ""
	for _, item := range list {
		got += fmt.Sprintf("%s %v|", item.Text, item.Task)
	}
	if got != "a true|b true|c false|d false|e true|[ab] f false|" {
		t.Error(got)
	}
}

// What Logseq keeps of an item is none of its text, and its heading is the text alone.
func TestItemsOfLogseq(t *testing.T) {
	list := Blocks("- ## Etiology\n  background-color:: blue\n  collapsed:: true\n  of it\n- b:: c\n- #tag d\n")[0].Items
	got := ""
	for _, item := range list {
		got += item.Text + "|"
	}
	if got != "Etiology\nof it|b:: c|#tag d|" {
		t.Errorf("%q", got)
	}
}

// Boxes of MkDocs: their text is indented below them, by four columns or a tab, and may hold empty lines.
func TestAdmonitions(t *testing.T) {
	for text, want := range map[string]string{
		"!!! note \"Sets\"\n    One.\n\n    - two\n\nAfter.": "note|Sets|One.\n\n- two|35",
		"???+ Tip\n\tOne.\nAfter.":                           "tip||One.|14",
		"!!! warning inline end \"A\"\n    One.":             "warning|A|One.|35",
		"Before\n!!! note\n    One.\n        code":           "note||One.\n    code|37",
		"!!! note":       "note: none",
		"!!! what a day": "note: none",
		"!!! \"x\"":      "note: none",
		"Wow!!! note":    "note: none",
	} {
		got := "note: none"
		for _, b := range Blocks(text) {
			if b.Kind == Callout {
				got = fmt.Sprintf("%s|%s|%s|%d", b.Name, b.Title, b.Text, b.End)
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestAnythingGoes: whatever a note looks like, blocks stay within it and in order, and nothing fails.
func TestAnythingGoes(t *testing.T) {
	pieces := []string{"# h\n", "a ", "\n", "```", "$$", "%%", "- ", "1. ", "> ", "| ", "---\n", "[[", "]]", "**", "==", "{{", "}}", ":::", "!!! note\n", "??? tip \"x\"\n", "    in\n", "<!--", "-->", "[^1]: ", "光", ": ", "\xff", "\t", "<b>", "![", "](", ")", "\\begin{x}", "\\end{x}"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		at := 0
		for _, block := range Blocks(b.String()) {
			if block.Start < at || block.End < block.Start || block.End > b.Len() {
				t.Fatalf("%q: %+v after %d", b.String(), block, at)
			}
			at = block.End
		}
		list := []*Prepared{prepared("x.md", b.String())}
		r := Build(list, nil)
		for i := range r.Units {
			_, _ = r.Units[i].Text(), r.Units[i].Words()
		}
		AuthorOrder(list)
	}
}

// TestFoot: what a note says of itself at its foot is no part of it.
func TestFoot(t *testing.T) {
	p := prepared("Sets.md", "# Sets\n\n"+sentenceOfText+"\n\\newpage\n\n---\n\nOrigin: Smith, J. (1999): A Book on Sets and Maps. Journal of Sets 3.\nReferences: [[Maps]]\nTags:\nCreated: 23.01.2025\n")
	r := Build([]*Prepared{p}, nil)
	if len(r.Units) != 1 || strings.Contains(r.Units[0].Words(), "Smith") || strings.Contains(r.Units[0].Words(), "newpage") || !strings.Contains(r.Units[0].Words(), "neutral") {
		t.Errorf("%+v", r.Units)
	}
}

func TestTagsAboveALine(t *testing.T) {
	p := prepared("Sets.md", "2024-08-02 | 11:05\n\n##### Tags:\n#maths\n\n---\n"+sentenceOfText+"\n")
	if p.sections[1].role == chores || p.sections[1].weight == 0 {
		t.Errorf("what follows the line below the tags is the note: %+v", p.sections[1])
	}
	if p = prepared("Sets.md", sentenceOfText+"\n\n##### Tags:\n#maths\n"); p.sections[1].role != chores {
		t.Errorf("tags are no section: %+v", p.sections[1])
	}
}

func TestAnnouncementAtTheHead(t *testing.T) {
	list := "\n- the first of them is said here\n- the second of them is said here\n- the third of them is said here\n"
	for text, want := range map[string]bool{"The steps of a cycle:" + list: true, "4 conditions:" + list: true, "Related things:" + list: false} {
		r := Build([]*Prepared{prepared("Cycles.md", text)}, nil)
		if len(r.Units) != 1 || strings.Contains(r.Units[0].Words(), text[:8]) != want {
			t.Errorf("%q: %+v", text, r.Units)
		}
	}
}

// What Build keeps in notes from one time to the next changes nothing: after every change of a vault, of its size and of the
// choices, it decides as over notes that were just read.
func TestBuildKeepsNothingOld(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 25))
	text := func(id string) Note {
		n := Note{ID: id, Path: id + ".md", Title: "Note " + id, Atoms: []Atom{{ID: id, Title: "Note " + id, Content: fmt.Sprintf("status%d: open\n\nThing %s is what stands at place %d of a row of many things of its kind, and nothing else does.\n", r.IntN(2), id, r.IntN(9))}}}
		for k := range r.IntN(4) {
			n.Atoms = append(n.Atoms, Atom{ID: fmt.Sprint(id, "/", k), Title: fmt.Sprintf("Heading %d", r.IntN(3)), Depth: 1, Content: fmt.Sprintf("A paragraph that stands in more than one of these notes, in edition %d of it, and is long enough.\n", r.IntN(3))})
		}
		return n
	}
	kept, choices, all := map[string]*Prepared{}, map[string]bool{}, Builder{}
	for range 120 {
		id := fmt.Sprint("n", r.IntN(40))
		switch r.IntN(6) {
		case 0:
			delete(kept, id)
		case 1:
			choices[id] = r.IntN(2) == 0
		case 2:
			delete(choices, id)
		default:
			kept[id] = Prepare(text(id))
		}
		var old, fresh []*Prepared
		for _, id := range slices.Sorted(maps.Keys(kept)) {
			old, fresh = append(old, kept[id]), append(fresh, Prepare(kept[id].Note))
		}
		a, b := all.Build(old, choices), Build(fresh, choices)
		if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(AuthorOrder(old), AuthorOrder(fresh)) {
			t.Fatalf("%d notes: %d units of notes that were read before, %d of new ones", len(old), len(a.Units), len(b.Units))
		}
	}
}

// A card of its author's is worth learning however short it is; a short line that asks nothing is not.
func TestTheShortestCardIsNoEmptyNote(t *testing.T) {
	for _, content := range []string{"cat::Katze", "# Words\n\ncat:::Katze", "Q: 2+2?\nA: 4", "Who?\n?\nI", "::Sum:: 2+2? {=4}", "cat\tKatze\ndog\tHund", "```csv\nquestion,answer\nWho?,I\n```", "> [!question] Who?\n> I"} {
		if r := Build([]*Prepared{prepared("a.md", content)}, nil); len(r.Units) != 1 {
			t.Errorf("%q: %d units", content, len(r.Units))
		}
	}
	for _, content := range []string{"cat: Katze", "cat::", "Katze", "a\tb", "status:: done"} {
		if r := Build([]*Prepared{prepared("a.md", content)}, nil); len(r.Units) != 0 {
			t.Errorf("%q is a unit", content)
		}
	}
}

// A list and its author's order that follow from those before are those of all notes read anew, over numbers, tables of contents, moves and removals.
func TestOrderFollowsChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 26))
	note := func(id int) Note {
		n := Note{ID: fmt.Sprint("n", id), Path: fmt.Sprintf("%d book/%02d Note %d.md", r.IntN(3), 1+r.IntN(6), id), Title: fmt.Sprint("Note ", id)}
		if id < 3 {
			n.Path = fmt.Sprintf("%d book/SUMMARY.md", id)
		}
		text := fmt.Sprintf("Thing %d is what stands at place %d of a row of many things of its kind, and nothing else does.\n", id, r.IntN(9))
		if id < 3 {
			for range 5 {
				k := r.IntN(24)
				text += fmt.Sprintf("\n- [[Note %d]]\n- [one](../%d%%20book/%02d%%20Note%%20%d.md)", k, r.IntN(3), 1+r.IntN(6), k)
			}
		}
		n.Atoms = []Atom{{ID: n.ID, Title: n.Title, Content: text}}
		return n
	}
	kept, all, found := map[string]*Prepared{}, Builder{}, 0
	var list []*Prepared
	for range 400 {
		var put []*Prepared
		changed := map[string]bool{}
		for range 1 + r.IntN(3) {
			n := note(r.IntN(24))
			if changed[n.ID] {
				continue
			}
			changed[n.ID] = true
			if delete(kept, n.ID); r.IntN(5) > 0 {
				kept[n.ID] = Prepare(n)
				put = append(put, kept[n.ID])
			}
		}
		list = Replace(list, put, func(p *Prepared) bool { return changed[p.ID] })
		anew := slices.Collect(maps.Values(kept))
		if Sort(anew); !slices.Equal(list, anew) {
			t.Fatal("the list is another")
		}
		all.Build(list, nil)
		fresh := make([]*Prepared, len(anew))
		for i, p := range anew {
			fresh[i] = Prepare(p.Note)
		}
		Build(fresh, nil)
		got, want := all.Order(), AuthorOrder(fresh)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, not %v", got, want)
		}
		found += len(want)
	}
	if found < 1000 {
		t.Errorf("%d pairs: the test tries nothing", found)
	}
}

// A vault says itself where its templates are; what says so is no note.
func TestTemplateFoldersOfAVault(t *testing.T) {
	text := "A ring is a set with an addition and a multiplication, which distributes over the addition. The integers are one."
	prepared := func(path string) *Prepared {
		return Prepare(Note{ID: path, Path: path, Title: "Rings", Vault: obsidian.Settings{Templates: "V/Muster"}, Atoms: []Atom{{ID: path, Title: "Rings", Content: text}}})
	}
	got := Build([]*Prepared{prepared("V/Muster/ring.md"), prepared("V/ring.md"), prepared("V/.obsidian/templates.json")}, nil)
	if len(got.Units) != 1 || got.Units[0].ID != "V/ring.md" || len(got.Left) != 1 || got.Left[0].Reason != Template || got.Left[0].AtomID != "V/Muster/ring.md" {
		t.Errorf("%+v", got)
	}
	if got := Build([]*Prepared{prepared("V/Muster/ring.md")}, map[string]bool{"V/Muster/ring.md": true}); len(got.Units) != 1 {
		t.Error("a template cannot be included")
	}
}

// A section called Navigation is left out when it is one, and not when it is about that.
func TestNavigationAsASubject(t *testing.T) {
	for below, want := range map[string]bool{
		"- [One](a.md)\n- [Two](b.md)\n": false,
		"One finds the way by landmarks that are seen from afar, by paths that one has walked before, and by the edges of what one knows of the place, which a map shows.\n\n- signs that name\n- signs that point\n": true,
	} {
		r := Build([]*Prepared{prepared("Places.md", "# Places\n\nA place is a part of the land that people tell from others by what is there to be seen and done.\n\n## Navigation\n\n"+below)}, nil)
		found := false
		for i := range r.Units {
			for k := range r.Units[i].Sections {
				found = found || r.Units[i].Sections[k].Title == "Navigation"
			}
		}
		if found != want {
			t.Errorf("%q: offered is %v", below, found)
		}
	}
}
