package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"stoa/internal/market/scan/model"
)

// company makes sentences on two subjects, each with words of its own.
func company() []Text {
	random := rand.New(rand.NewPCG(1, 2))
	var texts []Text
	for range 20000 {
		subject := random.IntN(2)
		word := func(kind int) string {
			return string(rune('a'+random.IntN(26))) + [2][2]string{{"animal", "engine"}, {"cat", "car"}}[kind][subject]
		}
		texts = append(texts, Text{Text: fmt.Sprintf("%s %s %s %s %s", word(0), word(0), word(1), word(0), word(0))})
	}
	return texts
}

func TestWordsOfOneCompanyHaveLikeVectors(t *testing.T) {
	v, err := vocabularyOf(t.Context(), company())
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := v.vectors(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	of := func(word string) []float32 {
		var hash uint64
		model.Words([]byte(word), func(w uint64) { hash = w })
		for i, w := range v.words {
			if w == hash {
				return vectors[i*vectorSize:][:vectorSize]
			}
		}
		t.Fatalf("%s is in no vector", word)
		return nil
	}
	for _, x := range [][3]string{{"acat", "bcat", "acar"}, {"ccat", "dcat", "ecar"}, {"acar", "bcar", "bcat"}} {
		if like, unlike := dot(of(x[0]), of(x[1])), dot(of(x[0]), of(x[2])); like <= unlike {
			t.Errorf("%s is like %s by %.2f and like %s by %.2f", x[0], x[1], like, x[2], unlike)
		}
	}
	if z := dot(of("acat"), of("acat")); z < .999 || z > 1.001 {
		t.Errorf("a vector has the length %v", z)
	}
	again, _ := v.vectors(t.Context(), 1)
	for i := range vectors {
		if vectors[i] != again[i] {
			t.Fatal("the same texts gave other vectors")
		}
	}
}

// Vectors that point the same way are in one group, others are not.
func TestNearest(t *testing.T) {
	list := make([]float32, 40*vectorSize)
	for i := range 40 {
		list[i*vectorSize+i%2*7] = 1
		list[i*vectorSize+20+i] = .2
		unit(list[i*vectorSize:][:vectorSize])
	}
	of, err := nearest(t.Context(), list, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range of {
		if of[i] != of[i%2] || of[0] == of[1] {
			t.Fatalf("groups %v", of)
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := wordGroups(ended, company(), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("told to stop: %v", err)
	}
	if g, err := wordGroups(t.Context(), nil, 1); err != nil || g == nil {
		t.Errorf("no texts: %v", err)
	}
}
