package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// tally counts what was tried and what failed, by a word.
type tally struct {
	tried, failed map[string]int
	examples      map[string]string
}

func newTally() *tally {
	return &tally{tried: map[string]int{}, failed: map[string]int{}, examples: map[string]string{}}
}

func (t *tally) count(word string, ok bool, example string) {
	t.tried[word]++
	if !ok {
		t.failed[word]++
		if t.examples[word] == "" {
			t.examples[word] = example
		}
	}
}

// worst prints the words that failed most.
func (t *tally) worst(log func(string, ...any), most int) {
	words := make([]string, 0, len(t.failed))
	for w := range t.failed {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int {
		if d := t.failed[b] - t.failed[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, w := range words[:min(most, len(words))] {
		log("  %-22s %d of %d   %s", w, t.failed[w], t.tried[w], t.examples[w])
	}
}

// share is the part that did not fail.
func (t *tally) share() (float64, int, int) {
	tried, failed := 0, 0
	for w, n := range t.tried {
		tried += n
		failed += t.failed[w]
	}
	return 1 - float64(failed)/float64(max(tried, 1)), tried - failed, tried
}

// everything is whether STOA_MATRIX asks for the whole of what is drawn (make hostile) and not for the part that every run tries.
var everything = os.Getenv("STOA_MATRIX") != ""

// matrixSeeds is how many keys of a kind are drawn.
func matrixSeeds() uint64 {
	if everything {
		return 5
	}
	return 1
}

func redacted(t testing.TB, e *Engine, tree any) string {
	t.Helper()
	result, err := e.Sections(map[string]any{"notes": tree}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result.Sections); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestKeysInEveryPlace draws a key of each kind and sets it into each place. Kinds without a shape of their own count
// where a name stands beside them.
func TestKeysInEveryPlace(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("23,000 texts")
	}
	t.Parallel()
	e := New()
	kindsOf, placesOf := newTally(), newTally()
	for i, k := range matrixKinds {
		for seed := range matrixSeeds() {
			r := rand.New(rand.NewPCG(uint64(i)+1000, seed))
			for _, p := range matrixPlaces {
				if p.bare && !k.shaped {
					continue
				}
				key := k.draw(r)
				vendor := strings.Fields(k.name)[0]
				out := redacted(t, e, p.tree(vendor, key.text))
				ok := !key.left(out)
				example := fmt.Sprintf("%s / %s: %.160s", k.name, p.name, out)
				kindsOf.count(k.name, ok, example)
				placesOf.count(p.name, ok, example)
			}
		}
	}
	share, masked, tried := placesOf.share()
	t.Logf("%d kinds in %d places: %d of %d masked (%.2f %%)", len(matrixKinds), len(matrixPlaces), masked, tried, 100*share)
	t.Log("places:")
	placesOf.worst(t.Logf, 18)
	t.Log("kinds:")
	kindsOf.worst(t.Logf, 18)
	if share < 0.98 {
		t.Errorf("only %.2f %% are masked", 100*share)
	}
	for w, n := range kindsOf.tried {
		if kindsOf.failed[w]*5 > n {
			t.Errorf("%s is left in %d of %d places", w, kindsOf.failed[w], n)
		}
	}
	for w, n := range placesOf.tried {
		if placesOf.failed[w]*10 > n {
			t.Errorf("%s leaves %d of %d kinds", w, placesOf.failed[w], n)
		}
	}
}
