package prose

// mostCompared bounds the words of a text that are compared with another's in their order.
const mostCompared = 400

// Common is the length of the longest run of words that both have in the same order, gaps allowed.
func Common(a, b []string) int {
	a, b = a[:min(len(a), mostCompared)], b[:min(len(b), mostCompared)]
	row := make([]int, len(b)+1)
	for _, w := range a {
		diagonal := 0
		for j, x := range b {
			above := row[j+1]
			if w == x {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// denying are the words that turn a statement round.
var denying = WordSet(`not no never none nor neither cannot can't isn't aren't doesn't don't didn't won't wasn't weren't without false wrong untrue incorrect
	non né mai nessuno nessuna senza falso nicht kein keine keinen nie niemals ohne falsch 不 没 非 无 未 否 ない ず 無 誤`)

// Denials counts the words that turn a statement round.
func Denials(words []string) int {
	n := 0
	for i, w := range words {
		if denying[w] || w == "な" && i+1 < len(words) && words[i+1] == "い" {
			n++
		}
	}
	return n
}

// Negated reports whether a text of these words denies something.
func Negated(words []string) bool { return Denials(words)%2 == 1 }
