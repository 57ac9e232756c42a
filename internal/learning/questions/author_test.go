package questions

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"stoa/internal/learning/obsidian"
	"stoa/internal/learning/units"
)

// exerciseUnit makes a unit of a section, its exercises and, if there are any, their solutions.
func exerciseUnit(exercises, solutions string) *units.Unit {
	atoms := []units.Atom{
		{ID: "a", Title: "Rings", Content: "A ring is a set with an addition and a multiplication, which distributes over the addition. The integers are one."},
		{ID: "b", Title: "Exercises", Depth: 1, Content: exercises},
	}
	if solutions != "" {
		atoms = append(atoms, units.Atom{ID: "c", Title: "Solutions", Depth: 1, Content: solutions})
	}
	r := units.Build([]*units.Prepared{units.Prepare(units.Note{ID: "n", Path: "Rings.md", Title: "Rings", Atoms: atoms})}, nil)
	if len(r.Units) != 1 {
		return &units.Unit{}
	}
	return &r.Units[0]
}

func TestExercises(t *testing.T) {
	for name, c := range map[string]struct {
		exercises, solutions, prompt, answer string
		kind                                 Kind
	}{
		"below":          {"1. What is the unit of the ring of integers?\n   - Answer: the number one\n", "", "What is the unit of the ring of integers?", "the number one", Open},
		"behind":         {"1. What is the zero of the ring of integers? Answer: nought\n2. Show that it is the only one there can be.\n", "", "What is the zero of the ring of integers?", "nought", Open},
		"in a list":      {"1. Which rings have no unit at all?\n2. How many units do the integers have?\n", "1. The even numbers\n2. two\n", "How many units do the integers have?", "two", Open},
		"first of them":  {"1. Which rings have no unit at all?\n2. How many units do the integers have?\n", "1. The even numbers\n2. two\n", "Which rings have no unit at all?", "The even numbers", Open},
		"parts":          {"1. Show for every ring that the following hold.\n   - zero times anything is zero\n   - the unit is unique\n", "", "zero times anything is zero\nthe unit is unique", "", Explain},
		"nothing":        {"1. Show that the product of two units is a unit.\n", "", "Show that the product of two units is a unit.", "", Explain},
		"too few":        {"1. Which rings have no unit at all?\n2. How many units do the integers have?\n", "1. The even numbers\n", "How many units do the integers have?", "", Explain},
		"another's list": {"1. Which rings have no unit at all?\n", "- The even numbers\n", "Which rings have no unit at all?", "", Explain},
	} {
		u := exerciseUnit(c.exercises, c.solutions)
		list := Derive(u)
		q := find(list, c.prompt)
		if q == nil || q.Origin != Author || q.Kind != c.kind || q.Expected() != c.answer {
			t.Errorf("%s: %+v of %d", name, q, len(list))
			continue
		}
		if at := u.Sections[1].Content[q.Evidence.Start:q.Evidence.End]; q.Evidence.AtomID != "b" || len(at) < 10 {
			t.Errorf("%s stands in %s at %q", name, q.Evidence.AtomID, at)
		}
	}
}

func TestColons(t *testing.T) {
	for text, want := range map[string]int{
		"Capital of France :: Paris": 1, "Rome ::: Roma": 2, "a word :::: four of them": 0, ":: nothing before": 0, "nothing behind ::": 0, "one :: two :: three": 0,
		"[field :: value]": 0, "(field :: value)": 0, "[field] :: value of it": 1, "(field) :: value of it": 1,
	} {
		d := &deriver{marks: obsidian.Marks{}.Usual(), unit: unitFrom("Notes", text+"\n\nSome more text that stands here so that there is enough of it.")}
		d.list = nil
		d.lineCard(0, units.Line{Text: text, End: len(text)}, false)
		if len(d.list) != want {
			t.Errorf("%q gives %d questions, not %d", text, len(d.list), want)
		}
	}
}

// The id of a question says what it asks: 12 bytes of a digest, the same for the same question.
func TestIDs(t *testing.T) {
	list := Derive(unitFrom("Notes", "Capital of France::Paris\n\nCapital of Spain::Madrid\n\nSome more text that stands here so that there is enough of it."))
	seen := map[string]bool{}
	for _, q := range list {
		if len(q.ID) != len("qst_")+24 || seen[q.ID] {
			t.Errorf("%s for %s", q.ID, q.Prompt)
		}
		seen[q.ID] = true
	}
}

