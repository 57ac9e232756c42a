package path

import (
	"math"
	"slices"
)

// Pace is how long a person takes for actions, against the usual: by kind, the sum of the logarithms of taken over usual
// time and how many were taken. The zero value is a person of whom nothing is known.
type Pace struct {
	Sum   [kinds]float64 `json:"sum"`
	Count [kinds]float64 `json:"count"`
}

const kinds = 6

var kindOrder = [kinds]Kind{Quiz, Explain, Review, Transfer, Counterexample, Reflection}

// minutes is the usual time of a kind without what is read for it. All are guesses,
// which a person's own times replace; the median of one learner's 12,580 reviews of short cards (py-fsrs's log) is 0.19.
var minutes = map[Kind]float64{Quiz: 0.6, Explain: 1.5, Review: 1, Transfer: 2.5, Counterexample: 2.5, Reflection: 2}

const (
	// readingRate is letters a minute: 238 words (Brysbaert 2019, silent reading of English prose) of 5.5 letters, halved
	// for text that is studied.
	readingRate = 238 * 5.5 / 2
	// longestReading bounds the minutes of reading in one action.
	longestReading = 12
	// paceDoubt is how many of a person's own times count as much as the usual time, paceKept how many are kept.
	paceDoubt, paceKept = 4, 40
)

// usual is the time in minutes that a kind of action on so many letters takes.
func usual(k Kind, letters int) float64 {
	read := min(longestReading, float64(letters)/readingRate)
	switch k {
	case Explain:
		return minutes[k] + read
	case Review, Reflection:
		return minutes[k] + read/3
	case Transfer, Counterexample:
		return minutes[k] + read/4
	}
	return minutes[k]
}

// factors are, by kind, how much longer than usual the person will take.
func (p *Pace) factors() (f [kinds]float64) {
	all, n := 0.0, 0.0
	for j := range kinds {
		all, n = all+p.Sum[j], n+p.Count[j]
	}
	general := all / (n + paceDoubt)
	for j := range kinds {
		f[j] = math.Exp((p.Sum[j] + paceDoubt*general) / (p.Count[j] + paceDoubt))
	}
	return f
}

// takes is the time in minutes that a person with these factors will take for an action.
func takes(c *Concept, k Kind, factors *[kinds]float64) float64 {
	if c.Minutes > 0 {
		return c.Minutes
	}
	return usual(k, c.Letters) * factors[max(0, slices.Index(kindOrder[:], k))]
}

func (s *scorer) takes(c *Concept, k Kind) float64 { return takes(c, k, &s.pace) }

// Took takes the time in minutes of one action in. Times of less than two seconds or more than five times the longest
// usual one say that somebody clicked on or went away.
func (p *Pace) Took(k Kind, letters int, taken float64) {
	i := slices.Index(kindOrder[:], k)
	if i < 0 || !(taken > 2.0/60) || taken > 5*(longestReading+minutes[Explain]) {
		return
	}
	p.Sum[i] += math.Log(taken / usual(k, letters))
	if p.Count[i]++; p.Count[i] > paceKept {
		p.Sum[i] *= paceKept / p.Count[i]
		p.Count[i] = paceKept
	}
}
