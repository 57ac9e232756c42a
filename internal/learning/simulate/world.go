package simulate

import "math"

// World says how learning and forgetting work for its students (after the research notes, section 3.1).
type World struct {
	Name string
	// Gate: how much an attempt teaches by what is known of the prerequisites.
	Gate gateKind
	// Exponential forgetting; else FSRS-6's power curve.
	Exponential bool
	// Continuous knowledge: a logistic skill that each attempt raises, instead of learned or not.
	Continuous bool
	// Along is the share of a repetition that success gives to direct prerequisites.
	Along float64
	// Flawed is the share of edges that the tutor's graph has flipped or lacks.
	Flawed float64
	// Leaves makes students leave who fail more than half of the time, and skip one day in seven.
	Leaves bool
}

type gateKind int

const (
	hardGate gateKind = iota // product over prerequisites of (0.08 + 0.92·recall)
	softGate                 // 0.4 + 0.6·mean recall
	noGate
)

// Worlds are those that a policy must do well in.
var Worlds = []World{
	{Name: "gated", Gate: hardGate, Along: 0.25},
	{Name: "continuous", Gate: softGate, Exponential: true, Continuous: true},
	{Name: "ungated", Gate: noGate, Exponential: true},
	{Name: "wrong_graph", Gate: hardGate, Along: 0.25, Flawed: 0.2},
	{Name: "dropout", Gate: softGate, Exponential: true, Continuous: true, Leaves: true},
}

// truth is what a student really knows.
type truth struct {
	w     World
	g     *Graph
	seed  uint64
	speed float64 // log-normal, 0.3
	last  float64 // memory, log-normal, 0.4

	learned  []float64 // 0 or 1, or the logit of a continuous skill
	strength []float64 // stability in days, before the personal factor
	at       []float64 // day of the last attempt
	tries    []uint64
}

func newTruth(w World, g *Graph, seed uint64) *truth {
	n := len(g.Prerequisites)
	t := &truth{
		w: w, g: g, seed: seed, learned: make([]float64, n), strength: make([]float64, n), at: make([]float64, n), tries: make([]uint64, n),
		speed: math.Exp(0.3 * normal(seed, 1)), last: math.Exp(0.4 * normal(seed, 2)),
	}
	if w.Continuous {
		for i := range t.learned {
			t.learned[i] = -3
		}
	}
	return t
}

// skill is the probability in 0..1 that the student has learned c.
func (t *truth) skill(c int) float64 {
	if t.tries[c] == 0 {
		return 0
	}
	if t.w.Continuous {
		return 1 / (1 + math.Exp(-t.learned[c]))
	}
	return t.learned[c]
}

// memory is the probability that c is recalled on a day if it was learned.
func (t *truth) memory(c int, day float64) float64 {
	if t.strength[c] <= 0 {
		return 0
	}
	x := (day - t.at[c]) / (t.strength[c] * t.last)
	if t.w.Exponential {
		return math.Pow(0.9, x)
	}
	return math.Pow(1+power*x, -0.1542)
}

var power = math.Pow(0.9, -1/0.1542) - 1

func (t *truth) recall(c int, day float64) float64 { return t.skill(c) * t.memory(c, day) }

func (t *truth) gate(c int, day float64) float64 {
	ps := t.g.Prerequisites[c]
	if t.w.Gate == noGate || len(ps) == 0 {
		return 1
	}
	product, sum := 1.0, 0.0
	for _, p := range ps {
		r := t.recall(p, day)
		product *= 0.08 + 0.92*r
		sum += r
	}
	if t.w.Gate == hardGate {
		return product
	}
	return 0.4 + 0.6*sum/float64(len(ps))
}

// attempt is one action on c: it may teach, it is answered, it strengthens or shows a lapse. It answers whether the
// answer was right.
func (t *truth) attempt(c int, day float64) bool {
	k := t.tries[c]
	draw := func(purpose uint64) float64 { return uniform(t.seed, uint64(c)<<20|k<<4|purpose) }
	g := t.gate(c, day)
	t.tries[c]++
	known := false
	switch {
	case t.w.Continuous:
		held := t.strength[c] > 0 && draw(0) < t.memory(c, day)
		before := t.skill(c)
		t.learned[c] += 1.5 * t.speed * g / t.g.Effort[c]
		fresh := t.strength[c] <= 0
		if fresh {
			t.strength[c] = 2.3065
		}
		known = draw(1) < t.skill(c) && (held || fresh)
		switch {
		case fresh:
		case held:
			t.strengthen(c, day, 1)
		case draw(1) < before:
			t.strength[c] = max(0.1, 0.35*t.strength[c])
		}
	case t.learned[c] == 0:
		if known = draw(0) < min(0.9, 0.45*t.speed*g/t.g.Effort[c]); known {
			t.learned[c], t.strength[c] = 1, 2.3065
		}
	default:
		if known = draw(0) < t.memory(c, day); known {
			t.strengthen(c, day, 1)
		} else {
			t.strength[c] = max(0.1, 0.35*t.strength[c])
		}
	}
	t.at[c] = day
	if known && t.w.Along > 0 {
		for _, p := range t.g.Prerequisites[c] {
			if t.skill(p) > 0.5 {
				t.strengthen(p, day, t.w.Along)
				t.at[p] += t.w.Along * (day - t.at[p])
			}
		}
	}
	if known {
		return draw(2) < 0.93
	}
	return draw(2) < 0.12
}

// strengthen adds a share of a successful repetition, by FSRS-6's formula for recall.
func (t *truth) strengthen(c int, day, share float64) {
	s, d := t.strength[c], 3+2.5*t.g.Effort[c]
	r := t.memory(c, day)
	t.strength[c] += share * s * math.Exp(1.8722) * (11 - min(d, 10)) * math.Pow(s, -0.1666) * math.Expm1(0.796*(1-r))
}

// retained is the share of all concepts that the student recalls on a day.
func (t *truth) retained(day float64) float64 {
	sum := 0.0
	for c := range t.learned {
		sum += t.recall(c, day)
	}
	return sum / float64(len(t.learned))
}

// mix is splitmix64's finaliser: a hash that makes draws independent of the order in which they are made.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func uniform(seed, of uint64) float64 { return float64(mix(mix(seed)^of)>>11) / (1 << 53) }

func normal(seed, of uint64) float64 {
	u, v := uniform(seed, of<<40|1), uniform(seed, of<<40|2)
	return math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
}