// Cards of the plug-in that sends notes to Anki, in a line and in a block.
func TestCardsForAnki(t *testing.T) {
	text := "STARTI [Basic] Capital of Peru? Back: Lima ENDI\n\nSTART\nBasic\nWhat is a fjord?\nBack: A long arm of the sea between cliffs\nTags: geo\nEND\n\n## Test questions\n\n1. **[Basic]** Question: Where does the Rhine rise? Back: In the Alps.\n"
	list := Derive(unitOf("Geography", text))
	for prompt, answer := range map[string]string{"Capital of Peru?": "Lima", "What is a fjord?": "A long arm of the sea between cliffs", "Where does the Rhine rise?": "In the Alps."} {
		if q := find(list, prompt); q == nil || q.Origin != Author || q.Expected() != answer {
			t.Errorf("%s: %+v", prompt, q)
		}
	}
	if q := find(list, "Back:"); q != nil {
		t.Errorf("a card is asked with its answer: %q", q.Prompt)
	}
}

func TestAFileOfQuestionsIsANote(t *testing.T) {
	rows := "\ufeffId,Frage,Antwort\n1,\"Wer war der erste, den man Kaiser nannte?\",Augustus\n2,Was schreibt ```x```?,Code\n"
	for k := range 600 {
		rows += fmt.Sprintf("%d,Wie viel ist %d und eins?,%d\n", k+3, k, k+1)
	}
	note, _ := NoteOfTable("Fragen.csv", rows)
	if n := strings.Count(note, "## "); n != 38 || !strings.Contains(note, "## 593–602\n") {
		t.Errorf("%d sections of 38", n)
	}
	list := Derive(unitFrom("Fragen", note))
	if len(list) != 602 {
		t.Errorf("%d questions of 602", len(list))
	}
	tabs, _ := NoteOfTable("a/Fragen.TSV", "Frage\tAntwort\nWer?\tIch, du; wir\n")
	semicolons, _ := NoteOfTable("Fragen.csv", "Frage;Antwort\r\nWer?;\"Ich, du; wir\"\r\n")
	if tabs != semicolons || tabs != "```csv\nquestion,answer\nWer?,\"Ich, du; wir\"\n```\n\n" {
		t.Errorf("tabs %q, semicolons %q", tabs, semicolons)
	}
	for _, want := range []struct{ prompt, answer string }{{"Wer war der erste, den man Kaiser nannte?", "Augustus"}, {"Was schreibt", "Code"}, {"Wie viel ist 599 und eins?", "600"}} {
		if q := find(list, want.prompt); q == nil || q.Expected() != want.answer {
			t.Errorf("%s: %+v", want.prompt, q)
		}
	}
	for _, other := range []string{"concept,requires\nring,group\n", "question,answer\n", ""} {
		if got, ok := NoteOfTable("other.csv", other); ok {
			t.Errorf("%q is taken for questions: %q", other, got)
		}
	}
	if _, ok := NoteOfTable("rows.md", rows); ok {
		t.Error("a note is taken for a table")
	}
}

// What an author asks is all asked: a note of a hundred cards has a hundred questions.
func TestNoCardOfAnAuthorIsLeftOut(t *testing.T) {
	var cards, tabs, gift strings.Builder
	for k := range 120 {
		fmt.Fprintf(&cards, "Capital of country %d::Town %d\n", k, k)
		fmt.Fprintf(&tabs, "term %d\twhat %d means\n", k, k)
		fmt.Fprintf(&gift, "::Q%d:: What is two plus %d? {=%d}\n\n", k, k, k+2)
	}
	for _, note := range []string{cards.String(), tabs.String(), gift.String()} {
		if list := Derive(unitFrom("Cards", note)); len(list) < 120 {
			t.Errorf("%d questions of 120: %.40q", len(list), note)
		}
	}
}

// A gap is asked in its own line, without the cards in the lines around it.
func TestAGapStandsApartFromCards(t *testing.T) {
	list := Derive(unitFrom("Cells", "Mitochondria:: organelles that make ATP\nThe ==nucleus== holds the DNA,\nand nothing else does.\nRibosomes:: they make proteins\n"))
	if q := find(list, "The ____ holds the DNA,\nand nothing else does."); q == nil || q.Expected() != "nucleus" {
		t.Errorf("%+v", list)
	}
	if len(list) != 3 {
		t.Errorf("%d questions of 3", len(list))
	}
}

// The page skips tables of data by the same headings.
func TestThePageKnowsTheColumns(t *testing.T) {
	page, err := os.ReadFile("../../../web/src/learn/reading.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]string{questionColumns, answerColumns} {
		if want := "/^(" + strings.Join(list, "|") + ")$/i"; !strings.Contains(string(page), want) {
			t.Errorf("web/src/learn/reading.ts lacks %s", want)
		}
	}
}

