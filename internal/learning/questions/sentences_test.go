package questions

import (
	"slices"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"  A  Ring.\n": "a ring", "ＡＢＣ１": "abc1", "don’t": "don't", "a–b": "a-b", "−5": "-5", "`code`": "code", "**bold**": "bold", "(the same)": "the same", "( the same )": "the same",
		"「環」。": "環", "什么？！": "什么", "“so”…": "so", "-": "-", "...": "", "": "", "¿Qué?": "¿qué",
	} {
		if got := Fold(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// A hyphen or an apostrophe within a word is part of it, one at its end or before it is not.
func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":  "",
		"A": "a", "one two": "one|two", "x2 y": "x2|y", "2x": "2x", "well-known": "well-known", "a-b": "a-b", "a-z a-a a-0 a-9": "a-z|a-a|a-0|a-9", "a-é": "a-é", "don't": "don't", "b -c": "b|c", "b- c": "b|c", "-b": "b", "b-": "b",
		"dogs' tails": "dogs|tails", "a-(b)": "a|b", "a--b": "a|b", "l'eau": "l'eau", "a/b": "a|b", `\pi r`: `\pi|r`, "क्या है": "क्या|है", "x\u0304y": "x\u0304y", "环是set的": "环|是|set|的", "环a": "环|a", "a环": "a|环", "スタックx": "ス|タ|ッ|ク|x", "한국": "한|국", "1.5": "1|5",
	} {
		if got := strings.Join(Words(text), "|"); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"flies": "fly", "ties": "tie", "series": "sery", "asses": "ass", "aches": "ach", "ashes": "ash", "boxes": "box", "axes": "axe", "classes": "class", "bags": "bag", "gas": "gas", "mass": "mass", "genus": "genus", "basis": "basis",
		"rings": "ring", "ring's": "ring", "ring": "ring", "s": "s", "": "", "houses": "house",
	} {
		if got := stem(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}

// Sentences end at full stops and their kin, and not within brackets, formulas and code.
func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":                                              "",
		"   ":                                           "",
		"No end":                                        "No end",
		"One here. Two there.":                          "One here.|Two there.",
		" \n\tOne here. \t\n Two there.\n\t":            "One here.|Two there.",
		"One here.\r\nTwo there.\r\n":                   "One here.|Two there.",
		"One here.\tTwo there.":                         "One here.|Two there.",
		"What? How! So. It":                             "What?|How!|So.|It",
		"一。二！三？四":                                       "一。|二！|三？|四",
		"（一。二）三。四":                                      "（一。二）三。|四",
		"「一。二」三。四":                                      "「一。二」三。|四",
		"『一。』二。三":                                       "『一。』二。|三",
		"【一。】二。三":                                       "【一。】二。|三",
		"One (in. Two) here. Two there.":                "One (in. Two) here.|Two there.",
		"One ((in. Two) so. Two) here. Two there.":      "One ((in. Two) so. Two) here.|Two there.",
		"One [in. Two] here. Two there.":                "One [in. Two] here.|Two there.",
		"a) One here. Two (in. Two) there. Three":       "a) One here.|Two (in. Two) there.|Three",
		"Use `a. B` here. Two there.":                   "Use `a. B` here.|Two there.",
		"Let $a. B$ hold. Two there.":                   "Let $a. B$ hold.|Two there.",
		"Let $a` B. C$ hold. Two there.":                "Let $a` B. C$ hold.|Two there.",
		"Use `a$ B. C` here. Two there.":                "Use `a$ B. C` here.|Two there.",
		"Let $(a$ hold. Two there.":                     "Let $(a$ hold.|Two there.",
		`It costs \$5 here. Two cost \$9.`:              `It costs \$5 here.|Two cost \$9.`,
		`Let $a\$. B$ hold. Two there.`:                 `Let $a\$. B$ hold.|Two there.`,
		`One here\. Two there.`:                         `One here\. Two there.`,
		`It ends in \`:                                  `It ends in \`,
		`"It goes." Then it stops.`:                     `"It goes."|Then it stops.`,
		`It goes. "Then" it stops.`:                     `It goes.|"Then" it stops.`,
		`It goes.'* Then it stops.`:                     `It goes.'*|Then it stops.`,
		`__It goes.__ Then it stops.`:                   `__It goes.__|Then it stops.`,
		"**It goes.** Then it stops.**":                 "**It goes.**|Then it stops.**",
		"It is 3.14 wide, see 2.5. Then it stops at 2.": "It is 3.14 wide, see 2.5.|Then it stops at 2.",
		"Was it so?! It was.":                           "Was it so?!|It was.",
		"das ist z.B. so. Der Rest folgt.":              "das ist z.B. so.|Der Rest folgt.",
	} {
		var parts []string
		end := 0
		for _, s := range sentences(text) {
			parts = append(parts, s.Text)
			if text[s.Start:s.End] != s.Text || s.Start < end {
				t.Errorf("%q: %q stands at %d–%d", text, s.Text, s.Start, s.End)
			}
			end = s.End
		}
		if got := strings.Join(parts, "|"); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The mark < stands for the place that is asked about.
func TestEndsOfSentences(t *testing.T) {
	for text, want := range map[string]bool{
		"So it is<.": true, "So it is<. Then": true, "So it is<.\nThen": true, "So it is<.\r\nThen": true, "So it is<.\r\nthen": false, "So it is<.\tThen": true, "so\tetc<. The": false, "So it is<. then": false, "So it is<.**\nthen": false, "So it is<.) Then": true, "So it is<.\" Then": true, "So it is<.\"": true, "So it is<.x": false, "So it is<.)x": false,
		"3<.14": false, "In 1905<. Then": true, "see etc<. The": false, "etc<. The": false, "(etc<. The": false, "\netc<. The": false, "*etc<. The": false, "_cf<. The": false, "retc<. The": true, "E.g<. The": false, "G.N<. Lewis": false, "GN<. Lewis": true,
		"J<. Smith": false, "a<. Smith": false, "z<. Smith": false, "part 5<. Then": true, "é<. Then": true, "So it is<.  **then": false, "So it is<.  **Then": true, "So it is<. 4 are": true, "So it is<. (then": false, "So it is<. 'Then": true,
		"Go<!": true, "Go<! then": true, "Go<!\nthen": true, "Go<!x": false, "Go<!\"": true, "Go<!'": true, "Go<?)": true, "Go<?_": true, "Go<?* so": true, "go<?s=1": false,
	} {
		at := strings.Index(text, "<")
		if got := ends(strings.Replace(text, "<", "", 1), at); got != want {
			t.Errorf("%q ends: %v", text, got)
		}
	}
}

// A line that is short, or whose next begins as a sentence does, is one of its own.
func TestShortLines(t *testing.T) {
	long := "The wall of a cell keeps it in its shape and lets the water through"
	for text, want := range map[string]string{
		"The wall keeps the shape\nWater goes through":                     "The wall keeps the shape|Water goes through",
		"The wall keeps the shape\nwater goes through":                     "",
		"The wall keeps the shape\n4 layers are in it":                     "The wall keeps the shape|4 layers are in it",
		"The wall keeps the shape\n水能通过它":                                  "The wall keeps the shape|水能通过它",
		"The wall keeps the shape\n**Water** goes through":                 "The wall keeps the shape|**Water** goes through",
		"The wall keeps the shape\n==Water== goes through":                 "The wall keeps the shape|==Water== goes through",
		"The wall keeps the shape\n[[Water]] goes through":                 "The wall keeps the shape|[[Water]] goes through",
		"The wall keeps the shape\n(Water) goes through":                   "",
		"The wall keeps the shape,\nWater goes through":                    "",
		"细胞壁保持细胞的形状不变，\n水能通过它":                                             "",
		"細胞壁は細胞の形を保っている、\n水は通る":                                            "",
		"细胞壁保持细胞的形状不变\n水能通过它":                                              "细胞壁保持细胞的形状不变|水能通过它",
		"The wall of *the cell\nWater* goes through":                       "",
		"The wall of $the cell\nWater$ goes through":                       "",
		"The wall of `the cell\nWater` goes through":                       "",
		"The wall of (the cell\nWater) goes through":                       "",
		"The wall of *a* (the) `b` $c$ d\nWater goes through":              "The wall of *a* (the) `b` $c$ d|Water goes through",
		"abcde fghij klmno\nWater goes through":                            "",
		"abcde fghij klmnop\nWater goes through":                           "abcde fghij klmnop|Water goes through",
		"**Wall of the plant cell** \nWater goes through":                  "",
		"**Wall** of the plant cell\nWater goes through":                   "**Wall** of the plant cell|Water goes through",
		"Wall of the **plant cell**\nWater goes through":                   "Wall of the **plant cell**|Water goes through",
		strings.Repeat("abcd ", 11) + "\nWater goes":                       strings.Repeat("abcd ", 11) + "|Water goes",
		strings.Repeat("abcd ", 11) + "e\nWater goes":                      "",
		long + "\nWater goes through":                                      "",
		long + "\nThe water goes through":                                  long + "|The water goes through",
		long + "\nDie Wand hält":                                           long + "|Die Wand hält",
		"\nThe wall keeps the shape\nWater goes":                           "\nThe wall keeps the shape|Water goes",
		"The wall keeps the shape\nWater goes through it all\nLight stops": "The wall keeps the shape|Water goes through it all|Light stops",
	} {
		if want == "" {
			want = text
		}
		const before = 7
		var parts []string
		for _, s := range shortLines([]Sentence{{Text: text, Start: before, End: before + len(text)}}) {
			parts = append(parts, s.Text)
			if s.Start < before || s.End > before+len(text) || text[s.Start-before:s.End-before] != s.Text {
				t.Errorf("%q: %q stands at %d–%d", text, s.Text, s.Start, s.End)
			}
		}
		if got := strings.Join(parts, "|"); got != want {
			t.Errorf("%q is %q", text, got)
		}
	}
}

// Every language is told by its own words; of two that are equal it is the first, and English before all.
func TestLanguageOf(t *testing.T) {
	for text, want := range map[string]string{
		"": "en", "x": "en", "the il": "en", "il the": "en", "la": "it", "las la": "es", "Il gatto, che è di Roma.": "it", "(der) Hund": "de", "El perro y los gatos": "es", "O cão não é um gato": "pt", "Les chats sont dans la rue": "fr", "Der Hund ist nicht da": "de", "The cat is of the house": "en",
		"环是一个": "zh", "环是个": "en", "环是一个 abcde fghij klmno pqrs": "zh", "环是一个 abcde fghij klmno pqrst": "en", "环是一个 abcde fghij klmno pqrs 12345": "zh",
		"これは環": "en", "これは環で": "ja", "スタック": "ja", "すたック": "ja", "コアの": "en", strings.Repeat("漢", 47) + "これはの": "ja", strings.Repeat("漢", 48) + "これはの": "zh",
	} {
		if got := languageOf(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestWordSet(t *testing.T) {
	set := wordSet("a  b\nc")
	for word, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false, "": false} {
		if set[word] != want {
			t.Errorf("%q: %v", word, set[word])
		}
	}
	if !slices.Contains(marking["la"], "it") || !slices.Contains(marking["la"], "es") {
		t.Errorf("la is of %q", marking["la"])
	}
}
