package judging

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"stoa/internal/learning/prose"
	"stoa/internal/learning/questions"

	"stoa/internal/learning/notation"
)

// fillers stand before an answer without being part of it.
var fillers = []string{"the answer is", "answer is", "answer:", "it is", "it's", "they are", "that is", "this is", "i think it is", "i think it's", "i think", "is", "are", "答案是", "是", "答え は", "答えは", "è", "sono", "la risposta è", "es ist", "sie sind", "die antwort ist", "ist"}

// tails stand behind an answer without being part of it.
var tails = []string{"です", "だ", "だと思います", "と思います", "である", "吧", ", i think", ", i guess", ", credo", ", glaube ich"}

var articles = prose.WordSet("a an the il lo la i gli le un uno una l' der die das den dem des ein eine einen einer")

// plainForms gives the forms in which an answer may be compared: folded, without filler words before it, without its
// article, and with endings of the plural taken off.
func plainForms(s string) []string {
	f := prose.Fold(s)
	list := []string{f}
	add := func(x string) {
		if x = strings.TrimSpace(x); x != "" && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	for _, filler := range fillers {
		if rest, ok := strings.CutPrefix(f, filler); ok && (strings.HasPrefix(rest, " ") || filler[0] >= 0x80) {
			add(prose.Fold(rest))
		}
	}
	for _, x := range slices.Clone(list) {
		for _, tail := range tails {
			if rest, ok := strings.CutSuffix(x, tail); ok {
				add(prose.Fold(rest))
			}
		}
	}
	for _, x := range slices.Clone(list) {
		if first, rest, ok := strings.Cut(x, " "); ok && articles[first] {
			add(rest)
		} else if rest, ok := strings.CutPrefix(x, "l'"); ok {
			add(rest)
		}
	}
	for _, x := range slices.Clone(list) {
		var words []string
		for _, w := range strings.Fields(strings.ReplaceAll(x, "-", " ")) {
			words = append(words, prose.Stem(w))
		}
		add(strings.Join(words, " "))
	}
	return list
}

// sameText reports whether two texts say the same word for word, but for case, punctuation, articles and number.
func sameText(answer, accepted string) bool {
	if notation.Negative(answer) != notation.Negative(accepted) || notation.PointFirst(answer) != notation.PointFirst(accepted) { // neither is seen in folded texts
		return false
	}
	forms := plainForms(accepted)
	for _, f := range plainForms(answer) {
		if slices.Contains(forms, f) {
			return true
		}
	}
	return false
}

// distance is the number of letters to change, add, drop or swap, up to most+1.
func distance(a, b string, most int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > most || len(y)-len(x) > most {
		return most + 1
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// misspelt reports whether an answer is the accepted one but for a letter or two.
func misspelt(answer, accepted string) bool {
	a, b := prose.Fold(answer), prose.Fold(accepted)
	n := len([]rune(b))
	switch {
	case n < 5:
		return false
	case n < 9:
		return distance(a, b, 1) == 1
	}
	return distance(a, b, 2) <= 2
}

// unitFactors give units in the base unit of their kind.
var unitFactors = map[string]struct {
	kind   string
	factor float64
}{
	"m": {"m", 1}, "km": {"m", 1000}, "cm": {"m", .01}, "mm": {"m", .001}, "µm": {"m", 1e-6}, "μm": {"m", 1e-6}, "nm": {"m", 1e-9}, "meter": {"m", 1}, "meters": {"m", 1}, "metres": {"m", 1}, "米": {"m", 1}, "公里": {"m", 1000},
	"g": {"g", 1}, "kg": {"g", 1000}, "mg": {"g", .001}, "s": {"s", 1}, "sec": {"s", 1}, "seconds": {"s", 1}, "ms": {"s", .001}, "µs": {"s", 1e-6}, "min": {"s", 60}, "h": {"s", 3600}, "hours": {"s", 3600}, "秒": {"s", 1},
	"b": {"b", 1}, "byte": {"b", 1}, "bytes": {"b", 1}, "kb": {"b", 1000}, "mb": {"b", 1e6}, "gb": {"b", 1e9}, "kib": {"b", 1024}, "mib": {"b", 1 << 20}, "gib": {"b", 1 << 30}, "bit": {"bit", 1}, "bits": {"bit", 1},
	"j": {"j", 1}, "kj": {"j", 1000}, "n": {"n", 1}, "hz": {"hz", 1}, "khz": {"hz", 1000}, "mhz": {"hz", 1e6}, "ghz": {"hz", 1e9}, "%": {"%", 1}, "percent": {"%", 1}, "k": {"k", 1}, "°c": {"°c", 1}, "v": {"v", 1}, "w": {"w", 1}, "kw": {"w", 1000}, "l": {"l", 1}, "ml": {"l", .001},
}

// sameNumber compares a number with its unit. near says that only the unit is missing or unlike.
func sameNumber(answer string, a *questions.Answer) (same, near bool) {
	answer = strings.TrimSpace(answer)
	for _, tail := range tails {
		answer = strings.TrimSuffix(strings.TrimRight(answer, " .。!！"), tail)
	}
	for _, filler := range fillers {
		if rest, ok := strings.CutPrefix(strings.ToLower(answer), filler+" "); ok {
			answer = strings.TrimSpace(rest)
		}
	}
	v, unit, ok := notation.Number(answer)
	if !ok {
		return false, false
	}
	equal := func(x, y float64) bool { return x == y || math.Abs(x-y) <= max(a.Tolerance, 1e-9)*math.Abs(y) }
	given, want := strings.ToLower(unit), strings.ToLower(a.Unit)
	if given == want {
		return equal(v, a.Value), false
	}
	g, known := unitFactors[given]
	w, also := unitFactors[want]
	if known && also && g.kind == w.kind {
		return equal(v*g.factor, a.Value*w.factor), false
	}
	if given == "" {
		return false, equal(v, a.Value)
	}
	if want == "" && equal(v, a.Value) { // "1905 AD", "3 vertices"
		return counted(unit), true
	}
	return false, equal(v, a.Value)
}

// counted reports whether what stands behind a number may name what is counted ("AD", "vertices"), and nothing else.
func counted(unit string) bool {
	words := prose.Words(unit)
	for _, w := range words {
		if prose.StopWords[w] && w != "a" || strings.ContainsFunc(w, unicode.IsDigit) {
			return false
		}
	}
	return len(words) <= 2 && !prose.Negated(words)
}