// Tags that say a line is a card are no part of its question or answer, nor are those beside them; a # in the text is.
func TestTagsOfCardsAreNotAsked(t *testing.T) {
	for text, want := range map[string]string{
		"What is an AMI?::A template #aws #card":            "What is an AMI?|A template",
		"What is an AMI?::A template #card #aws ":           "What is an AMI?|A template",
		"What is an AMI? #flashcard\n?\nA template":         "What is an AMI?|A template",
		"What is an AMI? #flashcards/cloud\n?\nA template":  "What is an AMI?|A template",
		"Qual è una AMI?::Un modello #nube, #modelli #card": "Qual è una AMI?|Un modello",
		"Which language has #pragma?::C# #cards":            "Which language has #pragma?|C#",
		"Which colour is it?::The shade #cardinal":          "Which colour is it?|The shade #cardinal",
	} {
		u := units.Unit{ID: "a", Title: "T", Sections: []units.Section{{AtomID: "a", Title: "T", Content: text, Blocks: units.Blocks(text)}}}
		if list := Derive(&u); len(list) == 0 || list[0].Prompt+"|"+list[0].Expected() != want {
			t.Errorf("%q: %+v", text, list)
		}
	}
}

func TestWhatIsAskedAsItIsWritten(t *testing.T) {
	for _, c := range []struct {
		prompt, answer string
		want           Question
	}{
		{"Which?", "This", Question{Kind: Open, Prompt: "Which?", Answer: Answer{Texts: []string{"This"}}}},
		{"Which **one**?", "*This*", Question{Kind: Open, Prompt: "Which one?", Answer: Answer{Texts: []string{"This"}}, Shown: Shown{Prompt: "Which **one**?", Answer: "*This*"}}},
		{"Which?", "- This", Question{Kind: Open, Prompt: "Which?", Answer: Answer{Texts: []string{"This"}}}},
		{"Which?", "This\nthat", Question{Kind: Explain, Prompt: "Which?", Answer: Answer{Texts: []string{"This\nthat"}}, Shown: Shown{Answer: "This\nthat"}}},
		{"12", "This", Question{Kind: Open, Prompt: "12", Answer: Answer{Texts: []string{"This"}}}},
		{"$+$", "This", Question{Kind: Open, Prompt: "$+$", Answer: Answer{Texts: []string{"This"}}}},
		{"`+`", "This", Question{Kind: Open, Prompt: "`+`", Answer: Answer{Texts: []string{"This"}}}},
		{"+", "This", Question{}},
		{"", "This", Question{}},
		{"Which?", "", Question{}},
		{"Which?", "<!--SR:!2024-01-05,4,270-->", Question{}},
	} {
		d := &deriver{unit: &units.Unit{Sections: []units.Section{{Content: "0123456789"}}}}
		d.askNth(3, 0, c.prompt, c.answer, 2, 7)
		if len(d.list) == 0 {
			if c.want.Prompt != "" {
				t.Errorf("%q is not asked", c.prompt)
			}
			continue
		}
		q := d.list[0]
		if q.Kind != c.want.Kind || q.Prompt != c.want.Prompt || q.Expected() != c.want.Expected() || q.Shown != c.want.Shown || q.Origin != Author || q.Nth != 3 || q.Evidence != (Evidence{Start: 2, End: 7}) {
			t.Errorf("%q: %+v", c.prompt, q)
		}
	}
	for answer, want := range map[string]string{"- a": "a", "* a": "a", "+ a": "a", " - a ": "a", "- ": "- ", "-a": "-a", "a": "a", "- a\n- b": "- a\n- b", "": "", "x a": "x a", "- a <!--SR:!1-->": "a"} {
		if got := alone(answer); got != want {
			t.Errorf("%q alone is %q", answer, got)
		}
	}
	for text, want := range map[string]string{
		"a <!--SR:!2024-01-05,4,270-->": "a", "<!--SR:!1-->": "", "a #card": "a", "a #flashcards/deck": "a", "a #cardinal": "a #cardinal", "<details><summary>Show</summary>a</details>": "a", "**a**": "a",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q is cleaned to %q", text, got)
		}
	}
	for _, c := range [][3]string{{"a", "a", ""}, {" a ", "a", ""}, {"*a*", "a", "*a*"}, {"a\nb", "a\nb", "a\nb"}, {"a #card", "a", ""}} {
		if got := asWritten(c[0], c[1]); got != c[2] {
			t.Errorf("%q is written %q", c[0], got)
		}
	}
}

