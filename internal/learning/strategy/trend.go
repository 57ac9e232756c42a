package strategy

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Status of a strategy's trend; the values are the contract's.
type Status string

// The statuses.
const (
	Insufficient Status = "insufficient_data"
	Improving    Status = "improving"
	StableTrend  Status = "stable"
	Regressing   Status = "regressing"
)

// Window is what a trend says of one stretch of time.
type Window struct {
	SampleCount             int     `json:"sampleCount"`
	ExecutionCoveragePct    float64 `json:"executionCoveragePct"`
	AverageMasteryDeltaPct  float64 `json:"averageMasteryDeltaPct"`
	StandardDeviationPoints float64 `json:"standardDeviationPct"`
}

// TrendOf is the trend of one strategy: a description of it over time, never a comparison with another.
type TrendOf struct {
	Status     Status  `json:"status"`
	Score      float64 `json:"score"`      // -100..100
	Confidence float64 `json:"confidence"` // 0..1
	Reason     string  `json:"reason"`
	Delta      float64 `json:"averageMasteryDeltaDelta"` // percentage points
	SE         float64 `json:"standardError"`
	Freedom    float64 `json:"degreesOfFreedom"`
	Recent     Window  `json:"recent"`
	Previous   Window  `json:"previous"`
	// PValue is two-sided, for the control of false discovery when several trends are shown at a time.
	PValue float64 `json:"pValue"`
}

// sureEnough is the posterior probability from which a trend has a name, and rope the share of a deviation (with one
// point as the least) within which nothing has changed (region of practical equivalence, Kruschke).
const (
	sureEnough = 0.8
	rope       = 0.2
)

// Compare is the trend from the previous to the recent window. recentAll and previousAll count the sessions of all
// strategies; spread is the variance of such differences between persons, by which the score is shrunk (zero: not).
func Compare(recent, previous Moments, recentAll, previousAll int, spread float64) TrendOf {
	t := TrendOf{Status: Insufficient, PValue: 1, Recent: window(recent, recentAll), Previous: window(previous, previousAll)}
	n := min(recent.N, previous.N)
	t.Delta = recent.Mean() - previous.Mean()
	if n >= 2 {
		a, b := recent.Variance()/float64(recent.N), previous.Variance()/float64(previous.N)
		t.SE = math.Sqrt(a + b)
		if t.SE > 0 {
			// Welch–Satterthwaite.
			t.Freedom = (a + b) * (a + b) / (a*a/float64(recent.N-1) + b*b/float64(previous.N-1))
		}
	}
	if n < enoughPerArm || t.SE == 0 {
		t.Confidence = min(1, float64(n)/(2*enoughPerArm))
		t.Reason = fmt.Sprintf("samples:%d<%d", n, enoughPerArm)
		return t
	}
	base := math.Sqrt((recent.Variance() + previous.Variance()) / 2)
	delta := max(1, rope*base)
	post := distuv.StudentsT{Mu: t.Delta, Sigma: t.SE, Nu: t.Freedom}
	up, down := 1-post.CDF(delta), post.CDF(-delta)
	same := 1 - up - down
	t.PValue = 2 * distuv.StudentsT{Sigma: 1, Nu: t.Freedom}.CDF(-math.Abs(t.Delta)/t.SE)
	t.Confidence = max(up, down, same)
	shrunk := t.Delta
	if spread > 0 {
		shrunk *= spread / (spread + t.SE*t.SE)
	}
	t.Score = 100 * math.Tanh(shrunk/(2*base))
	switch {
	case up >= sureEnough:
		t.Status = Improving
	case down >= sureEnough:
		t.Status = Regressing
	case same >= sureEnough:
		t.Status = StableTrend
	}
	t.Reason = fmt.Sprintf("n=%d/%d:delta=%.3f:se=%.3f:df=%.1f:up=%.2f:down=%.2f", recent.N, previous.N, t.Delta, t.SE, t.Freedom, up, down)
	return t
}

func window(m Moments, all int) Window {
	return Window{m.N, 100 * ratio(m.N, all), m.Mean(), math.Sqrt(m.Variance())}
}

// Discoveries says which p values stand at a false discovery rate (Benjamini–Hochberg).
func Discoveries(p []float64, rate float64) []bool {
	out := make([]bool, len(p))
	limit := -1.0
	for _, x := range p {
		rank := 0
		for _, y := range p {
			if y <= x {
				rank++
			}
		}
		if x <= rate*float64(rank)/float64(len(p)) {
			limit = max(limit, x)
		}
	}
	for i, x := range p {
		out[i] = x <= limit
	}
	return out
}
