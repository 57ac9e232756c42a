// Package retirement finds questions whose answers say nothing of what their learner knows.
//
// It compares four explanations of how a question was answered, given what the models expected of its concept before each answer:
// that the question is as others, of unknown difficulty; that it is answered right whatever is known, wrong whatever is known, or
// the other way round. The ratio of the probabilities that two of them give to the answers is a Bayes factor. While the
// expectations are right, the factor against a good question is a martingale that begins with 1, so that it ever reaches k for
// at most one good question in k, however often one looks (Ville's inequality; Shafer et al., Test Martingales, Bayes Factors and
// p-Values, 2011). How many are found and lost with the models as they are says `stoa eval questions --planted`.
//
// The models know concepts, not questions, and what a session says of a concept is how its other questions were answered. So an only
// question of its concept can hardly be told from a concept that is easy or hard.
package retirement

import "math"

// Reason is why a question says nothing; "" is that it does say something, or that nobody knows yet.
type Reason string

// The reasons.
const (
	TooEasy  Reason = "too_easy"
	TooHard  Reason = "too_hard"
	Contrary Reason = "contrary" // answered right rather when less was known
)

// bins are how many expectations are told apart.
const bins = 20

// Answers are how a question was answered, by what was expected: two numbers for each twentieth of probability, in half answers.
// A partial answer is half a right and half a wrong one.
type Answers [bins]Count

// Count is how many half answers were right and wrong.
type Count struct{ Right, Wrong int64 }

// Bin is where an answer is counted.
func Bin(expected float64) int {
	if !(expected > 0) {
		return 0
	}
	return min(int(expected*bins), bins-1)
}

// Add counts an answer: right is 1, ½ or 0.
func (a *Answers) Add(expected, right float64) {
	c := &a[Bin(expected)]
	half := int64(2 * right)
	c.Right, c.Wrong = c.Right+half, c.Wrong+2-half
}

// Put counts half answers that were counted before.
func (a *Answers) Put(bin int, right, wrong int64) {
	c := &a[min(max(bin, 0), bins-1)]
	c.Right, c.Wrong = c.Right+right, c.Wrong+wrong
}

// Expected is what was to be expected of each of the answers to a concept's questions in one session, right from 0 to 1: by the models' estimate
// before the session and by how the others were answered, each of which speaks for or against the concept being known (knowledge tracing;
// Corbett and Anderson 1995).
func Expected(before float64, right []float64) []float64 {
	prior := min(max(known(before), leastKnown), 1-leastKnown)
	says := func(y float64) float64 { return y*math.Log((1-slips)/guesses) + (1-y)*math.Log(slips/(1-guesses)) }
	sum := math.Log(prior / (1 - prior))
	for _, y := range right {
		sum += says(y)
	}
	out := make([]float64, len(right))
	for i, y := range right {
		out[i] = guesses + (1-slips-guesses)/(1+math.Exp(says(y)-sum))
	}
	return out
}

// Part sums up some answers.
type Part struct{ Answers, Right float64 }

// Verdict is what the answers say of a question.
type Verdict struct {
	Reason   Reason // proposed for retirement, if not ""
	Answers  float64
	Right    float64
	Expected float64 // right answers
	Odds     float64 // how many times likelier the answers are for the reason than for a good question
	// More and Less are the answers for which more than usual for this question was expected, and the others.
	More, Less Part
}

// Fewest is how many answers a question has that is proposed.
const Fewest = 5

// The Bayes factors from which a question is proposed, by `stoa eval questions --planted`: whoever forgets little answers a good easy question
// always right too, so that more is asked for there.
const (
	enough     = 10.0
	enoughEasy = 30.0
)

// explanation is one way in which a question may be answered: right and wrong are the logarithms of the probabilities of the answers, by
// expectation.
type explanation struct {
	weight       float64 // its logarithm
	right, wrong [bins]float64
}

// What is expected says how likely the concept is known, by how often those who do not know guess right and those who know slip. Neither is known
// for a single question; these stand for the usual one.
const (
	guesses    = 0.2
	slips      = 0.1
	leastKnown = 0.05
)

