package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestCorrect(t *testing.T) {
	v := NewVocabulary(slices.Values([]string{
		"Accounting Expert", "Business Email Writing", "Translator", "Translate texts", "Copywriting Master", "GitHub Finder", "Recipe Generator", "Recipes", "会计", "C++ Code", "interview-coach",
	}))
	for query, want := range map[string]string{
		"acounting":        "accounting",
		"accuonting":       "accounting", // neighbours swapped
		"acountng expert":  "accounting expert",
		"businss emial":    "business email",
		"copywritting":     "", // its stem is that of copywriting, which finds it
		"recepie":          "recipe",
		"Githbu":           "github",
		"reciepe":          "recipe",
		"intervew":         "interview",
		"会计 acounting":     "会计 accounting",
		"accounting":       "",
		"translating":      "", // a form of translate
		"code":             "",
		"cod":              "", // too short
		"c++":              "",
		"zzzzqqqq":         "",
		"会计":               "",
		"":                 "",
		"e-mial":           "", // of parts
		"with":             "", // a stop word
		"emali recipe xyz": "email recipe xyz",
	} {
		if got := v.Correct(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// The distance is what the definition says, within its limit.
func TestDistance(t *testing.T) {
	var slow func(a, b string) int
	slow = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		change := 1
		if a[len(a)-1] == b[len(b)-1] {
			change = 0
		}
		d := min(slow(a[:len(a)-1], b)+1, slow(a, b[:len(b)-1])+1, slow(a[:len(a)-1], b[:len(b)-1])+change)
		if len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-2] && a[len(a)-2] == b[len(b)-1] {
			d = min(d, slow(a[:len(a)-2], b[:len(b)-2])+1)
		}
		return d
	}
	r := rand.New(rand.NewPCG(1, 1))
	word := func() string {
		return strings.Map(func(rune) rune { return rune('a' + r.IntN(3)) }, strings.Repeat("x", r.IntN(7)))
	}
	for range 5000 {
		a, b := word(), word()
		want, limit := slow(a, b), 1+r.IntN(2)
		if got := distance(a, b, limit); want <= limit && got != want || want > limit && got <= limit {
			t.Fatalf("%s %s within %d: %d, want %d", a, b, limit, got, want)
		}
	}
}

// Every word of a vocabulary is found again after one error in it, or a word as near.
func TestOneErrorIsFound(t *testing.T) {
	list := strings.Fields("accounting business copywriting translator interview coach recipe generator cybersecurity grammar flutter designer historian chemistry")
	v := NewVocabulary(slices.Values(list))
	r := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		word := list[r.IntN(len(list))]
		i := 1 + r.IntN(len(word)-2)
		wrong := []string{word[:i] + word[i+1:], word[:i] + "q" + word[i:], word[:i] + "q" + word[i+1:], word[:i] + string(word[i+1]) + string(word[i]) + word[i+2:]}[r.IntN(4)]
		if wrong == word || len(wrong) < minSpelled || v.knows(wrong) {
			continue
		}
		if got := v.Correct(wrong); got != word {
			t.Errorf("%s: %q, want %s", wrong, got, word)
		}
	}
}

func BenchmarkCorrect(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	words := make([]string, 50_000)
	for i := range words {
		words[i] = strings.Map(func(rune) rune { return rune('a' + r.IntN(26)) }, strings.Repeat("x", 4+r.IntN(9)))
	}
	v := NewVocabulary(slices.Values(words))
	for b.Loop() {
		v.Correct("acountng translatr")
	}
}
