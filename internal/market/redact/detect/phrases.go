package detect

import (
	"crypto/sha256"
	_ "embed" // the words of recovery phrases
	"strings"
	"sync"
)

// The 2,048 English words of BIP-39 (bitcoin/bips, english.txt, CRC-32 c1dbd296), in their order.
//
//go:embed bip39.txt
var phraseText string

var phraseWords = sync.OnceValue(func() map[string]int {
	m := make(map[string]int, 2048)
	for i, w := range strings.Fields(phraseText) {
		m[w] = i
	}
	return m
})

// phrases finds recovery phrases: 12, 15, 18, 21 or 24 words of the list in a row whose check sum is right. Ordinary
// English has words of one, two or nine letters, or words that are not on the list, long before the twelfth.
func (s *scanning) phrases() {
	text := s.text
	type word struct{ start, end, number int }
	var row []word
	flush := func() {
		for n := 24; n >= 12; n -= 3 {
			for i := 0; i+n <= len(row); i++ {
				numbers := make([]int, n)
				for j := range n {
					numbers[j] = row[i+j].number
				}
				if phraseChecked(numbers) {
					from, to := row[i].start, row[i+n-1].end
					s.add(from, to, "recovery-phrase", "is a recovery phrase: its check sum is right", text[from:to])
					row = row[:0]
					return
				}
			}
		}
		row = row[:0]
	}
	for i := 0; i < len(text); {
		if text[i] < 'a' || text[i] > 'z' {
			if len(row) > 0 && !phraseGap(text[i]) {
				flush()
			}
			i++
			continue
		}
		start := i
		for i < len(text) && text[i] >= 'a' && text[i] <= 'z' {
			i++
		}
		number, ok := 0, i-start >= 3 && i-start <= 8 && (start == 0 || !tokenByte[text[start-1]])
		if ok {
			number, ok = phraseWords()[text[start:i]]
		}
		if !ok || len(row) > 0 && start-row[len(row)-1].end > 8 {
			flush()
		}
		if ok {
			if row = append(row, word{start, i, number}); len(row) > 64 {
				flush()
			}
		}
	}
	flush()
}

// phraseGap reports whether a byte may stand between the words of a phrase: blanks, signs of lists and their numbers.
func phraseGap(c byte) bool {
	return c <= ' ' || IsDigit(c) || strings.IndexByte(",;.)-\"'|[]/", c) >= 0
}

// phraseChecked reports whether the numbers of a phrase's words end in the check sum of the rest (BIP-39): the first
// bits, one for every three words, of the SHA-256 of what the others hold.
func phraseChecked(numbers []int) bool {
	bits := len(numbers) * 11
	check := bits / 33
	data := make([]byte, (bits+7)/8)
	for i, n := range numbers {
		for b := range 11 {
			if n>>(10-b)&1 == 1 {
				at := i*11 + b
				data[at/8] |= 0x80 >> (at % 8)
			}
		}
	}
	held := (bits - check) / 8
	sum := sha256.Sum256(data[:held])
	return data[held]>>(8-check) == sum[0]>>(8-check)
}