func known(expected float64) float64 {
	return min(max((expected-guesses)/(1-slips-guesses), 0), 1)
}

// explain makes an explanation by which the chance of a right answer hangs on how likely the concept is known.
func explain(weight float64, chance func(known float64) float64) (e explanation) {
	e.weight = math.Log(weight)
	for k := range bins {
		p := chance(known(middle(k)))
		e.right[k], e.wrong[k] = math.Log(p), math.Log1p(-p)
	}
	return e
}

// middle is the expectation that stands for a bin.
func middle(bin int) float64 { return (float64(bin) + 0.5) / bins }

// Good questions differ in difficulty, in how often they are guessed and slipped at, and in how far they are known together with the others of
// their concept.
var (
	good     = following(false)
	contrary = following(true)
	tooEasy  = []explanation{explain(1, func(float64) float64 { return 0.99 })}
	tooHard  = []explanation{explain(1, func(float64) float64 { return 0.02 })}
)

// following spreads an explanation over difficulties, normal with a deviation of .8, and over guesses, slips and how much what is known of the
// others says of this one; apart from them it is known as often as when reviews come in time.
func following(opposite bool) (list []explanation) {
	const spread, step, inTime = 0.8, 0.25, 0.85
	weight := func(ease float64) float64 { return math.Exp(-ease * ease / (2 * spread * spread)) }
	for _, together := range []float64{1, 0.6} {
		for _, guess := range []float64{0.1, 0.25} {
			for _, slip := range []float64{0.05, 0.12} {
				for ease := -3.0; ease <= 3; ease += step {
					chance := func(p float64) float64 { return 1 / (1 + (1/p-1)*math.Exp(-ease)) }
					list = append(list, explain(weight(ease), func(k float64) float64 {
						k = together*k + (1-together)*inTime
						if opposite {
							k = 1 - k
						}
						return k*chance(1-slip) + (1-k)*chance(guess)
					}))
				}
			}
		}
	}
	sum := 0.0
	for i := range list {
		sum += math.Exp(list[i].weight)
	}
	for i := range list {
		list[i].weight -= math.Log(sum)
	}
	return list
}

// logLikelihood is the logarithm of the probability that a mixture of explanations gives to the answers.
func (a *Answers) logLikelihood(mixture []explanation) float64 {
	most, sums := math.Inf(-1), make([]float64, len(mixture))
	for i := range mixture {
		e := &mixture[i]
		sum := e.weight
		for k, c := range a {
			sum += float64(c.Right)/2*e.right[k] + float64(c.Wrong)/2*e.wrong[k]
		}
		sums[i], most = sum, max(most, sum)
	}
	total := 0.0
	for _, s := range sums {
		total += math.Exp(s - most)
	}
	return most + math.Log(total)
}

// Judge says what the answers say of a question.
func (a *Answers) Judge() (v Verdict) {
	for k, c := range a {
		n := float64(c.Right+c.Wrong) / 2
		v.Answers, v.Right, v.Expected = v.Answers+n, v.Right+float64(c.Right)/2, v.Expected+n*middle(k)
	}
	if v.Answers == 0 {
		return v
	}
	for k, c := range a {
		part := &v.Less
		if middle(k) > v.Expected/v.Answers {
			part = &v.More
		}
		part.Answers, part.Right = part.Answers+float64(c.Right+c.Wrong)/2, part.Right+float64(c.Right)/2
	}
	usual := a.logLikelihood(good)
	for _, bad := range []struct {
		reason Reason
		by     []explanation
		enough float64
	}{{TooEasy, tooEasy, enoughEasy}, {TooHard, tooHard, enough}, {Contrary, contrary, enough}} {
		odds := math.Exp(min(a.logLikelihood(bad.by)-usual, math.Log(mostOdds)))
		switch says := v.Answers >= Fewest && odds >= bad.enough; {
		case says && (v.Reason == "" || odds > v.Odds):
			v.Reason, v.Odds = bad.reason, odds
		case v.Reason == "":
			v.Odds = max(v.Odds, odds)
		}
	}
	return v
}

// mostOdds bounds what is told.
const mostOdds = 1e6
