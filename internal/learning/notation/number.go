package notation

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var numberForm = regexp.MustCompile(`^[-+−]?\.?\d[\d.,' \x{00a0}_]*(?:(?:e|×10\^?|x10\^|\*10\^|·10\^|\\times10\^|\\cdot10\^)\{?([-+−]?\d+)\}?)?`)

// Number reads a number as people write it, with its unit: "1,234.5", "1.234,5", "3/4", "5 %", "6.02×10^23", "12 km".
func Number(s string) (value float64, unit string, ok bool) {
	s = strings.NewReplacer("−", "-", "{,}", ",", `\,`, "", `\%`, "%", "＝", "=").Replace(s)
	s = strings.Trim(strings.TrimSpace(s), "$ ≈~=")
	compact := strings.ReplaceAll(s, " ×", "×")
	compact = strings.NewReplacer("× ", "×", " \\times ", "\\times", " \\cdot ", "\\cdot").Replace(compact)
	if word, found := numberWords[strings.ToLower(s)]; found {
		return word, "", true
	}
	m := numberForm.FindStringSubmatch(compact)
	if m == nil {
		return 0, "", false
	}
	text, exponent := m[0], 0
	if m[1] != "" {
		cut := strings.IndexAny(strings.ToLower(text), "e×x*·\\")
		exponent, _ = strconv.Atoi(strings.ReplaceAll(m[1], "−", "-"))
		text = text[:cut]
	}
	value, ok = decimal(strings.TrimRight(text, " .,'_\u00a0"))
	value *= math.Pow10(exponent)
	rest := strings.TrimSpace(compact[len(m[0]):])
	if den, found := strings.CutPrefix(rest, "/"); found && ok {
		if d, unit, isNumber := Number(den); isNumber && d != 0 {
			return value / d, unit, true
		}
	}
	return value, strings.Trim(rest, " .$"), ok
}

// decimal reads digits with separators: of a dot and a comma the last is the decimal point; one that groups by three is none.
func decimal(s string) (float64, bool) {
	s = strings.NewReplacer(" ", "", "\u00a0", "", "'", "", "_", "").Replace(s)
	dot, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	switch {
	case dot >= 0 && comma >= 0 && comma > dot:
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case dot >= 0 && comma >= 0:
		s = strings.ReplaceAll(s, ",", "")
	case comma >= 0 && (strings.Count(s, ",") > 1 || len(s)-comma-1 == 3):
		s = strings.ReplaceAll(s, ",", "")
	case comma >= 0:
		s = strings.Replace(s, ",", ".", 1)
	case strings.Count(s, ".") > 1:
		s = strings.ReplaceAll(s, ".", "")
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

var numberWords = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "hundred": 100, "thousand": 1000,
	"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "百": 100, "千": 1000,
	"uno": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sei": 6, "sette": 7, "otto": 8, "nove": 9, "dieci": 10, "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12,
}

// Negative reports whether a text is a number below zero.
func Negative(s string) bool {
	s = strings.TrimLeft(s, " $(")
	rest, ok := strings.CutPrefix(strings.Replace(s, "−", "-", 1), "-")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// PointFirst reports whether a text is a number that begins with its point: ".5".
func PointFirst(s string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s, " $(+-−"), ".")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}
