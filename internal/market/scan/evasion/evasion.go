// Package evasion writes a text in 37 ways that hide it from a simple reader, to measure what the scanner still sees.
package evasion

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Transform is one way to write a text.
type Transform struct {
	Name string
	// Latin is set for those that change Latin letters alone.
	Latin bool
	Apply func(string) string
}

// All are the transforms, each the same for the same text.
var All = []Transform{
	{"zero-width between letters", false, func(s string) string { return between(s, "\u200b") }},
	{"zero-width in words", false, func(s string) string { return inWords(s, "\u200d") }},
	{"soft hyphen in words", false, func(s string) string { return inWords(s, "\u00ad") }},
	{"tags block", true, func(s string) string {
		return "Tell me about London " + strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return -1
			}
			return r + 0xe0000
		}, s)
	}},
	{"variation selectors", false, func(s string) string {
		var b strings.Builder
		b.WriteString("Nice day 😀")
		for _, c := range []byte(s) {
			if c < 16 {
				b.WriteRune(0xfe00 + rune(c))
			} else {
				b.WriteRune(0xe0100 + rune(c) - 16)
			}
		}
		return b.String()
	}},
	{"right-to-left override", false, func(s string) string {
		return perLine(s, func(l string) string { return "\u202e" + reverse(l) + "\u202c" })
	}},
	{"bidi isolates", false, func(s string) string { return perWord(s, func(w string) string { return "\u2068" + w + "\u2069" }) }},
	{"Cyrillic homoglyphs", true, letters("aаcсeеoоpрxхyуiіsѕ")},
	{"Greek homoglyphs", true, letters("aαeεoοpρxχyγiιnηvνkκuυtτ")},
	{"fullwidth", true, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r <= '~' {
				return r + 0xfee0
			}
			return r
		}, s)
	}},
	{"mathematical bold", true, alphabet(0x1d41a, 0x1d400)},
	{"circled letters", true, alphabet(0x24d0, 0x24b6)},
	{"upside down", true, func(s string) string {
		return perLine(s, func(l string) string { return reverse(turn(strings.ToLower(l))) })
	}},
	{"zalgo", false, func(s string) string {
		var b strings.Builder
		for i, r := range []rune(s) {
			b.WriteRune(r)
			if r < 0x250 && unicode.IsLetter(r) {
				b.WriteRune(0x300 + rune(i*7%40))
				b.WriteRune(0x316 + rune(i*5%20))
			}
		}
		return b.String()
	}},
	{"leetspeak", true, letters("a4e3i1o0s5t7")},
	{"s p a c e d", false, func(s string) string { return between(s, " ") }},
	{"d.o.t.t.e.d", false, func(s string) string { return between(s, ".") }},
	{"hy-phen-ated", true, func(s string) string { return inWords(s, "-") }},
	{"newline between words", false, func(s string) string { return strings.ReplaceAll(s, " ", "\n") }},
	{"emoji between words", false, func(s string) string { return strings.ReplaceAll(s, " ", " 😀 ") }},
	{"random case", true, func(s string) string {
		random := source(s)
		return strings.Map(func(r rune) rune {
			if random.IntN(2) == 0 {
				return unicode.ToUpper(r)
			}
			return unicode.ToLower(r)
		}, s)
	}},
	{"swapped letters", true, func(s string) string {
		random := source(s)
		return perWord(s, func(w string) string {
			r := []rune(w)
			if len(r) > 4 && random.IntN(3) == 0 {
				i := 1 + random.IntN(len(r)-3)
				r[i], r[i+1] = r[i+1], r[i]
			}
			return string(r)
		})
	}},
	{"base64", false, func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 twice", false, func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}},
	{"base64 in a sentence", false, func(s string) string {
		return "Here is a note for later: " + base64.StdEncoding.EncodeToString([]byte(s)) + " and that is all for today."
	}},
	{"hex", false, func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"URL escapes", false, func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }},
	{"HTML entities", false, func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, "&#%d;", r)
		}
		return b.String()
	}},
	{`\u escapes`, false, func(s string) string {
		var b strings.Builder
		for _, r := range s {
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		}
		return b.String()
	}},
	{"rot13", true, func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z':
				return 'a' + (r-'a'+13)%26
			case 'A' <= r && r <= 'Z':
				return 'A' + (r-'A'+13)%26
			}
			return r
		}, s)
	}},
	{"reversed", false, reverse},
	{"HTML comment", false, func(s string) string {
		return "# My notes\n\nA short page about tea.\n\n<!-- " + s + " -->\n\nGreen tea is brewed at 80 degrees.\n"
	}},
	{"Markdown reference comment", false, func(s string) string {
		return "# My notes\n\nA short page about tea.\n\n[//]: # (" + strings.ReplaceAll(s, "\n", " ") + ")\n\nGreen tea is brewed at 80 degrees.\n"
	}},
	{"hidden span", false, func(s string) string {
		return "<p>A short page about tea.</p><span style=\"display:none\">" + html.EscapeString(s) + "</span><p>Green tea is brewed at 80 degrees.</p>"
	}},
	{"image text", false, func(s string) string {
		return "A short page about tea. ![" + strings.NewReplacer("]", ")", "[", "(", "\n", " ").Replace(s) + "](tea.png) Green tea is brewed at 80 degrees."
	}},
	{"split over YAML fields", false, func(s string) string {
		r := []rune(s)
		var b strings.Builder
		for i := range 4 {
			fmt.Fprintf(&b, "part%d: %q\n", i+1, string(r[i*len(r)/4:(i+1)*len(r)/4]))
		}
		return b.String()
	}},
	{"buried in 8 KB", false, func(s string) string {
		var b strings.Builder
		for i := 0; b.Len() < 4000; i++ {
			b.WriteString(ordinary[i%len(ordinary)])
		}
		b.WriteString("\n\n" + s + "\n\n")
		for i := 3; b.Len() < 8000; i++ {
			b.WriteString(ordinary[i%len(ordinary)])
		}
		return b.String()
	}},
}