func TestAcceptedAnswers(t *testing.T) {
	for answer, want := range map[string]string{
		"a": "a", "a / b": "a / b", "a | b": "a | b;a;b", "a|b": "a|b", "$a$ | b": "$a$ | b", "`a | b`": "`a | b`", "colour (or color)": "colour (or color);colour;color", "colour (also called hue).": "colour (also called hue).;colour;called hue;hue", "环（又称圈）": "环（又称圈）;环;圈", "ring (ring)": "ring (ring);ring", "ring (pl)": "ring (pl);ring", "ring (set)": "ring (set);ring", "环 (set)": "环 (set);环;set", "环 (ab)": "环 (ab);环", "环 (p. 12)": "环 (p. 12);环", "ring (x = 2)": "ring (x = 2);ring", "`ring` (set)": "`ring` (set)", "ring (p. 12)": "ring (p. 12);ring", "ring (set).": "ring (set).;ring", "环 (set)。": "环 (set)。;环;set",
		"nitric acid $HNO_3$": "nitric acid $HNO_3$;nitric acid", "nitric acid $HNO_3$.": "nitric acid $HNO_3$.;nitric acid", "Ring (oder Kreis)": "Ring (oder Kreis);Ring;Kreis",
	} {
		if got := strings.Join(answerOf(answer).Texts, ";"); got != want {
			t.Errorf("%q accepts %q, want %q", answer, got, want)
		}
	}
	for answer, want := range map[string]Answer{
		"12": {Number: true, Value: 12}, "12 km": {Number: true, Value: 12, Unit: "km"}, "12 big dogs": {Number: true, Value: 12, Unit: "big dogs"}, "12 very big dogs": {}, "≈ 12": {Number: true, Value: 12, Tolerance: .02}, "~12": {Number: true, Value: 12, Tolerance: .02}, `12 \approx`: {Number: true, Value: 12, Unit: `\approx`, Tolerance: .02}, "many": {},
	} {
		a := answerOf(answer)
		if a.Texts = nil; a.Number != want.Number || a.Value != want.Value || a.Unit != want.Unit || a.Tolerance != want.Tolerance {
			t.Errorf("%q: %+v", answer, a)
		}
	}
}

// A heading that asks is answered by what stands below it; one that leans on what stands above is asked with it.
func TestHeadingsThatAsk(t *testing.T) {
	for _, c := range []struct {
		depth             int
		title, text, want string
	}{
		{1, "Why do cells have walls?", "They keep the shape.", "Why do cells have walls?|They keep the shape."},
		{1, "Why do cells of most plants have thick walls?", "They keep the shape.", "Why do cells of most plants have thick walls?|They keep the shape."},
		{1, "Why do walls of the plants stand?", "They keep the shape.", "Cells — Why do walls of the plants stand?|They keep the shape."},
		{1, "Why do walls of the cells stand?", "They keep the shape.", "Why do walls of the cells stand?|They keep the shape."},
		{1, "abcdefghi abcdefghi abcdefghi ab?", "They keep.", "Cells — abcdefghi abcdefghi abcdefghi ab?|They keep."},
		{1, "abcdefghi abcdefghi abcdefghi abc?", "They keep.", "abcdefghi abcdefghi abcdefghi abc?|They keep."},
		{1, "它为什么会发光呢？", "因为它很热。", "Cells — 它为什么会发光呢？|因为它很热。"},
		{1, "Why so?", "They keep the shape.", ""},
		{1, "Why walls", "They keep the shape.", ""},
		{1, "Why do walls of the plants stand?", "", ""},
		{1, "Why do walls of the plants stand?", "```\nx\n```", ""},
		{1, "What is it?", "It is small.", "What is meant by “Cells”?|It is small."},
		{0, "Part", "They keep the shape.", ""},
		{1, "Q: Why?", "They keep.\n\nSo.", "Why?|They keep.\n\nSo."},
		{1, "Q: Why?", "A: They keep.\n\nSo.", "Why?|They keep.\n\nSo."},
		{1, "Q:", "They keep.", ""},
		{1, "Why do cells have walls?", "A: They keep.\nSo.", "Why do cells have walls?|They keep.\nSo."},
		{1, "Walls of cells", "A: They keep.", ""},
		{1, "Q: Why?", "Think.\n\nSolution: They keep.", "Why?\nThink.|They keep."},
	} {
		d := &deriver{unit: &units.Unit{ID: "u", Title: "Cells", Note: "Cells", Sections: []units.Section{section(c.title, c.depth, c.text)}}, marks: obsidian.Marks{}.Usual(), lines: -1}
		d.author(0)
		d.list = d.chosen(true) // of the ways to read one heading the first
		if got := d.asked(); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
		if len(d.list) > 0 && (d.list[0].Evidence.Start != 0 || d.list[0].Evidence.End != len(c.text)) {
			t.Errorf("%q: %+v", c.title, d.list[0].Evidence)
		}
	}
	for text, want := range map[string]bool{"abcdefgh?": true, "abcdefg?": false, "为什么呢？": true, "为什？": false, "abcdefgh": false, "abcdefgh? so": false, "": false} {
		if got := asks(text); got != want {
			t.Errorf("%q asks: %v", text, got)
		}
	}
}

