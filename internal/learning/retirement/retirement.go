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

// Expected is what was to be expected of each of the answers to a concept's questions in one session, right from 0 to 1: the models' estimate
// before the session, which counts as one answer, and how the others were answered (the rest score of classical test theory; Crocker
// and Algina 1986, ch. 14).
func Expected(before float64, right []float64) []float64 {
	sum := 0.0
	for _, y := range right {
		sum += y
	}
	out := make([]float64, len(right))
	for i, y := range right {
		out[i] = (before + sum - y) / float64(len(right))
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
	enoughEasy = 40.0
)

// explanation is one way in which a question may be answered: the logit of a right answer is shift + slope × that of the expectation. right
// and wrong are the logarithms of the probabilities of the answers, by expectation.
type explanation struct {
	weight       float64 // its logarithm
	right, wrong [bins]float64
}

// slip is the least chance of any answer, right or wrong.
const slip = 0.02

func explain(weight, shift, slope float64) (e explanation) {
	e.weight = math.Log(weight)
	for k := range bins {
		p := chance(shift, slope, middle(k))
		e.right[k], e.wrong[k] = math.Log(p), math.Log1p(-p)
	}
	return e
}

func chance(shift, slope, expected float64) float64 {
	return slip + (1-2*slip)/(1+math.Exp(-shift-slope*math.Log(expected/(1-expected))))
}

// middle is the expectation that stands for a bin.
func middle(bin int) float64 { return (float64(bin) + 0.5) / bins }

// Good questions differ in difficulty, and in how closely they follow what is expected: less where expectations are rough, more where
// a concept is either known or not.
var (
	good     = following(1)
	contrary = following(-1)
	tooEasy  = []explanation{explain(1, always, 0)}
	tooHard  = []explanation{explain(1, -always, 0)}
)

// always is the logit of what is answered alike whatever is known.
const always = 4.6

// following spreads an explanation over difficulties, normal with a deviation of .8, and over four slopes.
func following(sign float64) (list []explanation) {
	const spread = 0.8
	weight := func(c float64) float64 { return math.Exp(-c * c / (2 * spread * spread)) }
	slopes, sum := []float64{0.5, 1, 2, 3}, 0.0
	for c := -3.0; c <= 3; c += 0.5 {
		sum += weight(c)
	}
	for _, slope := range slopes {
		for c := -3.0; c <= 3; c += 0.5 {
			list = append(list, explain(weight(c)/sum/float64(len(slopes)), c, sign*slope))
		}
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
