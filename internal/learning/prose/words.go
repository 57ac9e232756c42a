package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"stoa/internal/learning/units"
)

// Fold makes texts comparable: compatibility forms, lower case, without marks of Markdown, punctuation at the ends and
// repeated blanks.
func Fold(s string) string {
	s = strings.ToLower(norm.NFKC.String(units.Plain(s)))
	s = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-", "`", "", "*", "").Replace(s)
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`.,;:!?"'()[]{}。，、；：！？「」『』“”…`, r)
	})
}

// Words splits a folded text into words; of scripts without blanks every character is one.
func Words(s string) []string {
	var list []string
	start := -1
	s = Fold(s)
	flush := func(end int) {
		if start >= 0 {
			list = append(list, s[start:end])
			start = -1
		}
	}
	for i, r := range s {
		switch {
		case units.Dense(r):
			flush(i)
			list = append(list, string(r))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\\' || (r == '-' || r == '\'') && start >= 0 && i+1 < len(s) && IsWordByte(s[i+1]):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
		}
	}
	flush(len(s))
	return list
}

// IsWordByte reports whether a byte of a folded text belongs to a word.
func IsWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// Stem takes the endings of the plural and the possessive off an English word.
func Stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// WordSet makes a set of the words of a list.
func WordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// LanguageOf tells the language of a text by its script and its commonest words: zh, ja, it, es, pt, fr, de, or en.
func LanguageOf(text string) string {
	han, kana, cyrillic, latin := 0, 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Cyrillic, r):
			cyrillic++
		case unicode.IsLetter(r):
			latin++
		}
	}
	switch {
	case kana > 3 && kana*12 > han:
		return "ja"
	case han*5 > latin+cyrillic && han > 3:
		return "zh"
	case cyrillic > latin:
		return "ru"
	}
	count := map[string]int{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		for _, l := range marking[strings.Trim(w, ".,;:()")] {
			count[l]++
		}
	}
	best := "en"
	for _, l := range []string{"it", "de", "es", "pt", "fr"} {
		if count[l] > count[best] {
			best = l
		}
	}
	return best
}

// marking are words that mark a language, or several.
var marking = func() map[string][]string {
	m := map[string][]string{}
	for l, list := range map[string]string{
		"en": "the of and is are to in that for with which this by an be from as do no or on at it not can such have has",
		"it": "il lo la gli le di che è un una sono per con nel della del dei si non come ogni al alla da più anche",
		"es": "el la los las que es una un por con para del se no como más al y su son está también",
		"pt": "o os as é um uma do da dos das que não em para com por mais são também ao se como no na",
		"fr": "le la les des est et un une du que qui pas dans pour sur avec plus sont aux au ce cette se par",
		"de": "der die das und ist ein eine sind den dem des von mit für auf im nicht auch wird werden zu als einer eines",
	} {
		for _, w := range strings.Fields(list) {
			m[w] = append(m[w], l)
		}
	}
	return m
}()

// StopWords carry no meaning of their own.
var StopWords = WordSet(`a an the of and or is are was were be been being to in on at by for with from as that which who this these those it its their there then than so such if not no nor but also into over under between we you they he she i
	can could may might must should will would do does did has have had one two more most some any all each every other same very just only own both when where how what why because while about above below up down out off again once here
	il lo la i gli le un uno una di a da in con su per tra fra che è sono e o si non come del della dei delle al alla nel nella questo questa quello ogni più anche
	der die das den dem des ein eine einer eines und oder ist sind war wird werden von mit für auf im in zu als nicht auch es sie er wir man dass wenn so an am bei aus nach
	的 了 是 在 和 与 或 有 也 都 就 而 及 为 以 于 其 之 中 上 下 の は が を に へ と で も や か な だ`)
