package recall_test

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/recall"
	"stoa/internal/learning/mastery/wire"
)

var update = flag.Bool("update", false, "write testdata/figures.json anew, when the figures are meant to change")

// studied is a person after a log of 600 reviews of eight cards that is always the same, and what was expected of each. They forget
// somewhat faster than FSRS-6 expects.
func studied() (p *recall.Person, cards []recall.Card, past []online.Windows, expected [][]float64) {
	r := rand.New(rand.NewPCG(2026, 11))
	p, cards, past = recall.NewPerson(), make([]recall.Card, 8), make([]online.Windows, 8)
	var s online.Scratch
	at := int64(1.7e15)
	for range 600 {
		k := r.IntN(len(cards))
		at += int64(r.ExpFloat64() * 30 * float64(hour))
		g := fsrs.Again
		if cards[k].Memory.New() || r.Float64() < 0.98*math.Pow(cards[k].Retrievability(at), 1.3) {
			g = fsrs.Grade(2 + r.IntN(3))
		}
		q, _ := p.Review(&cards[k], &past[k], g, at, &s)
		past[k].Add(online.Outcome{Y: float64(min(g-1, 1)), Weight: 1}, at)
		c := cards[k]
		expected = append(expected, append([]float64{q.P, p.Due(c, &past[k], 0.8), p.Due(c, &past[k], 0.93), c.Memory.Stability, p.Predict(c, &past[k], at+40*24*hour).P}, q.Experts[:]...))
	}
	return p, cards, past, expected
}

// The figures of a fixed log are those of the version that wrote testdata/figures.json. Learners' states are rows of numbers: a change of
// what follows from them is a change for everybody who learns, so it must be meant (go test -run TestFigures -update).
func TestFigures(t *testing.T) {
	const file = "testdata/figures.json"
	_, _, _, got := studied()
	var some [][]float64
	for i := 9; i < len(got); i += 10 {
		some = append(some, got[i])
	}
	if *update {
		text, err := json.Marshal(some)
		if err == nil {
			err = os.WriteFile(file, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]float64
	if err := json.Unmarshal(text, &want); err != nil || len(want) != len(some) {
		t.Fatal(err, len(want))
	}
	for i := range want {
		for k := range want[i] {
			if math.Abs(some[i][k]-want[i][k]) > 1e-9*(1+math.Abs(want[i][k])) {
				t.Fatalf("review %d, figure %d: %v, not %v", 10*i+9, k, some[i][k], want[i][k])
			}
		}
	}
}

// A review is due where the person's own recall falls to what is wanted, unless that lies beyond the bounds.
func TestDueIsWhereRecallFalls(t *testing.T) {
	p, cards, past, _ := studied()
	within := 0
	for k, c := range cards {
		for _, wanted := range []float64{0.7, 0.8, 0.9, 0.97} {
			plain, due := c.Interval(wanted), p.Due(c, &past[k], wanted)
			most := min(plain*4, fsrs.MaxStability)
			r := p.Predict(c, &past[k], c.At+int64(due*24*float64(hour))).P
			switch {
			case math.Abs(due-plain/4) < 1e-9:
				if r > wanted {
					t.Errorf("card %d at %v: due at the lower bound, recalled with %v", k, wanted, r)
				}
			case math.Abs(due-most) < 1e-6:
				if r < wanted {
					t.Errorf("card %d at %v: due at the upper bound, recalled with %v", k, wanted, r)
				}
			default:
				within++
				if math.Abs(r-wanted) > 1e-4 {
					t.Errorf("card %d: due with %v, not %v", k, r, wanted)
				}
			}
		}
	}
	if within < 12 {
		t.Errorf("only %d of 32 within the bounds", within)
	}
}

func written(put func(*wire.Writer)) []byte {
	var w wire.Writer
	put(&w)
	return w.B
}

func read(b []byte, take func(*wire.Reader)) error {
	r := wire.Reader{B: b}
	take(&r)
	return r.Close()
}

// A state that is read back is the same, and one that no reviews lead to is refused.
func TestStates(t *testing.T) {
	p, cards, _, _ := studied()
	again := recall.NewPerson()
	if err := read(written(p.Put), again.Take); err != nil || string(written(again.Put)) != string(written(p.Put)) {
		t.Errorf("the person came back as another: %v", err)
	}
	for _, c := range cards {
		var back recall.Card
		if err := read(written(c.Put), back.Take); err != nil || back != c {
			t.Errorf("%+v came back as %+v, %v", c, back, err)
		}
		c.Memory.Difficulty = 11
		if read(written(c.Put), back.Take) == nil {
			t.Error("a difficulty of 11 was read")
		}
	}
	person := func(reviews, right, square float64) []byte {
		return written(func(w *wire.Writer) {
			w.Float(1.2)
			recall.NewPerson().Trust.Put(w)
			w.Floats(reviews, right)
			w.Floats(0, 1, 0, 0, 0, 0)
			w.Floats(0, 0, square, 0, 0, 0)
			online.NewHead(make([]float64, 15), 0.05, 0).Put(w)
		})
	}
	for _, c := range []struct {
		reviews, right, square float64
		refused                bool
	}{{5, 4, 1, false}, {5, 5, 0, false}, {5, 0.4, 0, false}, {5, 5.5, 0, true}, {5, 0, 0, true}, {5, -1, 0, true}, {5, 4, -0.1, true}} {
		if err := read(person(c.reviews, c.right, c.square), recall.NewPerson().Take); (err != nil) != c.refused {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A memory that another program gives counts as a day of its own when it is one, and teaches nothing of the person.
func TestGivenMemories(t *testing.T) {
	var c recall.Card
	c.Give(fsrs.State{Stability: 4, Difficulty: 6}, 1e15)
	if c.Days != 0 || c.At != 1e15 || c.Memory.Stability != 4 {
		t.Errorf("%+v", c)
	}
	c.Today = 3
	c.Give(fsrs.State{Stability: 9, Difficulty: 5}, 1e15+24*hour)
	if c.Days != 1 || c.Today != 0 || c.At != 1e15+24*hour {
		t.Errorf("%+v", c)
	}
	c.Give(fsrs.State{Stability: 9, Difficulty: 5}, 1e15)
	if c.Days != 1 || c.At != 1e15+24*hour {
		t.Errorf("time ran backwards: %+v", c)
	}
}
