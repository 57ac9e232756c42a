package questions

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"stoa/internal/learning/notes"
	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

// questionsOf reads a note as the product does.
func questionsOf(note string) (list []Question) {
	doc := notes.Parse(notes.Source{Path: "Notes.md", Content: note})
	n := units.Note{ID: "Notes.md", Path: "Notes.md", Title: doc.Title, Names: doc.Names, Genre: doc.Genre, Order: doc.Order}
	for i := range doc.Atoms {
		if a := &doc.Atoms[i]; a.Representation == notes.Text {
			n.Atoms = append(n.Atoms, units.Atom{ID: a.Key, Title: a.Title, Depth: len(a.Path), Content: a.Content})
		}
	}
	r := units.Build([]*units.Prepared{units.Prepare(n)}, nil)
	for i := range r.Units {
		list = append(list, Derive(&r.Units[i])...)
	}
	return list
}

// How people write cards and exercises, in the formats that were found in public vaults.
func TestQuestionsAndAnswersApart(t *testing.T) {
	for name, c := range map[string]struct{ note, prompt, answer string }{
		"a heading that asks by Q:":       {"## Q: Qual è la condizione del primo ordine?\nA: Il gradiente si annulla:\n$$\\nabla f = 0$$\n\n- ovunque", "Qual è la condizione del primo ordine?", "Il gradiente si annulla:\n$$\\nabla f = 0$$\n\n- ovunque"},
		"a heading over a mark":           {"### Remove two items from a list\n?\n- `list.cut(1, 2)`\n<!--SR:!2024-01-30,1,230-->\n", "Remove two items from a list", "`list.cut(1, 2)`"},
		"a heading over an answer":        {"## What is a ring, and what is it good for?\nAnswer: A set with two operations.\n\nIt is used everywhere.", "What is a ring, and what is it good for?", "A set with two operations.\n\nIt is used everywhere."},
		"an answer that is a mark alone":  {"## Study questions\n> [!question] What value does he find in doubt?\n> > [!todo] It enlarges what we think of.\n", "What value does he find in doubt?", "It enlarges what we think of."},
		"solutions below the exercises":   {"## esercizio\nSi estraggono quattro palline:\n1. estrarre esattamente due palline rosse\n2. estrarre prima una pallina nera\n\nSvolgimento:\nUso i dati.\n\n1. la probabilità è 3/8\n2. la probabilità è 1/4\n", "estrarre esattamente due palline rosse", "la probabilità è 3/8"},
		"a bold question in a list":       {"1. **Was ist ein Polypol?**\nEin Markt mit vielen Anbietern und Nachfragern.\n2. **Was ist ein Monopol?**\nEin Markt mit einem Anbieter.\n", "Was ist ein Polypol?", "Ein Markt mit vielen Anbietern und Nachfragern."},
		"choices before the mark":         {"May a constant get its value later?\n- [ ] Yes, it may\n- [ ] No, never\n?\nYes, in a static block.\n```java\nstatic { A = 1; }\n```\n", "May a constant get its value later?\n- [ ] Yes, it may\n- [ ] No, never", "Yes, in a static block.\n```java\nstatic { A = 1; }\n```"},
		"a link before the colons":        {"[specificity](notes/specificity.md)::the share of true negatives\n", "specificity", "the share of true negatives"},
		"an exercise with its solution":   {"## Aufgabe 1\nWas ist der Unterschied zwischen Klasse und Objekt?\n\n**Lösung:**\n- **Klasse:** ein Bauplan\n- **Objekt:** eine Instanz\n", "Was ist der Unterschied zwischen Klasse und Objekt?", "- Klasse: ein Bauplan\n- Objekt: eine Instanz"},
		"a numbered problem and its code": {"**問題 1: 未完了の計画**\nすべての手順が終わっていない計画を選んでください。\n\n**解答 1:**\n\n```sql\nSELECT 1;\n```\n\n-----\n\n**問題 2: 点数**\n合計を求めてください。\n", "未完了の計画\nすべての手順が終わっていない計画を選んでください。", "```sql\nSELECT 1;\n```"},
		"a solution that is folded away":  {"### 問題 1: 平均を求める命令を書いてください\n\n<details>\n<summary>解答を表示</summary>\n\n```sql\nSELECT 2;\n```\n\n</details>\n", "平均を求める命令を書いてください", "```sql\nSELECT 2;\n```"},
		"a card of an outline":            {"- What is a graph, formally? #card\n  card-ease-factor:: 3.1\n  - A pair of two sets.\n- When does direction matter? #card\n  - When the relation has one.\n", "What is a graph, formally?", "A pair of two sets."},
		"a card with several lines":       {"- Commands can be divided into: #card\n  - definition\n  - control\n", "Commands can be divided into:", "- definition\n- control"},
		"a gap of an outline":             {"- The powerhouse of the cell is the {{cloze mitochondria}}. #card\n", "The powerhouse of the cell is the ____.", "mitochondria"},
		"a tagged heading":                {"## Mutex #card\n\nA lock that one thread at a time holds.\n\nMore of it.\n", "Mutex", "A lock that one thread at a time holds."},
		"a tagged heading and a list":     {"## Mutex #card #os\n- one holder\n- a queue\n", "Mutex", "- one holder\n- a queue"},
		"the other side of a tagged card": {"## Semaphore #card-reverse\nA counter of permits.\n", "A counter of permits.", "Semaphore"},
		"a tagged line":                   {"What does a spinlock do while it waits? #card\nIt tries again and again.\n", "What does a spinlock do while it waits?", "It tries again and again."},
		"two lines before a tag":          {"A lock lets many readers in\nbut how many writers? #card/reverse\n\nOne at a time.\n", "A lock lets many readers in\nbut how many writers?", "One at a time."},
		"a tag that names a deck":         {"### Mutex #card\n?\nA lock that one thread holds.\n", "Mutex", "A lock that one thread holds."},
	} {
		q := find(questionsOf("A text that stands above it and says something of its own.\n\n"+c.note), c.prompt)
		if q == nil || q.Origin != Author || q.Prompt != c.prompt || q.Expected() != c.answer {
			t.Errorf("%s: %+v", name, q)
		}
	}
	for name, note := range map[string]string{
		"questions without answers": "> [!faq]- Check yourself\n> 1. How does the service sign two tokens with two secrets?\n> 2. Why does the second one use another library for it?\n",
		"a problem without one":     "**Problem 2: Sums**\nAdd all numbers up to ten, and show each step that you take.\n",
	} {
		for _, q := range questionsOf("A text that stands above it and says something of its own.\n\n" + note) {
			if strings.Contains(q.Prompt, "Check yourself") || strings.Contains(q.Expected(), "Problem 2") {
				t.Errorf("%s: %+v", name, q)
			}
		}
	}
}

