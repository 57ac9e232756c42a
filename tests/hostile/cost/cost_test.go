package cost

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	lookFor = flag.Duration("cost.search", 0, "how long to look for dear inputs, for each reader")
	only    = flag.String("cost.reader", "", "search for this reader alone")
	keep    = flag.Bool("cost.keep", false, "write the worst that was found to testdata")
)

// Bounds of the suite. They are ratios, so that a slow machine, or a busy one, changes both sides.
const (
	mostPerByte = 1200 // times what the yardstick takes for a byte
	growth      = 3.2  // what twice the bytes may cost
	small       = 12 << 10
)

// yardstick is what plain work takes for n bytes: it counts pairs of bytes in a map. On a laptop that is some 10 ns a byte.
func yardstick(n int) time.Duration {
	text := strings.Repeat("plain work, a byte at a time ", n/29+1)[:n]
	return once(func() {
		counts := map[string]int{}
		for i := range len(text) - 1 {
			counts[text[i:i+2]]++
		}
	})
}

// spent is what a reader takes for a shape of n bytes, the least of some runs.
func spent(r reader, s shape, n, runs int) time.Duration {
	text := s.text(min(n, r.most))
	least := time.Duration(1 << 62)
	for range runs {
		least = min(least, once(func() { r.read(text) }))
	}
	return least
}

// once is what do takes once. The clock of a thread may be as coarse as some milliseconds, so what is short is done again
// until there is enough to divide.
func once(do func()) time.Duration {
	for times := 1; ; times *= 4 {
		took := cpu(func() {
			for range times {
				do()
			}
		})
		if took >= 10*time.Millisecond || times >= 64 {
			return took / time.Duration(times)
		}
	}
}

func readerOf(t *testing.T, name string) reader {
	t.Helper()
	i := slices.IndexFunc(readers, func(r reader) bool { return r.name == name })
	if i < 0 {
		t.Fatalf("no reader %q", name)
	}
	return readers[i]
}

// TestWorstInputs tries the worst inputs that were found: twice the bytes cost about twice the work, and a byte costs a
// bounded time.
func TestWorstInputs(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has costs of its own")
	}
	known := corpus(t)
	for _, r := range readers {
		if !slices.ContainsFunc(known, func(s shape) bool { return s.Reader == r.name }) {
			t.Errorf("%s: no input of it is tried; search with -cost.search and -cost.keep", r.name)
		}
	}
	for _, s := range known {
		r := readerOf(t, s.Reader)
		n := min(small, r.most/2)
		one, two := spent(r, s, n, 1), spent(r, s, 2*n, 1)
		most := yardstick(2*n) * mostPerByte
		for try := 0; two > most && try < 3; try++ {
			two, most = min(two, spent(r, s, 2*n, 2)), yardstick(2*n)*mostPerByte
		}
		if two > most {
			t.Errorf("%s: %v for %d bytes of %q, at most %v", r.name, two, 2*n, s, most)
		}
		for try := 0; float64(two) > growth*float64(one)+3e6 && try < 3; try++ { // again: it may have been the machine
			one, two = max(one, spent(r, s, n, 3)), min(two, spent(r, s, 2*n, 3))
		}
		if float64(two) > growth*float64(one)+3e6 {
			t.Errorf("%s: %v for %d bytes, %v for twice as many of %q", r.name, one, n, two, s)
		}
	}
}

// TestSearchForDearInputs changes shapes at random, keeps what costs most for each byte, and tells the worst. With
// -cost.keep they are written to the corpus.
func TestSearchForDearInputs(t *testing.T) {
	if *lookFor == 0 {
		t.Skip("set -cost.search, as make hostile does")
	}
	var found []shape
	for i, r := range readers {
		if *only != "" && r.name != *only {
			continue
		}
		worst := searched(r, rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano()))), corpus(t))
		for _, w := range worst[:min(3, len(worst))] {
			n := min(256<<10, r.most/2)
			one := spent(r, w.shape, n, 1)
			two := spent(r, w.shape, 2*n, 1)
			t.Logf("%-18s %6.0f ns a byte at %d KiB, %4.1f times that for twice the bytes: %q", r.name, float64(one)/float64(n), n>>10, float64(two)/max(float64(one), 1), w.shape)
			if most := yardstick(2*n) * mostPerByte; two > most {
				t.Errorf("%s: %v for %d bytes of %q, at most %v", r.name, two, 2*n, w.shape, most)
			}
			found = append(found, w.shape)
		}
	}
	if !*keep {
		return
	}
	found = append(found, corpus(t)...)
	slices.SortFunc(found, func(a, b shape) int { return strings.Compare(a.Reader+a.Unit, b.Reader+b.Unit) })
	found = slices.Compact(found)
	var b strings.Builder
	for _, s := range found {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile(corpusFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tried is a shape with what it costs.
type tried struct {
	shape   shape
	perByte float64 // nanoseconds
}

// searched looks for dear shapes of one reader. Half of the changes are made to the dearest few.
func searched(r reader, rng *rand.Rand, known []shape) []tried {
	const population = 24
	measure := func(s shape) tried {
		n := min(16<<10, r.most)
		text := s.text(n)
		took := once(func() { r.read(text) })
		return tried{s, float64(took) / float64(len(text))}
	}
	var all []tried
	for _, s := range known {
		if s.Reader == r.name {
			all = append(all, measure(s))
		}
	}
	for _, s := range slices.Concat(frames(r.name), networkFrames(r.name)) {
		all = append(all, measure(s))
	}
	for range population {
		all = append(all, measure(shape{Reader: r.name, Unit: words[rng.IntN(len(words))]}))
	}
	for until := time.Now().Add(*lookFor); time.Now().Before(until); {
		parent := all[rng.IntN(len(all))]
		if rng.IntN(2) == 0 {
			parent = all[rng.IntN(min(6, len(all)))]
		}
		next := measure(mutate(rng, parent.shape, all[rng.IntN(len(all))].shape))
		if slices.ContainsFunc(all, func(t tried) bool { return t.shape == next.shape }) {
			continue
		}
		all = append(all, next)
		slices.SortFunc(all, func(a, b tried) int {
			switch {
			case a.perByte > b.perByte:
				return -1
			case a.perByte < b.perByte:
				return 1
			}
			return 0
		})
		all = all[:min(len(all), population)]
	}
	return all
}

// TestRandomWords reads megabytes of words that stand in no dictionary.
func TestRandomWords(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector has costs of its own")
	}
	rng := rand.New(rand.NewPCG(4, 6))
	size := 2 << 20
	if *lookFor > 0 {
		size = 46 << 20
	}
	text := make([]byte, 0, size+16)
	for len(text) < size {
		for range 2 + rng.IntN(9) {
			text = append(text, byte('a'+rng.IntN(26)))
		}
		text = append(text, ' ')
	}
	for _, name := range []string{"redact text", "scan prompt", "disclosure"} {
		took := cpu(func() { readerOf(t, name).read(text) })
		t.Logf("%s: %v for %d MiB of random words", name, took, size>>20)
		if most := yardstick(size) * mostPerByte / 6; took > most {
			t.Errorf("%s: %v for %d bytes, at most %v", name, took, size, most)
		}
	}
}