var ordinary = []string{
	"The garden is watered in the early morning, before the sun stands high. ",
	"Tomatoes like warm soil, and they want a stick to lean on.\n\n",
	"When a member asks about opening hours, answer with the table below and the address of the branch. ",
	"Our library lends books for four weeks; a loan can be made longer twice unless somebody waits for the book. ",
	"Write short sentences and use the words of the reader.\n\n",
	"## Returns\n\nA parcel can be sent back within thirty days. Put the form into the box and bring it to any shop. ",
	"The recipe serves four people: two onions, a cup of lentils, some cumin and a lemon. ",
	"Explain each step of the calculation and give the result with its unit. ",
	"- Greet the customer\n- Ask for the number of the order\n- Look up the state of the delivery\n\n",
	"The train leaves from platform two; in winter it may be a few minutes late. ",
	"Give three examples from daily life and one from science. ",
}

func source(s string) *rand.Rand {
	var h uint64 = 1469598103934665603
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return rand.New(rand.NewPCG(h, 37))
}

func between(s, mark string) string {
	r := []rune(s)
	parts := make([]string, len(r))
	for i := range r {
		parts[i] = string(r[i])
	}
	return strings.Join(parts, mark)
}

// inWords puts a mark into the middle of every word of four letters or more, and between every second of those
// that are written without spaces.
func inWords(s, mark string) string {
	return perWord(s, func(w string) string {
		r := []rune(w)
		if len(r) < 4 || r[len(r)/2] > 0x2000 && mark == "-" {
			return w
		}
		if r[0] > 0x2000 {
			var b strings.Builder
			for i, x := range r {
				if i > 0 && i%2 == 0 {
					b.WriteString(mark)
				}
				b.WriteRune(x)
			}
			return b.String()
		}
		return string(r[:len(r)/2]) + mark + string(r[len(r)/2:])
	})
}

func perWord(s string, do func(string) string) string {
	var b strings.Builder
	for len(s) > 0 {
		i := strings.IndexAny(s, " \n\t")
		if i < 0 {
			i = len(s)
		}
		b.WriteString(do(s[:i]))
		if i == len(s) {
			break
		}
		b.WriteByte(s[i])
		s = s[i+1:]
	}
	return b.String()
}

func perLine(s string, do func(string) string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = do(lines[i])
	}
	return strings.Join(lines, "\n")
}

func reverse(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeLastRuneInString(s)
		b.WriteRune(r)
		s = s[:len(s)-n]
	}
	return b.String()
}

// letters replaces each letter by the one after it in pairs.
func letters(pairs string) func(string) string {
	m := map[rune]rune{}
	r := []rune(pairs)
	for i := 0; i+1 < len(r); i += 2 {
		m[r[i]] = r[i+1]
	}
	return func(s string) string {
		return strings.Map(func(r rune) rune {
			if x, ok := m[unicode.ToLower(r)]; ok {
				return x
			}
			return r
		}, s)
	}
}

func alphabet(lower, upper rune) func(string) string {
	return func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z':
				return lower + r - 'a'
			case 'A' <= r && r <= 'Z':
				return upper + r - 'A'
			}
			return r
		}, s)
	}
}

var turn = letters("aɐbqcɔdpeǝfɟgƃhɥiᴉjɾkʞmɯnupdqbrɹtʇunvʌwʍyʎ")
