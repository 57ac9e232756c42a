package path

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkMake reports the mean and the 99th percentile of a plan of twelve actions with all its reasons.
func BenchmarkMake(b *testing.B) {
	for _, n := range []int{400, 10_000, 100_000} {
		for _, s := range Strategies {
			b.Run(fmt.Sprintf("%s/%d", s, n), func(b *testing.B) {
				v := viewOf(n, rand.New(rand.NewPCG(1, uint64(n))))
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					Make(v, Request{Strategy: s, Context: Improving})
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			})
		}
	}
}
