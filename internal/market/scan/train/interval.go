package train

import (
	"math"
	"math/rand/v2"
	"slices"
)

// wilson returns the 95 % interval of a share of n that was seen hits times, as if the texts were independent.
func wilson(hits, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.96
	p, m := float64(hits)/float64(n), float64(n)
	mid := (p + z*z/2/m) / (1 + z*z/m)
	half := z * math.Sqrt(p*(1-p)/m+z*z/4/m/m) / (1 + z*z/m)
	return max(0, mid-half), min(1, mid+half)
}

// Cluster counts the hits among the texts of one publisher.
type Cluster struct{ Hits, Texts int }

// Drawn returns the 5 % and the 95 % quantile of a share when publishers are drawn with replacement: texts of one
// publisher are alike, so this interval is wider and truer than that of independent texts.
func Drawn(clusters []Cluster, seed uint64) (low, high float64) {
	total := Cluster{}
	for _, c := range clusters {
		total.Hits, total.Texts = total.Hits+c.Hits, total.Texts+c.Texts
	}
	if len(clusters) < 5 {
		return wilson(total.Hits, total.Texts)
	}
	random := rand.New(rand.NewPCG(seed, 7))
	shares := make([]float64, 0, 1000)
	for range cap(shares) {
		sum := Cluster{}
		for range clusters {
			c := clusters[random.IntN(len(clusters))]
			sum.Hits, sum.Texts = sum.Hits+c.Hits, sum.Texts+c.Texts
		}
		if sum.Texts > 0 {
			shares = append(shares, float64(sum.Hits)/float64(sum.Texts))
		}
	}
	slices.Sort(shares)
	return shares[len(shares)/20], shares[len(shares)*19/20]
}
