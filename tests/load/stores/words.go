package stores

import (
	_ "embed"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
)

//go:embed words.txt
var wordsText string

//go:embed tags.txt
var tagsText string

//go:embed categories.txt
var categoriesText string

// The words, tags and categories of the real catalog, as often as they occur there.
var (
	Words      = read(wordsText)
	Tags       = read(tagsText)
	Categories = read(categoriesText)
)

// List is words with the sums of their frequencies, most frequent first.
type List struct {
	words []string
	sums  []int
}

func read(text string) List {
	var l List
	sum := 0
	for line := range strings.Lines(text) {
		word, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(count)
		if err != nil {
			panic("stores: word list: " + line)
		}
		sum += n
		l.words, l.sums = append(l.words, word), append(l.sums, sum)
	}
	return l
}

// Draw gives a word as likely as it occurs.
func (l List) Draw(r *rand.Rand) string {
	n := r.IntN(l.sums[len(l.sums)-1])
	return l.words[sort.SearchInts(l.sums, n+1)]
}

// Telling draws a word that is none of the hundred most frequent, as a title's words are.
func (l List) Telling(r *rand.Rand) string {
	const common = 100
	n := l.sums[common] + r.IntN(l.sums[len(l.sums)-1]-l.sums[common])
	return l.words[sort.SearchInts(l.sums, n+1)]
}

// sentence draws from n to m words.
func sentence(r *rand.Rand, n, m int, draw func(*rand.Rand) string) string {
	words := make([]string, n+r.IntN(m-n+1))
	for i := range words {
		words[i] = draw(r)
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}
