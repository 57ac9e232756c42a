package simulate

import "math"

// World says how learning and forgetting work for its students.
type World struct {
	Name string
	// Gate: how much an attempt teaches by what is known of the prerequisites.
	Gate gateKind
	// Memory is how students remember.
	Memory memoryKind
	// Continuous knowledge: a logistic skill that each attempt raises, instead of learned or not.
	Continuous bool
	// Along is the share of a repetition that success gives to direct prerequisites.
	Along float64
	// Flawed is the share of edges that the tutor's graph has flipped or lacks, half each.
	Flawed float64
	// Found says that the tutor's graph is what is found in notes: few of the edges, most of them right, and the order in
	// which the author numbered them.
	Found bool
	// Noisy says that students guess and slip more than a tutor thinks, each in their own way.
	Noisy bool
	// Leaves makes students leave who fail more than half of the time, and skip one day in seven.
	Leaves bool
}

type gateKind int

const (
	hardGate gateKind = iota // product over prerequisites of (0.08 + 0.92·recall)
	softGate                 // 0.4 + 0.6·mean recall
	noGate
)

// Worlds are those that a policy must do well in. In the first five a tutor's model of memory is of the right family and
// its graph is the true one, but for wrong_graph; in the others neither is.
var Worlds = []World{
	{Name: "gated", Gate: hardGate, Along: 0.25},
	{Name: "continuous", Gate: softGate, Memory: exponential, Continuous: true},
	{Name: "ungated", Gate: noGate, Memory: exponential},
	{Name: "wrong_graph", Gate: hardGate, Along: 0.25, Flawed: 0.2},
	{Name: "dropout", Gate: softGate, Memory: exponential, Continuous: true, Leaves: true},
	{Name: "activation_hard", Gate: hardGate, Memory: activation, Found: true},
	{Name: "activation_soft", Gate: softGate, Memory: activation, Found: true},
	{Name: "activation_free", Gate: noGate, Memory: activation, Found: true},
	{Name: "stores_hard", Gate: hardGate, Memory: multiscale, Found: true},
	{Name: "stores_soft", Gate: softGate, Memory: multiscale, Found: true},
	{Name: "stores_free", Gate: noGate, Memory: multiscale, Found: true},
	{Name: "noisy_hard", Gate: hardGate, Noisy: true, Found: true},
	{Name: "noisy_soft", Gate: softGate, Noisy: true, Found: true},
	{Name: "noisy_free", Gate: noGate, Noisy: true, Found: true},
}

// truth is what a student really knows.
type truth struct {
	w           World
	g           *Graph
	seed        uint64
	speed       float64 // log-normal, 0.3
	person      person
	guess, slip float64

	learned []float64 // 0 or 1, or the logit of a continuous skill
	memory  []memory  // nil is never learned
	tries   []uint64
}

func newTruth(w World, g *Graph, seed uint64) *truth {
	n := len(g.Prerequisites)
	t := &truth{
		w: w, g: g, seed: seed, learned: make([]float64, n), memory: make([]memory, n), tries: make([]uint64, n),
		speed: math.Exp(0.3 * normal(seed, 1)), guess: 0.12, slip: 0.07,
		person: person{last: math.Exp(0.4 * normal(seed, 2)), decay: 0.177 * math.Exp(0.25*normal(seed, 2))},
	}
	if w.Noisy {
		t.guess, t.slip = 0.2+0.2*uniform(seed, 3), 0.08+0.12*uniform(seed, 4)
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

// remembered is the probability that c is recalled on a day if it was learned.
func (t *truth) remembered(c int, day float64) float64 {
	if t.memory[c] == nil {
		return 0
	}
	return t.memory[c].recall(day)
}

func (t *truth) recall(c int, day float64) float64 { return t.skill(c) * t.remembered(c, day) }

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
	fresh := t.memory[c] == nil
	recalled := !fresh && draw(0) < t.remembered(c, day)
	known := false
	switch {
	case t.w.Continuous:
		before := t.skill(c)
		t.learned[c] += 1.5 * t.speed * g / t.g.Effort[c]
		known = draw(1) < t.skill(c) && (recalled || fresh)
		switch {
		case fresh:
			t.memory[c] = t.w.Memory.fresh(t.person, t.g.Effort[c], day)
		case recalled || draw(1) < before:
			t.memory[c].practise(day, recalled, 1)
		}
	case fresh:
		if known = draw(0) < min(0.9, 0.45*t.speed*g/t.g.Effort[c]); known {
			t.learned[c], t.memory[c] = 1, t.w.Memory.fresh(t.person, t.g.Effort[c], day)
		}
	default:
		known = recalled
		t.memory[c].practise(day, recalled, 1)
	}
	if known && t.w.Along > 0 {
		for _, p := range t.g.Prerequisites[c] {
			if t.skill(p) > 0.5 {
				t.memory[p].practise(day, true, t.w.Along)
			}
		}
	}
	if known {
		return draw(2) < 1-t.slip
	}
	return draw(2) < t.guess
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
