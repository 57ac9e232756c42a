package catalog

import "unicode"

// LocaleOf guesses from its script which of the pages' languages a text is in: kana means Japanese, other
// Han characters mean Chinese, everything else counts as English. One Han character in ten letters is enough:
// such texts carry many Latin names.
func LocaleOf(text string) string {
	letters, han, kana := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Han, r):
			han++
		case !unicode.IsLetter(r):
			continue
		}
		letters++
	}
	switch {
	case kana*10 >= letters && kana > 0:
		return "ja-JP"
	case han*10 >= letters && han > 0:
		return "zh-CN"
	}
	return DefaultLocale
}