// The text of a note before its headings is answered under the note's name.
func TestNameOfANoteThatAsks(t *testing.T) {
	for _, c := range []struct {
		at, depth int
		want      string
	}{{0, 0, "Why do walls of most plants stand so long?"}, {0, 1, "Where do walls of most plants stand so long?"}, {1, 0, "Where do walls of most plants stand so long?"}} {
		u := &units.Unit{ID: "u", Title: "T", Note: "Why do walls of most plants stand so long?", Sections: []units.Section{{}, {}}}
		u.Sections[c.at] = section("Where do walls of most plants stand so long?", c.depth, "They keep the shape.")
		d := &deriver{unit: u, marks: obsidian.Marks{}.Usual(), lines: -1}
		d.heading(c.at)
		if got := d.asked(); got != c.want+"|They keep the shape." || d.list[0].Rank != .95 || d.list[0].Kind != Explain || len(d.list[0].Answer.Points) == 0 {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestFirstText(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "One *so*\ntwo\n\nThree": "One so two\nThree", "- one\n- *two*\n\nThree": "one; two\nThree", "```\nx\n```\nOne": "One", "> One\n> two\n\nThree": "One two", "> - one\n\nThree": "Three", "Zero\n\n> One": "Zero",
		"> ```\n> x\n> ```\n\nOne": "One", "| a | b |\n|---|---|\n| c | d |": "", "- [a](b.md)\n- [c](d.md)\n\nOne": "One", "$$x$$\n\nOne": "$$x$$\nOne", "$$x$$": "", "One if\n\n$$x$$\n\n- two": "One if $$x$$\ntwo", "One\n\nProblem 2: two": "One",
		"One is:\n\n- two\n- three\n\n```\nx\n```\nFour": "One is: two; three", "> [!def] A\n> One is:\n\n- two": "A: One is: two", "Term\n: one": "Term: one", strings.Repeat("one two ", 70) + "\n\nthree": strings.TrimSpace(strings.Repeat("one two ", 70)), "One two.\n\nThree if:\n\n```\nx\n```": "One two.",
		"I have read on it.\n\nOne": "One", "One\n\nhttps://example.org/one\n\nTwo": "One\nTwo", "Length: 24:57\n\nOne": "One",
	} {
		s := section("T", 0, text)
		got, from, to := firstText(&s)
		if words := strings.Fields(strings.NewReplacer(";", "", ":", "", "*", "").Replace(want)); got != want || want != "" && (!strings.Contains(text[from:to], words[0]) || !strings.Contains(text[from:to], words[len(words)-1])) {
			t.Errorf("%q: %q at %d–%d", text, got, from, to)
		}
	}
}

// What only announces what stands below it is gathered for a while, and not for ever.
func TestFirstTextOfMany(t *testing.T) {
	s := section("T", 0, strings.Repeat("It is so if:\n\n", 20_000))
	if text, _, to := firstText(&s); len(text) > 3*farthest || to > 3*farthest {
		t.Errorf("%d bytes, up to %d", len(text), to)
	}
}

// A question tells its subject when it has a telling word of the title of its unit or note, in whatever number.
func TestTellsSubject(t *testing.T) {
	d := &deriver{unit: &units.Unit{Title: "Walls of the cell", Note: "Plants"}}
	for text, want := range map[string]bool{"What is a wall?": true, "What are cells?": true, "Which plant is it?": true, "Which of the two?": false, "What is it?": false, "": false} {
		if got := d.tellsSubject(text); got != want {
			t.Errorf("%q tells the subject: %v", text, got)
		}
	}
	german := &deriver{unit: &units.Unit{Sections: []units.Section{section("T", 0, "Der Hund ist nicht da und die Katze wird es sein.")}}}
	if got := german.language() + (&deriver{unit: german.unit, lang: "it"}).language(); got != "deit" {
		t.Errorf("the languages are %s", got)
	}
}
