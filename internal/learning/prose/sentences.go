package prose

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa/internal/learning/units"
)

// Sentence is a sentence of a text with where it stands.
type Sentence struct {
	Text       string
	Start, End int
}

// Sentences splits text at full stops, but not in numbers, abbreviations, formulas, code and brackets. A displayed formula ends a sentence when
// a full stop is its last sign, or when the text behind it begins one.
func Sentences(text string) []Sentence {
	var list []Sentence
	start, depth := 0, 0
	closing, opened := "", 0
	emit := func(end int) {
		s, e := start, end
		for s < e && blankByte(text[s]) {
			s++
		}
		for e > s && blankByte(text[e-1]) {
			e--
		}
		if e > s {
			list = append(list, Sentence{text[s:e], s, e})
		}
		start = end
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\\':
			n++
		case closing == "" && strings.HasPrefix(text[i:], "$$"):
			closing, opened, n = "$$", i, 2
		case closing == "" && (r == '`' || r == '$'):
			closing = string(r)
		case closing != "" && strings.HasPrefix(text[i:], closing):
			n = len(closing)
			if closing == "$$" && depth == 0 && displayEnds(text[opened+n:i], text[i+n:]) {
				emit(i + n)
			}
			closing = ""
		case closing != "":
		case strings.ContainsRune("([（「『【", r):
			depth++
		case strings.ContainsRune(")]）」』】", r):
			depth = max(0, depth-1)
		case depth > 0:
		case r == '。' || r == '！' || r == '？':
			emit(i + n)
		case (r == '.' || r == '!' || r == '?') && ends(text, i):
			k := i + 1
			for k < len(text) && strings.IndexByte(`"'*_)`, text[k]) >= 0 {
				k++
			}
			emit(k)
			n = k - i
		}
		i += n
	}
	emit(len(text))
	return list
}

// environmentEnd is the end of a formula's environment, and what may stand before it.
var environmentEnd = regexp.MustCompile(`(?:\s|\\\\|\\end\{[^}]*\}|[})])+$`)

// displayEnds reports whether a sentence ends with a displayed formula, by the formula and the text behind it.
func displayEnds(formula, rest string) bool {
	formula = environmentEnd.ReplaceAllString(formula, "")
	if strings.HasSuffix(formula, ".") && !strings.HasSuffix(formula, "..") || strings.HasSuffix(formula, "。") {
		return true
	}
	word := strings.TrimLeft(rest, " \t\r\n*_")
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) && !goesOnBehind.MatchString(word)
}

// goesOnBehind is how a sentence goes on behind a formula with a capital.
var goesOnBehind = regexp.MustCompile(`^(?:Where|With|Here|And|Dove|Wobei|Mit)\b`)

// begins is how a sentence begins and none goes on.
var begins = regexp.MustCompile(`^\s*(?:The|An?|Every|Der|Die|Das|Eine?|Il|Lo|La|Un[ao]?)\s`)

// ShortLines splits sentences at the ends of lines that nobody wrapped: they are short and the next begins as a sentence does.
func ShortLines(list []Sentence) []Sentence {
	var split []Sentence
	for _, s := range list {
		from := 0
		for i := range len(s.Text) {
			if s.Text[i] != '\n' {
				continue
			}
			line := s.Text[from:i]
			next, _ := utf8.DecodeRuneInString(strings.TrimLeft(s.Text[i+1:], "*_=[ "))
			whole := strings.Count(line, "*")%2 == 0 && strings.Count(line, "$")%2 == 0 && strings.Count(line, "`")%2 == 0 && strings.Count(line, "(") == strings.Count(line, ")")
			alone := units.Weight(line) < 16 || strings.HasPrefix(line, "*") && strings.HasSuffix(strings.TrimSpace(line), "*") // a term above its meaning
			if whole && !alone && (units.Weight(line) < 45 || begins.MatchString(s.Text[i+1:])) && !strings.HasSuffix(line, ",") && !strings.HasSuffix(line, "，") && !strings.HasSuffix(line, "、") && (unicode.IsUpper(next) || unicode.IsDigit(next) || units.Dense(next)) {
				split = append(split, Sentence{line, s.Start + from, s.Start + i})
				from = i + 1
			}
		}
		split = append(split, Sentence{s.Text[from:], s.Start + from, s.End})
	}
	return split
}

// abbreviations end with a full stop that ends no sentence, folded.
var abbreviations = strings.Fields("e.g i.e etc cf vs dr mr mrs ms prof fig eq no vol ch sec def thm st approx resp incl ca z.b d.h bzw usw vgl ggf u.a o.b.d.a ecc es pag cap art dott sig p.es ad al ed eds pp ref refs inc ltd jr sr")

// initials stand before a name: "G.N. Lewis".
var initials = regexp.MustCompile(`^\pL(?:\.\pL)+$`)

// ordinal is the end of a text before the full stop of a German ordinal: "am 28. Juni", "im 19. Jahrhundert".
var ordinal = regexp.MustCompile(`(?:^|\s)(?:[Aa]m|vom|zum|[Ii]m|[Dd]er|[Dd]es|[Dd]en|[Dd]em|[Dd]as|[Dd]ie|bis|seit|ab)\s\d{1,2}$`)

func blankByte(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func ends(text string, i int) bool {
	if text[i] != '.' {
		return i+1 == len(text) || blankByte(text[i+1]) || strings.IndexByte(`"'*_)`, text[i+1]) >= 0
	}
	k := i + 1
	for k < len(text) && strings.IndexByte(`"'*_)`, text[k]) >= 0 {
		k++
	}
	if k < len(text) && !blankByte(text[k]) {
		return false
	}
	from := strings.LastIndexAny(text[:i], " \t\r\n(") + 1
	word := strings.ToLower(strings.Trim(text[from:i], "(*_"))
	if slices.Contains(abbreviations, word) || initials.MatchString(word) || len(word) == 1 && word >= "a" && word <= "z" {
		return false
	}
	if ordinal.MatchString(text[max(0, i-12):i]) {
		return false
	}
	rest := strings.TrimLeft(text[k:], " \t\r\n*_\"'(")
	if next, _ := utf8.DecodeRuneInString(rest); rest != "" && unicode.IsLower(next) {
		return false
	}
	return true
}
