package detect

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// marked is a text in which what must be found stands between ⟦ and ⟧, and the rule that finds it; without a mark nothing may be
// found. {a24} stands for 24 drawn letters and digits (h: hexadecimal, d: digits, w: letters, digits, _ and -, b: base64, l: small letters
// and digits, p: a made-up password of that length), {x*9} for nine times x. No key stands in this repository.
type marked struct{ rule, text string }

var (
	drawnPart    = regexp.MustCompile(`\{([ahdwblp])(\d+)\}`)
	repeatedPart = regexp.MustCompile(`\{([^{}]+)\*(\d+)\}`)
	drawnOf      = map[string]string{"a": Alnums, "h": HexLower, "d": Digits, "w": URLSafe, "b": Alnums + "+/", "l": Digits + Lowers}
)

// drawn makes what looks drawn, the same for the same seed.
func drawn(r *rand.Rand, alphabet string, n int) string {
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		if s := string(b); alphabet == Digits || n < 8 || isAlpha(b[0]) && isAlpha(b[n-1]) && Mixed(s) && (RandomPart(s) && !strings.Contains(alphabet, "-") || strings.Trim(s[:1]+s[n-1:], "_-") != "" && RandomPart(s)) {
			return s
		}
	}
}

// filled puts the drawn parts into a text.
func filled(text string) string {
	r := rand.New(rand.NewPCG(1, 2))
	text = drawnPart.ReplaceAllStringFunc(text, func(part string) string {
		m := drawnPart.FindStringSubmatch(part)
		n, _ := strconv.Atoi(m[2])
		if m[1] == "p" {
			return ("Willow7Garnet" + strings.Repeat("kettle", n/6+1))[:n-1] + "!"
		}
		return drawn(r, drawnOf[m[1]], n)
	})
	return repeatedPart.ReplaceAllStringFunc(text, func(part string) string {
		m := repeatedPart.FindStringSubmatch(part)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
}

// unmarked takes the marks off a text and tells where they stood.
func unmarked(text string) (plain string, spans [][2]int) {
	var b strings.Builder
	for text != "" {
		switch {
		case strings.HasPrefix(text, "⟦"):
			spans, text = append(spans, [2]int{b.Len(), 0}), text[len("⟦"):]
		case strings.HasPrefix(text, "⟧"):
			spans[len(spans)-1][1], text = b.Len(), text[len("⟧"):]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String(), spans
}

// shared is the engine of all these tests: to read its rules takes longer than most of them.
var shared = New()

// before is a text that stands in front of another and says nothing: what is found must not depend on where in a text it stands.
var before = strings.Repeat("The garden is quiet.\n", 500)

func checkMarked(t *testing.T, rows []marked) {
	t.Helper()
	for _, row := range rows {
		checkOne(t, row)
		if text, _ := unmarked(filled(row.text)); len(text) < 200 {
			for i := range text { // wherever a text ends or begins, it can be read
				shared.Scan(text[:i], "", 0, nil)
				shared.Scan(text[i:], "", 0, nil)
			}
		}
		row.text = before + row.text
		checkOne(t, row)
	}
}

func checkOne(t *testing.T, row marked) {
	t.Helper()
	text, want := unmarked(filled(row.text))
	spans := shared.Scan(text, "a.txt", 0, nil)
	wrong := len(spans) != len(want)
	for i := 0; i < len(spans) && !wrong; i++ {
		wrong = spans[i].Start != want[i][0] || spans[i].End != want[i][1] || spans[i].Rule != row.rule
	}
	if !wrong {
		return
	}
	got := text
	for i := len(spans) - 1; i >= 0; i-- {
		s := spans[i]
		got = got[:s.Start] + "⟦" + s.Rule + "|" + got[s.Start:s.End] + "⟧" + got[s.End:]
	}
	t.Errorf("%s: %q\nbecame %q", row.rule, strings.TrimPrefix(row.text, before), strings.TrimPrefix(got, before))
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