// Whatever markup stands where, questions have their evidence within the text and do not end the program.
func TestDeriveOfAnyMarkup(t *testing.T) {
	pieces := []string{"# Q: a?\n", "## Exercise 1\n", "A: b\n", "Q: c\n", "**Lösung:**\n", "**Frage 2: d**\n", "?\n", "??\n", "\n", "\n\n", "- e #card\n", "  - f\n", "a::b\n", "- [ ] g\n", "```csv\nquestion,answer\nh,i\n```\n", "$$x$$\n", "-----\n", "> [!faq]- j?\n> k\n", "{{cloze l}} m\n", "==n== o\n", "<summary>p</summary>\n", "text that is long enough to say something.\n", "\t\r\n", "问题：q\n", "答：r\n", "x\ty\n", "::s:: t {=u}\n"}
	rapid.Check(t, func(t *rapid.T) {
		note := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "note"), "")
		u := unitFrom("Notes", note)
		for _, q := range Derive(u) {
			for i := range u.Sections {
				if s := &u.Sections[i]; s.AtomID == q.Evidence.AtomID && (q.Evidence.Start < 0 || q.Evidence.Start > q.Evidence.End || q.Evidence.End > len(s.Content)) {
					t.Fatalf("%q has its evidence at %+v of %q", q.Prompt, q.Evidence, s.Content)
				}
			}
		}
	})
}

func TestLinesThatBeginAQuestion(t *testing.T) {
	for line, want := range map[string]string{
		"Q: a?": "a?", "Exercise 1": "", "Exercise 1: a": "a", "**Problem 2.** a": "a", "_Task 3)_": "", "Aufgabe 12： a": "a", "問題1、a": "a", "问题 三：a": "a", "练习二": "", "Exercise 1 a": "-", "Exercise": "-", "Exercises 1: a": "-", "So Exercise 1: a": "-", "a": "-", "": "-",
	} {
		if got, ok := asksFrom(line); ok != (want != "-") || ok && got != want {
			t.Errorf("%q: %q %v", line, got, ok)
		}
	}
}

