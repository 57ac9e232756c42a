// Package placement finds out with few questions what somebody knows already, and says what follows from answers: whoever
// answers right on something that builds on other things most likely knows those too.
//
// Everything is a pure function of the view that plans are made from.
package placement

import (
	"math"

	"stoa/internal/learning/path"
)

// Most is how many questions a placement has.
const Most = 15

const (
	// holds is how often what needs something is only known with it; weakest is the share of certainty below which nothing
	// is said to follow. With these, TestPlacement finds .9 and more of what is said to be known known.
	holds, weakest = 0.95, 0.3
	// rise is by how much each level of prerequisites makes it less likely that something is known, in log odds.
	rise = 0.35
	// settled is the doubt p·(1−p) below which a question would tell nothing.
	settled = 0.03
	// looked is how many of the most doubtful candidates are looked at for what rests on them, reach how far.
	looked, reach = 48, 40
)

// Sign says that something that was never asked is known, since something that needs it was answered right.
type Sign struct {
	P  float64 // probability in 0..1 that it is known
	By int     // what says so most
}

// Implied gives what follows from answers, by concept. Something answered says nothing of what needs it unless the last
// answer was right; what was asked itself is not in it.
func Implied(v *path.View) map[int]Sign {
	signs := map[int]Sign{}
	best := map[int]float64{} // from what to whom, of the concept in hand
	for j := range v.Concepts {
		c := &v.Concepts[j]
		if c.Attempts == 0 || c.LastOutcome != path.Correct || c.Mastery < 0.5 || len(c.Prerequisites) == 0 {
			continue
		}
		clear(best)
		stack := []int{j}
		best[j] = c.Mastery
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, l := range v.Concepts[i].Prerequisites {
				strength := best[i] * l.Weight * holds
				if strength < weakest || strength <= best[l.To] || v.Concepts[l.To].Attempts > 0 {
					continue
				}
				best[l.To] = strength
				stack = append(stack, l.To)
			}
		}
		delete(best, j)
		for i, strength := range best {
			s := signs[i]
			if s.P == 0 || strength > s.P {
				s.By = j
			}
			s.P = 1 - (1-s.P)*(1-strength)
			signs[i] = s
		}
	}
	return signs
}

// Place is what a question is chosen by, beside the view: the area of each concept (such as its folder) and its level, the
// longest way from something that needs nothing.
type Place struct {
	Area, Level []int
}

// Next gives the concept to ask about next, the one whose answer tells most; false when no answer would tell much. Answers
// given so far are in the view as attempts.
func (p Place) Next(v *path.View) (int, bool) {
	n := len(v.Concepts)
	chance := p.chances(v)
	dependants := make([]int, n)
	for i := range v.Concepts {
		for _, l := range v.Concepts[i].Prerequisites {
			dependants[l.To]++
		}
	}
	asked := map[int]int{}
	for i := range v.Concepts {
		if v.Concepts[i].Attempts > 0 {
			asked[p.Area[i]]++
		}
	}
	value := func(i, rests int) float64 {
		return chance[i] * (1 - chance[i]) * (1 + math.Log1p(float64(rests))) / math.Sqrt(1+float64(asked[p.Area[i]]))
	}
	type candidate struct {
		i     int
		value float64
	}
	top := make([]candidate, 0, looked+1)
	for i := range v.Concepts {
		if v.Concepts[i].Attempts > 0 || chance[i]*(1-chance[i]) < settled {
			continue
		}
		c := candidate{i, value(i, len(v.Concepts[i].Prerequisites)+dependants[i])}
		at := len(top)
		for at > 0 && top[at-1].value < c.value {
			at--
		}
		if at < looked {
			top = append(top, candidate{})
			copy(top[at+1:], top[at:])
			top[at] = c
			top = top[:min(len(top), looked)]
		}
	}
	best, most := -1, 0.0
	for _, c := range top {
		if worth := value(c.i, under(v, c.i, chance)+dependants[c.i]); worth > most {
			best, most = c.i, worth
		}
	}
	return best, best >= 0
}

// under counts what rests below a concept and is in doubt, up to reach.
func under(v *path.View, i int, chance []float64) int {
	seen, stack := map[int]bool{i: true}, []int{i}
	for len(stack) > 0 && len(seen) <= reach {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, l := range v.Concepts[at].Prerequisites {
			if !seen[l.To] && v.Concepts[l.To].Attempts == 0 && chance[l.To]*(1-chance[l.To]) >= settled {
				seen[l.To] = true
				stack = append(stack, l.To)
			}
		}
	}
	return len(seen) - 1
}

// chances is how likely each concept is known: by the share of right answers, in its area above all, by its level, by what
// follows from right answers, and by what it needs that was answered wrong.
func (p Place) chances(v *path.View) []float64 {
	n := len(v.Concepts)
	right, all, level := map[int]float64{}, map[int]float64{}, 0.0
	total, count := 0.0, 0.0
	for i := range v.Concepts {
		if c := &v.Concepts[i]; c.Attempts > 0 {
			right[p.Area[i]] += c.Mastery
			all[p.Area[i]]++
			total, count, level = total+c.Mastery, count+1, level+float64(p.Level[i])
		}
	}
	if count > 0 {
		level /= count
	} else {
		for _, l := range p.Level {
			level += float64(l) / float64(max(1, n))
		}
	}
	share := (total + 1) / (count + 2)
	signs := Implied(v)
	chance, lost := make([]float64, n), make([]float64, n)
	byLevel := make([][]int, 0, 16)
	for i, l := range p.Level {
		for len(byLevel) <= l {
			byLevel = append(byLevel, nil)
		}
		byLevel[l] = append(byLevel[l], i)
	}
	for _, list := range byLevel {
		for _, i := range list {
			c := &v.Concepts[i]
			if c.Attempts > 0 {
				chance[i], lost[i] = c.Mastery, max(0, 1-2*c.Mastery)
				continue
			}
			for _, l := range c.Prerequisites {
				lost[i] = max(lost[i], l.Weight*holds*lost[l.To])
			}
			a := p.Area[i]
			here := (right[a] + 2*share) / (all[a] + 2)
			q := 1 / (1 + math.Exp(-math.Log(here/(1-here))+rise*(float64(p.Level[i])-level)))
			chance[i] = max(q*(1-lost[i]), signs[i].P)
		}
	}
	return chance
}
