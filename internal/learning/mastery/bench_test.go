package mastery_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/learning/mastery"
)

func observations(n int) []mastery.Observation {
	log := make([]mastery.Observation, n)
	for i := range log {
		log[i] = mastery.Observation{
			AtomID: fmt.Sprint("atom ", i*7%400), ItemID: fmt.Sprint("item ", i*11%2000), Outcome: outcomes[i*i%3],
			At: time.Unix(1.7e9+int64(i)*1800, 0), ResponseTime: time.Duration(5+i%7) * time.Second,
		}
	}
	return log
}

// What a rebuild pays for each line of the log.
func BenchmarkLearn(b *testing.B) {
	log := observations(20000)
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Learn(p, l, log[i%len(log)])
	}
}

// What an answer costs with the estimates before and after.
func BenchmarkObserve(b *testing.B) {
	log := observations(20000)
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Observe(p, l, log[i%len(log)])
	}
}

// What a plan pays for each atom it looks at.
func BenchmarkEstimate(b *testing.B) {
	log := observations(20000)
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	for _, o := range log {
		e.Learn(p, l, o)
	}
	now := log[len(log)-1].At.Add(48 * time.Hour)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Estimate(p, l, log[i%400].AtomID, now, 30*24*time.Hour)
	}
}

// What a row costs to write and read.
func BenchmarkRows(b *testing.B) {
	p, l, e := mastery.NewPopulation(), mastery.NewLearner(), mastery.NewEngine(0)
	for _, o := range observations(20000) {
		e.Learn(p, l, o)
	}
	atom := l.Atoms["atom 7"]
	for name, encode := range map[string]func() []byte{
		"core": func() []byte { return mastery.EncodeCore(p.Core) }, "person": l.Person.Encode, "atom": atom.Encode,
	} {
		b.Run(name, func(b *testing.B) {
			n := 0
			for b.Loop() {
				n = len(encode())
			}
			b.ReportMetric(float64(n), "bytes")
		})
	}
}
