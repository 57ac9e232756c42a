package prose

import (
	"strings"
	"testing"
)

// Sentences end at full stops and their kin, and not within brackets, formulas and code.
func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"   ":                                "",
		"No end":                             "No end",
		"One here. Two there.":               "One here.|Two there.",
		" \n\tOne here. \t\n Two there.\n\t": "One here.|Two there.",
		"One here.\r\nTwo there.\r\n":        "One here.|Two there.",
		"One here.\tTwo there.":              "One here.|Two there.",
		"Am 28. Juni. Im 19. Jahrhundert. Es sind 28. Der": "Am 28. Juni.|Im 19. Jahrhundert.|Es sind 28.|Der",
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
		for _, s := range Sentences(text) {
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
		for _, s := range ShortLines([]Sentence{{Text: text, Start: before, End: before + len(text)}}) {
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

// What is marked is found with its bounds; a mark that is not closed, or has too little or too much in it, is text.
func TestMarks(t *testing.T) {
	x := func(n int) string { return strings.Repeat("é", n) }
	for text, want := range map[string]string{
		"": "", "plain": "", "a **bc** d": "bc", "__bc__": "bc", "[[bc]]": "bc", "`b`": "b", "<mark>bc</mark>": "bc", "<mark class=\"x\">bc</mark>": "bc",
		"**b**": "", "__b__": "", "[[b]]": "", "``": "", "<mark>b</mark>": "",
		"**" + x(80) + "**": x(80), "**" + x(81) + "**": "", "__" + x(80) + "__": x(80), "__" + x(81) + "__": "", "[[" + x(120) + "]]": x(120), "[[" + x(121) + "]]": "", "`" + x(60) + "`": x(60), "`" + x(61) + "`": "", "<mark>" + x(80) + "</mark>": x(80), "<mark>" + x(81) + "</mark>": "",
		"**bc": "", "**b\nc**": "", "**bc*": "", "*bc*": "", "_bc_": "", "*bcd*": "bcd", "a _bcd_, e": "bcd", "a*bcd*e": "", "a_bcd_e": "", "* bcd*": "", "*bcd *": "", "***bcd***": "bcd", "$a *bcd* e$": "", "$a$ *bcd*": "bcd", "是*概念词*的": "概念词", "[bc]": "", "[[b\nc]]": "", "[[bc]": "", "`b\nc`": "", "<mark": "", "<mark>": "", "<mark\n>bc</mark>": "", "<mark x": "", "<mark>bc<b></mark>": "", "<b>bc</b>": "", "<mark>b\nc</mark>": "",
		"**ab** and `c` and [[de]]": "ab|c|de", "**ab `c` de**": "ab `c` de", "**a [[bc]] de": "bc", "*a* **bc**": "bc", "** `c`": "c", "<b **cd**": "cd", "`a **bc**": "bc",
		strings.Repeat("`b` ", 30): strings.Repeat("b|", 23) + "b",
	} {
		var found []string
		for _, p := range Marks(text) {
			found = append(found, text[p.Inner:p.End])
			if f := p.Form; !strings.HasPrefix(text[p.From:], f.open) || !strings.HasSuffix(text[:p.To], f.close) || p.End+len(f.close) != p.To || p.Inner < p.From+len(f.open) {
				t.Errorf("%.40q: %+v", text, p)
			}
		}
		if got := strings.Join(found, "|"); got != want {
			t.Errorf("%.40q has %q, want %q", text, got, want)
		}
	}
}
