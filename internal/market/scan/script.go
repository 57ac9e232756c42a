package scan

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// script counts letters, to choose the thresholds of a language.
type script struct{ han, kana, hangul, latin, cyrillic int }

func (s *script) count(b []byte) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			if 'a' <= b[i] && b[i] <= 'z' {
				s.latin++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		i += n
		switch {
		case 0x3041 <= r && r <= 0x30ff:
			s.kana++
		case 0x3400 <= r && r <= 0x9fff:
			s.han++
		case 0xac00 <= r && r <= 0xd7a3:
			s.hangul++
		case 0x400 <= r && r < 0x530:
			s.cyrillic++
		}
	}
}

// letters is how much there is to judge by; a Han, kana or Hangul letter says about as much as two others.
func (s *script) letters() int { return s.latin + s.cyrillic + 2*(s.han+s.kana+s.hangul) }

// language is "zh", "ja", "en" for all that is written in Latin letters, or "other".
func (s *script) language() string {
	cjk := s.han + s.kana
	switch {
	case s.kana*12 > cjk && cjk*4 > s.latin:
		return "ja"
	case s.han*6 > s.latin:
		return "zh"
	case s.hangul*6 > s.latin || s.cyrillic*3 > s.latin:
		return "other"
	}
	return "en"
}

// prose finds out whether a text holds a sentence: words with a space between them, or letters of a script that has no spaces.
// Names, keys, addresses and identifiers are none.
type prose struct {
	letters, words, unspaced int // of the word that is read, before it, and in a row
	found                    bool
}

// leastWords and leastUnspaced are how many words, or letters without spaces, in a row make a sentence.
const leastWords, leastUnspaced = 4, 8

// read continues with a text as it stands: short values of JSON are lines there.
func (p *prose) read(b []byte) {
	for i := 0; i < len(b) && !p.found; {
		r, n := utf8.DecodeRune(b[i:])
		i += n
		switch {
		case 0x3041 <= r && r <= 0x30ff, 0x3400 <= r && r <= 0x9fff, unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			*p = prose{unspaced: p.unspaced + 1}
		case unicode.IsLetter(r), unicode.IsDigit(r): // digits stand for letters in some attacks
			p.letters, p.unspaced = p.letters+1, 0
		case r == ' ' && p.letters > 0:
			p.letters, p.words = 0, p.words+1
		case unicode.IsMark(r): // of the letter before it
		case p.letters+p.unspaced > 0 && strings.ContainsRune(",.;!?'，。、！？", r):
		default:
			*p = prose{}
		}
		p.found = p.unspaced >= leastUnspaced || p.letters > 1 && p.words >= leastWords-1
	}
}

// Language is that by which the thresholds of a folded text are chosen.
func Language(folded []byte) string {
	var s script
	s.count(folded)
	return s.language()
}
