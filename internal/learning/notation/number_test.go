package notation

import (
	"math"
	"strings"
	"testing"
)

// Number words count up from nought or one in each language.
func TestNumberWords(t *testing.T) {
	for first, list := range map[string]string{
		"zero": "zero one two three four five six seven eight nine ten eleven twelve", "零": "零 一 二 三 四 五 六 七 八 九 十",
		"uno": ". uno due tre quattro cinque sei sette otto nove dieci", "eins": ". eins zwei drei vier fünf sechs sieben acht neun zehn . zwölf",
	} {
		for want, word := range strings.Fields(list) {
			if v, unit, ok := Number(word); word != "." && (!ok || unit != "" || v != float64(want)) {
				t.Errorf("%s: %s is %v %q %v", first, word, v, unit, ok)
			}
		}
	}
	for word, want := range map[string]float64{"两": 2, "hundred": 100, "thousand": 1000, "百": 100, "千": 1000} {
		if v, _, ok := Number(word); !ok || v != want {
			t.Errorf("%s is %v", word, v)
		}
	}
}

func TestNumbersWithSeparators(t *testing.T) {
	for in, want := range map[string]float64{
		"1.234.567,5": 1234567.5, "1,234,567.5": 1234567.5, "1.234.567": 1234567, "1,234,567": 1234567, "1,234": 1234, "1,23": 1.23, "12,3456": 12.3456,
		"1'000'000": 1e6, "1_000": 1000, "3.": 3, "1,5×10^3": 1500, "2·10^{-3}": .002, "4e−2": .04, "6.022 × 10^23": 6.022e23, "1/8": .125, "$≈ 3.14$": 3.14,
	} {
		if v, _, ok := Number(in); !ok || math.Abs(v-want) > 1e-12*math.Abs(want) {
			t.Errorf("%q is %v %v, want %v", in, v, ok, want)
		}
	}
	for _, in := range []string{"", "km 5", "many", "1/0x", ".5.5.5x"} {
		if v, unit, ok := Number(in); ok && unit == "" {
			t.Errorf("%q is %v", in, v)
		}
	}
}

func TestNumbersAreReadWithWhatStandsBehind(t *testing.T) {
	for in, want := range map[string]struct {
		value float64
		unit  string
	}{
		"12 km": {12, "km"}, "5 %": {5, "%"}, `5\%`: {5, "%"}, "12 km.": {12, "km"}, "$9.81 m/s^2$": {9.81, "m/s^2"}, "+3": {3, ""}, "1{,}5": {1.5, ""}, `1\,000`: {1000, ""}, "3/4": {.75, ""}, "1/0": {1, "/0"}, "1/x": {1, "/x"}, "3 / 4": {.75, ""}, "＝ 7": {7, ""},
		"1e3/2": {500, ""}, "3/4 km": {.75, "km"}, "2 × 10^3 m": {2000, "m"}, `2 \times 10^3`: {2000, ""}, `2 \cdot 10^{-1}`: {.2, ""}, "2x10^2": {200, ""}, "2*10^2": {200, ""}, "2 × 3": {2, "×3"}, "5e": {5, "e"}, "Seven": {7, ""}, "7 seven": {7, "seven"}, ".5 km": {.5, "km"}, "-.5": {-.5, ""}, "1\u00a0000": {1000, ""},
	} {
		v, unit, ok := Number(in)
		if !ok || math.Abs(v-want.value) > 1e-12*math.Abs(want.value) || unit != want.unit {
			t.Errorf("%q is %v %q %v", in, v, unit, ok)
		}
	}
	for in, want := range map[string]float64{
		".234,5": 234.5, ",234.5": 234.5, ",234": 234, ",5": .5, "1,2,3": 123, "1.2.3": 123, "1.5": 1.5, "1,23": 1.23, "1,2345": 1.2345, "1,234": 1234, "1.234": 1.234, "1.234,5": 1234.5, "1,234.5": 1234.5, "12": 12, "1 2'3_4": 1234,
	} {
		if v, ok := decimal(in); !ok || v != want {
			t.Errorf("%q is %v %v", in, v, ok)
		}
	}
	for _, in := range []string{"", "x", "1.234,5,6", ".", "1.2,3.4,5"} {
		if v, ok := decimal(in); ok {
			t.Errorf("%q is %v", in, v)
		}
	}
}

func TestNumbers(t *testing.T) {
	for in, want := range map[string]float64{"1,234.5": 1234.5, "1.234,5": 1234.5, "3/4": .75, "6.02×10^23": 6.02e23, "6.02e23": 6.02e23, "−5": -5, "1 000": 1000, "42": 42, "2,5": 2.5, "three": 3, "三": 3, "50 %": 50} {
		if v, _, ok := Number(in); !ok || v < want-1e-9*want-1e-9 && want > 0 || v != want && (v-want)/want > 1e-9 {
			t.Errorf("%q: %v %v, want %v", in, v, ok, want)
		}
	}
}

func TestNegative(t *testing.T) {
	for text, want := range map[string]bool{"-5": true, "−5": true, " -5": true, "$-5$": true, "(-5)": true, "-0.5": true, "-9": true, "-x": false, "-": false, "": false, "5": false, "5-3": false, "--5": false, "-:": false, "-/": false} {
		if got := Negative(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{".5": true, "-.5": true, "−.5": true, " $.5$": true, "5": false, "0.5": false, ".": false, ".x": false, "": false} {
		if got := PointFirst(text); got != want {
			t.Errorf("%q begins with its point: %v", text, got)
		}
	}
}
