package recall

import (
	"math"

	"stoa/internal/learning/mastery/fsrs"
	"stoa/internal/learning/mastery/online"
	"stoa/internal/learning/mastery/wire"
)

// The experts that are mixed, in their order in Person.Trust and Prediction.Experts.
const (
	Memory  = iota // FSRS-6 alone
	Tracker        // the moving average alone
	Plain          // the head with six features and AdaGrad
	Full           // the head with all features and beliefs
	Share          // the share of recalls so far
	experts
)

// features: intercept, logit R, tracker, log days, log reviews, log lapses; for the full head also difficulty, log
// stability, log reviews of the same day, and for each window from a day on the logarithms of what was recalled and what
// failed in it. All but those of the windows are shifted so that zero is a usual value.
const (
	plainFeatures = 6
	firstFeatures = 9 // of the full head before 26 November 2026
	firstWindow   = 1 // the one of an hour says nothing of another day
	fullFeatures  = firstFeatures + 2*(online.WindowCount-firstWindow)
)

// Person is what is known of how one person remembers.
type Person struct {
	Average online.MovingAverage
	Trust   online.Mixture
	reviews float64 // over a night
	right   float64
	weights [plainFeatures]float64
	squares [plainFeatures]float64 // AdaGrad's sums of squared gradients
	head    *online.Head
}

// firstTrust is how far a new person's experts are trusted, in their order. What the mixture can lose against FSRS-6 over
// any history is the logarithm of its share, 0.03; the heads begin with the same predictions, so they lose less. The
// shares were chosen on the review log dealt to 1 to 400 people (docs/learning-models.md).
var firstTrust = [experts]float64{1 - 0.03 - 0.001 - 2*0.0002, 0.0002, 0.001, 0.03, 0.0002}

// NewPerson has no reviews yet: predictions are those of FSRS-6's defaults.
func NewPerson() *Person {
	p := &Person{Average: online.NewMovingAverage(), Trust: online.NewMixture(experts), reviews: 1, right: 0.9}
	copy(p.Trust.Weights, firstTrust[:])
	p.weights[1] = 1
	mean := make([]float64, fullFeatures)
	mean[1] = 1
	// A weight of a usual person lies within about 0.2 of FSRS-6's; the noise forgets over some thousand reviews.
	p.head = online.NewHead(mean, 0.05, 1e-7)
	return p
}

// Prediction is what is expected of one review.
type Prediction struct {
	P       float64          // probability of recall, the mixture's
	Experts [experts]float64 // what each expert says

	x [fullFeatures]float64
}

// Predict says how likely the card would be recalled at a moment, after the answers in past. A card without a review
// gives 0.
func (p *Person) Predict(c Card, past *online.Windows, at int64) (q Prediction) {
	if c.Memory.New() {
		return q
	}
	days := c.Elapsed(at)
	r := memory.Retrievability(c.Memory, days)
	q.x = [fullFeatures]float64{
		1, online.Logit(r), p.Average.X, math.Log1p(days) - 2, math.Log1p(float64(c.Days)) - 1, math.Log1p(float64(c.Lapses)),
		(c.Memory.Difficulty - 5) / 5, math.Log(c.Memory.Stability) - 2, math.Log1p(float64(c.Today)),
	}
	gone, next := past.Elapsed(at), q.x[firstFeatures:]
	for i := firstWindow; i < online.WindowCount; i++ {
		seen, good := past.Count(i, gone)
		next[0], next[1], next = math.Log1p(good), math.Log1p(seen-good), next[2:]
	}
	plain, full := 0.0, 0.0
	for i, w := range p.weights {
		plain += w * q.x[i]
	}
	for i, w := range p.head.Mean {
		full += w * q.x[i]
	}
	q.Experts = [experts]float64{r, p.Average.P(), online.Sigmoid(plain), online.Sigmoid(full), p.right / p.reviews}
	q.P = p.Trust.P(q.Experts[:])
	return q
}

// Review counts one review; past are the answers before it. The person learns from it if it is the first of another day; the
// prediction that was made before is the answer, with ok false if there was nothing to predict.
func (p *Person) Review(c *Card, past *online.Windows, g fsrs.Grade, at int64, s *online.Scratch) (q Prediction, ok bool) {
	if ok = c.AnotherDay(at); ok {
		q = p.Predict(*c, past, at)
		o := online.Outcome{Weight: 1}
		if g > fsrs.Again {
			o.Y = 1
		}
		p.Trust.Learn(q.Experts[:], o)
		p.learnPlain(q, o)
		p.head.Learn(s, nil, p.head.Sum(q.x[:], s), o)
		p.Average.Learn(o)
		p.reviews++
		p.right += o.Y
	}
	c.review(g, at)
	return q, ok
}

// AdaGrad with step 0.15 (Duchi et al. 2011).
func (p *Person) learnPlain(q Prediction, o online.Outcome) {
	for i := range p.weights {
		g := (q.Experts[Plain] - o.Y) * q.x[i]
		if p.squares[i] += g * g; p.squares[i] > 0 {
			p.weights[i] -= 0.15 * g / math.Sqrt(p.squares[i]+1e-8)
		}
	}
}

// Due is the days from the latest review until the person's recall falls to retention. It stays between a quarter
// and four times what FSRS-6 says, so that a head which has seen little sends nobody away for years.
func (p *Person) Due(c Card, past *online.Windows, retention float64) float64 {
	plain := c.Interval(retention)
	low, high := math.Log(plain/4), math.Log(math.Min(plain*4, fsrs.MaxStability))
	above := func(logDays float64) float64 {
		return p.Predict(c, past, c.At+int64(math.Exp(logDays)*day)).P - retention
	}
	atLow, atHigh := above(low), above(high)
	if atLow <= 0 {
		return math.Exp(low)
	}
	if atHigh > 0 {
		return math.Exp(high)
	}
	// Recall is nearly straight over the logarithm of days: false position, and an end that stays put twice is halved
	// (the Illinois rule).
	middle, moved := low, 0
	for range 20 {
		middle = (low*atHigh - high*atLow) / (atHigh - atLow)
		x := above(middle)
		if math.Abs(x) < 1e-5 {
			break
		}
		if x > 0 {
			low, atLow = middle, x
			if moved > 0 {
				atHigh /= 2
			}
			moved = 1
		} else {
			high, atHigh = middle, x
			if moved < 0 {
				atLow /= 2
			}
			moved = -1
		}
	}
	return math.Exp(middle)
}

// Put writes the person.
func (p *Person) Put(w *wire.Writer) {
	w.Float(p.Average.X)
	p.Trust.Put(w)
	w.Floats(p.reviews, p.right)
	w.Floats(p.weights[:]...)
	w.Floats(p.squares[:]...)
	p.head.Put(w)
}

// Take reads into a person made by NewPerson.
func (p *Person) Take(r *wire.Reader) { p.takeWith(r, fullFeatures) }

// TakeFirst reads the shape of before 26 November 2026: what windows say was not learned yet.
func (p *Person) TakeFirst(r *wire.Reader) { p.takeWith(r, firstFeatures) }

func (p *Person) takeWith(r *wire.Reader, features int) {
	p.Average.X = r.Float()
	p.Trust.Take(r)
	if r.Floats(&p.reviews, &p.right); p.right <= 0 || p.right > p.reviews {
		r.Fail()
	}
	for i := range p.weights {
		p.weights[i] = r.Float()
	}
	for i := range p.squares {
		if p.squares[i] = r.Float(); p.squares[i] < 0 {
			r.Fail()
		}
	}
	p.head.TakeFirst(r, features)
}