// What is asked in a section whose heading or lines begin a question that is answered blocks below it.
func TestAnswersInOtherBlocks(t *testing.T) {
	for _, c := range []struct{ title, text, want, evidence string }{
		{"Exercise 1", "Show that it is so.\n\nSolution: it is.", "Show that it is so.|it is.", "Show that it is so.\n\nSolution: it is."},
		{"Exercise 1", "Show that it is so.\n\nSolution: it is.\n\nAnd more.", "Show that it is so.|it is.\n\nAnd more.", "Show that it is so.\n\nSolution: it is.\n\nAnd more."},
		{"Exercise 1: Sums", "Show that it is so.\n\nSolution:\n\n- it is", "Sums\nShow that it is so.|it is", ""},
		{"Exercise 1", "Show that it is so.", "", ""},
		{"Exercise 1", "", "", ""},
		{"Walls", "Show that it is so.\n\nSolution: it is.", "", ""},
		{"Walls", "Problem 1: Sums\n\nShow that it is so.\n\nSolution: it is.\n\nAnd more.", "Sums\n\nShow that it is so.|it is.", "Problem 1: Sums\n\nShow that it is so.\n\nSolution: it is."},
		{"Walls", "Before.\n\nProblem 1: Sums\nShow that it is so.\n\nSolution:\n\nIt is.\n\n- so\n\nProblem 2: Add it all\n\nLösung: sie sind es.", "Sums\nShow that it is so.|It is.\n\n- so // Add it all|sie sind es.", "Problem 1: Sums\nShow that it is so.\n\nSolution:\n\nIt is.\n\n- so"},
		{"Walls", "Problem 1: Sums\n\nProblem 2: Add it all\n\nSolution: it is.", "Add it all|it is.", "Problem 2: Add it all\n\nSolution: it is."},
		{"Walls", "Problem 1: Sums\n\nSolution: it is.\n\nSolution: it was.", "Sums|it is.", "Problem 1: Sums\n\nSolution: it is."},
		{"Walls", "Q: Is it so?\nA: It is.\n\nSolution: it was.", "Is it so?|It is.", "Q: Is it so?\nA: It is."},
		{"Walls", "Q: Is it so?\n\nThink.\nAnswer: it is.\nIt always was.", "Is it so?\n\nThink.|it is.\nIt always was.", "Q: Is it so?\n\nThink.\nAnswer: it is.\nIt always was."},
		{"Walls", "Problem 1: Sums\n\n```\nSolution: it is.\n```\n\n- Solution: it is.", "", ""},
		{"Exercise 1", "Sums of it.\n\nSolution:\n\nIt is.\n\n---\n\n* * *\n", "Sums of it.|It is.", "Sums of it.\n\nSolution:\n\nIt is."},
		{"Walls", "Problem 1: Sums\n\nSolution:\n\nIt is.\n\n---\n\nProblem 2: Add it all", "Sums|It is.", "Problem 1: Sums\n\nSolution:\n\nIt is."},
		{"Exercise 1", "Solution: it is.", "", ""},
		{"Problem 1: Add it all", "Solution: it is.", "Add it all|it is.", "Solution: it is."},
	} {
		d := authored(obsidian.Marks{}, section(c.title, 1, c.text))
		if got := d.asked(); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.title, c.text, got, c.want)
			continue
		}
		if len(d.list) > 0 && c.evidence != "" {
			if at := strings.TrimSpace(c.text[d.list[0].Evidence.Start:d.list[0].Evidence.End]); at != c.evidence {
				t.Errorf("%s %q stands at %q", c.title, c.text, at)
			}
		}
	}
	for text, want := range map[string]bool{"Think.\n\nSolution: it is.": true, "Think.\nSolution: it is.": true, "Solution: it is.": false, "Think.": false, "> Think.\n> Solution: it is.": false, "- a\n\nAnswer: it is.": true} {
		s := section("T", 1, text)
		if got := answeredBelow(&s); got != want {
			t.Errorf("%q is answered below: %v", text, got)
		}
	}
	for text, want := range map[string]bool{"Q: a?\nA: b": true, "Q: a?\nb": false, "A: b": false, "Q: a?\nb\nA: c": true, "Q: a?\nSolution: b": false} {
		if got := answeredIn(&units.Blocks(text)[0]); got != want {
			t.Errorf("%q is answered in itself: %v", text, got)
		}
	}
	s := section("T", 1, "Q: a?\n\nSo.\n\n- Q: b?\n\nQ: c?\n\nEnd.")
	for k, want := range map[int]string{0: "- Q: b?", 1: "- Q: b?", 2: "- Q: b?", 3: "End.", 4: "End."} {
		if got := s.Content[:nextQuestion(&s, k)]; !strings.HasSuffix(got, want) {
			t.Errorf("behind block %d it ends with %q", k, got)
		}
	}
}

