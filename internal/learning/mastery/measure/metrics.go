package measure

import (
	"cmp"
	"math"
	"slices"
)

// Scored is a prediction made before the outcome was seen, and the outcome.
type Scored struct {
	P float64 // 0 to 1
	Y bool
}

// Figures say how good predictions are. Lower is better for all but AUC.
type Figures struct {
	N       int     `json:"n"`
	Mean    float64 `json:"mean_outcome"`
	AUC     float64 `json:"auc"`
	LogLoss float64 `json:"log_loss"` // natural logarithm, per answer
	ECE     float64 `json:"ece"`      // ten bins of equal width
	Brier   float64 `json:"brier"`
}

// score computes the figures. Probabilities are kept within 1e-6 of 0 and 1 for the logarithm. Without both outcomes
// the AUC is 0.5.
func score(s []Scored) Figures {
	f := Figures{N: len(s), AUC: 0.5}
	if f.N == 0 {
		return f
	}
	var bins [10]struct{ n, p, y float64 }
	for _, x := range s {
		p, y := min(max(x.P, 1e-6), 1-1e-6), 0.0
		if x.Y {
			y = 1
			f.LogLoss -= math.Log(p)
		} else {
			f.LogLoss -= math.Log(1 - p)
		}
		f.Mean += y
		f.Brier += (x.P - y) * (x.P - y)
		b := &bins[min(int(x.P*10), 9)]
		b.n, b.p, b.y = b.n+1, b.p+x.P, b.y+y
	}
	n := float64(f.N)
	for _, b := range bins {
		f.ECE += math.Abs(b.p-b.y) / n
	}
	f.LogLoss, f.Mean, f.Brier = f.LogLoss/n, f.Mean/n, f.Brier/n
	f.AUC = auc(s)
	return f
}

// auc is the Mann-Whitney statistic over ranks, ties counted half.
func auc(s []Scored) float64 {
	s = slices.Clone(s)
	slices.SortFunc(s, func(a, b Scored) int { return cmp.Compare(a.P, b.P) })
	var ranks, right float64
	for i := 0; i < len(s); {
		j, hits := i, 0.0
		for ; j < len(s) && s[j].P == s[i].P; j++ {
			if s[j].Y {
				hits++
			}
		}
		ranks += hits * (float64(i+1) + float64(j)) / 2
		right += hits
		i = j
	}
	wrong := float64(len(s)) - right
	if right == 0 || wrong == 0 {
		return 0.5
	}
	return (ranks - right*(right+1)/2) / (right * wrong)
}
