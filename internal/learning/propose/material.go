package propose

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"stoa/internal/learning/units"
)

const (
	longestPart = 6000 // characters of a note that are read at once
	mostParts   = 4    // of a unit
	shortest    = 40   // characters that something can be asked of
	// edition goes into fingerprints: what an earlier edition of the prompts read is read again.
	edition = "1"
)

// Part is what of a unit is read at once.
type Part struct {
	Title, Text string
}

// Parts cuts what a unit says into pieces that a model is shown, between its blocks where that is possible. Of a very long
// unit the end is left out.
func Parts(u *units.Unit) []Part {
	var parts []Part
	var b strings.Builder
	size := 0
	flush := func() {
		if text := strings.TrimSpace(b.String()); len([]rune(text)) >= shortest && len(parts) < mostParts {
			parts = append(parts, Part{u.Title, text})
		}
		b.Reset()
		size = 0
	}
	for i := range u.Sections {
		s := &u.Sections[i]
		for k := range s.Blocks {
			text := []rune(s.Raw(&s.Blocks[k]))
			text = text[:min(len(text), longestPart)]
			if size+len(text) > longestPart {
				flush()
			}
			b.WriteString(string(text) + "\n\n")
			size += len(text) + 2
		}
	}
	flush()
	return parts
}

// Fingerprint tells whether a part is the one that was read before.
func (p *Part) Fingerprint() string {
	sum := sha256.Sum256([]byte(edition + "\x00" + p.Title + "\x00" + p.Text))
	return hex.EncodeToString(sum[:12])
}

// tokens is about how many tokens a text has: a quarter of its bytes, but one for each sign of scripts that are written
// without spaces. Each model counts in its own way.
func tokens(text string) int {
	latin, signs := 0, 0
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			signs++
		} else {
			latin++
		}
	}
	return signs + (latin+3)/4
}

// locate finds a quotation in what a unit says, exactly as it is written.
func locate(u *units.Unit, quote string) (atomID string, start int, found bool) {
	for i := range u.Sections {
		if at := strings.Index(u.Sections[i].Content, quote); at >= 0 {
			return u.Sections[i].AtomID, at, true
		}
	}
	return "", 0, false
}
