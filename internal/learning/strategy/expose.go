package strategy

import (
	"hash/fnv"

	"stoa/internal/learning/path"
)

// Draw is a strategy drawn for a block, with the probability that it had.
type Draw struct {
	Strategy   path.Strategy
	Propensity float64
}

// least is the smallest propensity of a strategy that is safe to show.
const least = 0.1

// Assign draws the strategy of a person's block. The draw is a function of its arguments, so that every process gives
// the same. Strategies that are rolled back are not drawn. Without a winner, balanced has the probability one half, since
// every comparison needs it, and the others share the rest; a winner has what the least of the others leaves.
func Assign(person string, block, seed uint64, e *Evidence, winner path.Strategy) Draw {
	p := propensities(e, winner)
	h := fnv.New64a()
	h.Write([]byte(person))
	u := uniform(h.Sum64() ^ mix(block) ^ mix(seed+0x51ed2701))
	for i, s := range path.Strategies {
		if u < p[i] || i == arms-1 {
			if p[i] > 0 {
				return Draw{s, p[i]}
			}
			break
		}
		u -= p[i]
	}
	return Draw{path.Balanced, p[0]}
}

// propensities are the probabilities of the strategies for the next block.
func propensities(e *Evidence, winner path.Strategy) [arms]float64 {
	var safe [arms]bool
	n := 0
	for i, s := range path.Strategies {
		if safe[i] = e == nil || e.rolledBack(s) == ""; safe[i] {
			n++
		}
	}
	var p [arms]float64
	w := index(winner)
	for i := range p {
		switch {
		case !safe[i]:
		case n == 1:
			p[i] = 1
		case w >= 0 && safe[w] && i == w:
			p[i] = 1 - least*float64(n-1)
		case w >= 0 && safe[w]:
			p[i] = least
		case i == 0:
			p[i] = 0.5
		default:
			p[i] = 0.5 / float64(n-1)
		}
	}
	return p
}

func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func uniform(x uint64) float64 { return float64(mix(x)>>11) / (1 << 53) }