func TestCardsOfAnOutline(t *testing.T) {
	for text, want := range map[string]string{
		"- Which? #card\n  - This": "Which?|This", "- Which? #card\n  - This\n  - that": "Which?|- This\n- that", "- Which? #card": "", "- Which?\n  - This": "", "- Which? #card\n- This": "", "- Which? #card\n  - This\n- More\n  - so": "Which?|This",
		"- Up\n  - Which? #card\n    - This\n  - More": "Which?|This", "- Which? #card\n  - This\n    - so\n- More": "Which?|- This\n- so", "- Which? #card\n  id:: 12\n  card-due:: x\n  - This": "Which?|This",
	} {
		d := authored(obsidian.Marks{}, section("T", 0, text))
		if got := d.asked(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if len(d.list) > 0 {
			if at := text[d.list[0].Evidence.Start:d.list[0].Evidence.End]; strings.Contains(at, "More") || !strings.Contains(at, "Which") || !strings.Contains(at, "This") || strings.Contains(text, "    - so") && !strings.Contains(at, "so") || strings.Contains(at, "Up") {
				t.Errorf("%q stands at %q", text, at)
			}
		}
	}
}

// A tag behind a heading or a line makes it the front of a card, whose back ends at an empty line.
func TestTaggedFronts(t *testing.T) {
	for _, c := range []struct{ title, text, want, evidence string }{
		{"Mutex #card", "A lock.\n- so\n\nMore.", "Mutex|A lock.\n- so", "A lock.\n- so"},
		{"Mutex #card-reverse #os", "A lock.", "Mutex|A lock. // A lock.|Mutex", "A lock."},
		{"Mutex #cards", "A lock.", "", ""},
		{"Mutex#card", "A lock.", "", ""},
		{"Mutex #card", "", "", ""},
		{"Mutex #card", "?\nA lock.", "Mutex|A lock.", ""},
		{"Mutex #card", "??\nA lock.", "Mutex|A lock. // A lock.|Mutex", ""},
		{"T", "Which? #card\nThis\n\nMore.", "Which?|This", "Which? #card\nThis"},
		{"T", "Which\none? #card/reverse\nThis\n- so\n\nMore.", "Which\none?|This\n- so // This\n- so|Which\none?", "Which\none? #card/reverse\nThis\n- so"},
		{"T", "Which? #card\n\nThis\n- so\n\nMore.", "Which?|This\n- so", "Which? #card\n\nThis\n- so"},
		{"T", "Which? #card\n- This\n\nMore.", "Which?|This", "Which? #card\n- This"},
		{"T", "Which? #card", "", ""},
		{"T", "Which? #card\n\n?\nThis", "", ""},
		{"T", "Eins::One #card", "Eins|One", "Eins::One #card"},
		{"T", "Before.\n\nWhich? #card\nThis", "Which?|This", "Which? #card\nThis"},
		{"T", "Which? #card\nThis\nWho? #card\nI", "Which?|This\nWho?\nI", ""},
		{"T", "Which? #card\n?\nThis", "Which?|This", ""},
	} {
		d := authored(obsidian.Marks{}, section(c.title, 1, c.text))
		d.list = d.chosen(true)
		if got := d.asked(); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.title, c.text, got, c.want)
			continue
		}
		for _, q := range d.list {
			if at := c.text[q.Evidence.Start:q.Evidence.End]; c.evidence != "" && at != c.evidence {
				t.Errorf("%s %q: %q stands at %q", c.title, c.text, q.Prompt, at)
			}
		}
	}
	for text, want := range map[string]bool{"?\na": true, " ?? \na": true, "? a": false, "a": false, "- ?": false} {
		s := section("T", 1, text)
		if got := unmarked(&s, 0); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
