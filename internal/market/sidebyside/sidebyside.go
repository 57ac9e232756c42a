// Package sidebyside compares what two personas answered to the same questions and names the differences that matter, each
// with how sure it is: a model never answers twice alike, so that a difference must be larger than that noise.
//
// internal/app/market calls it with answers that a page has; nothing of them is kept.
package sidebyside

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"
)

// Side is one of two personas with its answers, in the order of the questions.
type Side struct {
	SystemPrompt string
	Answers      []Answer
}

// Answer is what was said to one question. One without a text and tools is none, and its question does not count.
type Answer struct {
	Text  string
	Tools []string // names of functions that the model wanted called
}

// Kind is what differs.
type Kind string

// The kinds.
const (
	Language Kind = "language"
	Length   Kind = "length"
	Refusal  Kind = "refusal"
	Tools    Kind = "tools"
	Leak     Kind = "prompt_leak"
)

// Sureness says how sure a difference is.
type Sureness string

// Sureness in words: Certain is at least 99 %, or seen with one's own eyes; Likely at least 95 %; Unsure that there are not
// enough answers to tell.
const (
	Certain Sureness = "certain"
	Likely  Sureness = "likely"
	Unsure  Sureness = "not_enough_to_tell"
)

const (
	certain = .99
	likely  = .95
	unsure  = .80
)

// MinAnswers is from how many answered questions on something can be said of what noise could have made.
const MinAnswers = 4

// Differences that are smaller do not matter to whoever chooses a persona.
const (
	leastShare = .15  // of the answers that do something on one side and not on the other
	leastRatio = 1.25 // of the lengths
)

// Finding is one difference. Left and Right are shares of the answers from 0 to 1, of Length the middle number of characters.
type Finding struct {
	Kind        Kind     `json:"kind"`
	Left        float64  `json:"left"`
	Right       float64  `json:"right"`
	LeftSays    string   `json:"left_says"`  // the language that most answers are in, of Language alone
	RightSays   string   `json:"right_says"` // as LeftSays
	Probability float64  `json:"probability"`
	Sure        Sureness `json:"sure"`
	Question    int      `json:"question"` // the number of a question, from 0, whose answers show it
}

// Report is what was found, the surest first.
type Report struct {
	Answered int       `json:"answered"` // questions that both answered
	Needed   int       `json:"needed"`   // MinAnswers
	Findings []Finding `json:"findings"`
}

// Compare compares the answers of two sides to the same questions.
func Compare(left, right Side) Report {
	pairs := paired(left.Answers, right.Answers)
	r := Report{Answered: len(pairs), Needed: MinAnswers, Findings: []Finding{}}
	if len(pairs) == 0 {
		return r
	}
	fromLeft, fromRight := newShingles(left.SystemPrompt), newShingles(right.SystemPrompt)
	found := []*Finding{
		languages(pairs),
		lengths(pairs),
		shares(Refusal, pairs, func(a Answer) bool { return refuses(a.Text) }),
		shares(Tools, pairs, func(a Answer) bool { return len(a.Tools) > 0 }),
		leaks(pairs, fromLeft, fromRight),
	}
	for _, f := range found {
		if f == nil {
			continue
		}
		if len(pairs) < MinAnswers && (f.Kind != Leak || f.Sure != Certain) {
			f.Sure = Unsure
		}
		r.Findings = append(r.Findings, *f)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return cmp.Compare(b.Probability, a.Probability) })
	return r
}

type pair struct {
	question    int
	left, right Answer
}

func paired(left, right []Answer) []pair {
	var out []pair
	for i := range min(len(left), len(right)) {
		if answered(left[i]) && answered(right[i]) {
			out = append(out, pair{i, left[i], right[i]})
		}
	}
	return out
}

func answered(a Answer) bool { return a.Text != "" || len(a.Tools) > 0 }

// shares compares how many answers of each side do something.
func shares(kind Kind, pairs []pair, does func(Answer) bool) *Finding {
	l, r, shown := 0, 0, -1
	for _, p := range pairs {
		a, b := does(p.left), does(p.right)
		if a {
			l++
		}
		if b {
			r++
		}
		if a != b && shown < 0 {
			shown = p.question
		}
	}
	if shown < 0 || l == r {
		return nil
	}
	n := len(pairs)
	p := moreOften(max(l, r), min(l, r), n)
	return graded(Finding{Kind: kind, Left: float64(l) / float64(n), Right: float64(r) / float64(n), Probability: p, Question: shown})
}

// graded gives a finding its word, nil when noise explains it well enough.
func graded(f Finding) *Finding {
	switch {
	case f.Probability >= certain:
		f.Sure = Certain
	case f.Probability >= likely:
		f.Sure = Likely
	case f.Probability >= unsure:
		f.Sure = Unsure
	default:
		return nil
	}
	f.Probability = math.Round(f.Probability*1000) / 1000
	return &f
}

// moreOften is the probability that what was seen k times of n happens at least leastShare more often than what was seen j
// times of n: both shares have Beta(k+½, n−k+½) as their distribution (Jeffreys' prior), over a grid.
func moreOften(k, j, n int) float64 {
	const steps = 400
	high, low := betaGrid(k, n, steps), betaGrid(j, n, steps)
	gap := int(math.Ceil(leastShare * steps))
	below, p := 0., 0.
	for i := range steps {
		if i >= gap {
			below += low[i-gap]
		}
		p += high[i] * below
	}
	return p
}

func betaGrid(k, n, steps int) []float64 {
	out, sum := make([]float64, steps), 0.
	for i := range out {
		x := (float64(i) + .5) / float64(steps)
		out[i] = math.Exp((float64(k)-.5)*math.Log(x) + (float64(n-k)-.5)*math.Log(1-x))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// lengths compares how long the answers are, question by question: the mean of the logarithms of their ratios against
// Student's t, of which the part that is a difference of less than leastRatio is taken away.
func lengths(pairs []pair) *Finding {
	var ratios, left, right []float64
	shown, widest := 0, 0.
	for _, p := range pairs {
		if p.left.Text == "" || p.right.Text == "" {
			continue
		}
		l, r := float64(utf8.RuneCountInString(p.left.Text)), float64(utf8.RuneCountInString(p.right.Text))
		left, right = append(left, l), append(right, r)
		ratio := math.Log(r / l)
		ratios = append(ratios, ratio)
		if math.Abs(ratio) > widest {
			shown, widest = p.question, math.Abs(ratio)
		}
	}
	n := float64(len(ratios))
	if n < 2 {
		return nil
	}
	mean, spread := 0., 0.
	for _, x := range ratios {
		mean += x / n
	}
	for _, x := range ratios {
		spread += (x - mean) * (x - mean) / (n - 1)
	}
	// A tenth is the least spread: a handful of answers may be alike by chance.
	deviation := math.Sqrt(max(spread, .01) / n)
	beyond := math.Abs(mean) - math.Log(leastRatio)
	return graded(Finding{Kind: Length, Left: middle(left), Right: middle(right), Probability: studentBelow(beyond/deviation, n-1), Question: shown})
}

func middle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// studentBelow approximates the distribution function of Student's t with v degrees of freedom (Abramowitz and Stegun,
// 26.7.8).
func studentBelow(t, v float64) float64 {
	z := t * (1 - 1/(4*v)) / math.Sqrt(1+t*t/(2*v))
	return .5 * math.Erfc(-z/math.Sqrt2)
}
