package telemetry

import (
	"slices"
	"time"
)

// Sample is one question as it was answered. Shares are 0..1.
type Sample struct {
	At       time.Time
	Fallback bool // words alone answered
	Reason   string
	Hits     int
	Evidence float64 // share of the hits with evidence
	Paths    float64 // share with a relation path
	Valid    float64 // share that held at the time asked for
	Took     time.Duration
}

// Queries are the figures of a window of questions. Shares in per cent, times in milliseconds.
type Queries struct {
	Count     int64
	Fallbacks int64
	Fallback  float64 // share of Count
	Samples   int64   // questions with hits, which the next three are of
	Evidence  float64
	Paths     float64
	Valid     float64
	Average   float64
	P95       float64
	// Reason is why words alone answered, at the newest question; "" when they did not.
	Reason string
}

// Of sums up the samples that are not older than since, at most the newest most ones. They come newest first.
func Of(samples []Sample, since time.Time, most int) Queries {
	var q Queries
	var times []float64
	for _, s := range samples {
		if s.At.Before(since) || len(times) == most {
			continue
		}
		if len(times) == 0 && s.Fallback {
			q.Reason = s.Reason
		}
		times = append(times, float64(s.Took.Microseconds())/1000)
		q.Average += times[len(times)-1]
		if s.Fallback {
			q.Fallbacks++
		}
		if s.Hits > 0 {
			q.Samples++
			q.Evidence, q.Paths, q.Valid = q.Evidence+s.Evidence, q.Paths+s.Paths, q.Valid+s.Valid
		}
	}
	q.Count = int64(len(times))
	if q.Count == 0 {
		return q
	}
	slices.Sort(times)
	q.P95, q.Average = times[(95*len(times)+99)/100-1], q.Average/float64(q.Count)
	q.Fallback = 100 * float64(q.Fallbacks) / float64(q.Count)
	if n := float64(q.Samples); n > 0 {
		q.Evidence, q.Paths, q.Valid = 100*q.Evidence/n, 100*q.Paths/n, 100*q.Valid/n
	}
	return q
}
