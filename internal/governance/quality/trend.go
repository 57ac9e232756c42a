package quality

import (
	"fmt"
	"math"
)

// Status says whether something gets better.
type Status string

// The verdicts.
const (
	Improving    Status = "improving"
	Stable       Status = "stable"
	Regressing   Status = "regressing"
	Insufficient Status = "insufficient_data"
)

// Window is the mean over some snapshots.
type Window struct {
	RetestPass    float64 `json:"retestPassRatePct"`
	Recurrence    float64 `json:"misconceptionRecurrenceRatePct"`
	Evidence      float64 `json:"evidenceBackedSuggestionRatioPct"`
	PathGain      float64 `json:"averagePathMasteryGainPct"`
	RandomGain    float64 `json:"randomPathMasteryGainPct"`
	Coverage      float64 `json:"pathStrategyExecutionCoveragePct"`
	StrategyDelta float64 `json:"pathStrategyAverageMasteryDeltaPct"`
	QueryEvidence float64 `json:"queryEvidenceCoverageRatioPct"`
	QueryPaths    float64 `json:"queryRelationPathCoverageRatioPct"`
	QueryValid    float64 `json:"queryTemporalValidityPassRatioPct"`
	Pending       float64 `json:"pendingVerificationRatioPct"`
	Fallback      float64 `json:"queryBackendFallbackRatioPct"`
	Promotion     float64 `json:"sessionMemoryPromotionCoveragePct"`
}

// TrendDeltas is how the recent window differs from the one before.
type TrendDeltas struct {
	RetestPass    float64 `json:"retestPassRateDeltaPct"`
	Evidence      float64 `json:"evidenceBackedSuggestionDeltaPct"`
	Recurrence    float64 `json:"misconceptionRecurrenceDeltaPct"`
	Pending       float64 `json:"pendingVerificationDeltaPct"`
	Fallback      float64 `json:"queryBackendFallbackDeltaPct"`
	Coverage      float64 `json:"pathStrategyExecutionCoverageDeltaPct"`
	StrategyDelta float64 `json:"pathStrategyAverageMasteryDeltaDeltaPct"`
}

// Trend is the verdict on a series of snapshots.
type Trend struct {
	Status           Status
	Score            float64 // of the recent window, 0..1
	Confidence       float64 // 0..1
	Reason           string
	Recent, Previous Window
	Deltas           TrendDeltas
}

// windowOf is the mean over snapshots.
func windowOf(snapshots []Snapshot) Window {
	var w Window
	n := float64(max(1, len(snapshots)))
	pairs := func(s Snapshot) [][2]*float64 {
		return [][2]*float64{
			{&w.RetestPass, &s.RetestPass},
			{&w.Recurrence, &s.Recurrence},
			{&w.Evidence, &s.Evidence},
			{&w.PathGain, &s.PathGain},
			{&w.RandomGain, &s.RandomGain},
			{&w.Coverage, &s.Coverage},
			{&w.StrategyDelta, &s.StrategyDelta},
			{&w.QueryEvidence, &s.QueryEvidence},
			{&w.QueryPaths, &s.QueryPaths},
			{&w.QueryValid, &s.QueryValid},
			{&w.Pending, &s.Pending},
			{&w.Fallback, &s.Fallback},
			{&w.Promotion, &s.Promotion},
		}
	}
	for _, s := range snapshots {
		for _, p := range pairs(s) {
			*p[0] += *p[1] / n
		}
	}
	for _, p := range pairs(Snapshot{}) {
		*p[0] = Round(*p[0], 4)
	}
	return w
}

// TrendOf compares the newest snapshots with those before, the newest first. The two windows describe; whether there is a
// change is decided by the chart, since a handful of snapshots differs by chance nearly every time it is looked at.
func TrendOf(snapshots []Snapshot, window, least int, chart Chart) Trend {
	recent := snapshots[:min(window, len(snapshots))]
	previous := snapshots[len(recent):min(2*window, len(snapshots))]
	t := Trend{Status: Insufficient, Recent: windowOf(recent), Previous: windowOf(previous)}
	r, p := t.Recent, t.Previous
	if len(recent) > 0 {
		t.Score = Round(Snapshot{RetestPass: r.RetestPass, Evidence: r.Evidence, Recurrence: r.Recurrence, Fallback: r.Fallback}.score(), 6)
	}
	if few := min(len(recent), len(previous)); few < least {
		t.Confidence = Round(clamp(float64(len(snapshots))/float64(2*least), 0, 1), 6)
		t.Reason = fmt.Sprintf("insufficient_data: %d and %d of %d snapshots", len(recent), len(previous), least)
		return t
	}
	d := func(a, b float64) float64 { return Round(a-b, 4) }
	t.Deltas = TrendDeltas{
		d(r.RetestPass, p.RetestPass), d(r.Evidence, p.Evidence), d(r.Recurrence, p.Recurrence), d(r.Pending, p.Pending), d(r.Fallback, p.Fallback), d(r.Coverage, p.Coverage),
		d(r.StrategyDelta, p.StrategyDelta),
	}
	t.Status = Stable
	switch {
	case chart.Fallen:
		t.Status = Regressing
	case chart.Risen:
		t.Status = Improving
	}
	t.Confidence = chart.confidence()
	t.Reason = fmt.Sprintf("%s: evidence for a fall %.2f and for a rise %.2f of %.1f, after %d values with mean %.3f and spread %.3f", t.Status, chart.Down, chart.Up, limit, chart.Taken, chart.Mean(), chart.spread())
	return t
}

// Direction is the verdict on a series of figures in 0..1 that carry no noise of their own, the newest first: whether the
// mean of the newest window differs from that of the one before by at least so much. The score is the newest mean.
func Direction(figures []float64, window, least int, moved float64) (status Status, score, confidence float64) {
	recent := figures[:min(window, len(figures))]
	previous := figures[len(recent):min(2*window, len(figures))]
	mean := func(list []float64) (m float64) {
		for _, x := range list {
			m += x / float64(len(list))
		}
		return m
	}
	score = Round(mean(recent), 6)
	few := min(len(recent), len(previous))
	confidence = Round(min(1, float64(few)/float64(2*max(least, 1))), 6)
	if few < least {
		return Insufficient, score, confidence
	}
	switch d := Round(score-mean(previous), 6); {
	case d >= moved:
		return Improving, score, confidence
	case d <= -moved:
		return Regressing, score, confidence
	}
	return Stable, score, confidence
}

// Outcome is what one session brought.
type Outcome struct {
	Strategy string
	Delta    float64 // of mastery, -1..1
}

// StrategyWindow is what the sessions of a strategy brought in one window.
type StrategyWindow struct {
	Samples  int     `json:"sampleCount"`
	Coverage float64 `json:"executionCoveragePct"` // of all sessions of the window
	Delta    float64 `json:"averageMasteryDeltaPct"`
}

// StrategyTrend says whether a strategy gets better.
type StrategyTrend struct {
	Strategy         string
	Status           Status
	Score            float64
	Confidence       float64
	Reason           string
	Recent, Previous StrategyWindow
	CoverageDelta    float64
	DeltaDelta       float64
}

// relevant is the least difference that matters, in points of mastery.
const relevant = 2

// sure is the probability from which on a difference is believed.
const sure = .99

// Breakdown says of each strategy whether what it brings has changed between two windows of sessions. The difference is
// believed when it is relevant and Welch's test is sure of it; a window has to hold at least so many of its sessions.
func Breakdown(strategies []string, recent, previous []Outcome, least int) []StrategyTrend {
	out := []StrategyTrend{}
	for _, name := range strategies {
		a, b := momentsOf(name, recent), momentsOf(name, previous)
		if a.n+b.n == 0 {
			continue
		}
		t := StrategyTrend{Strategy: name, Status: Insufficient, Recent: a.window(len(recent)), Previous: b.window(len(previous))}
		t.CoverageDelta, t.DeltaDelta = Round(t.Recent.Coverage-t.Previous.Coverage, 4), Round(t.Recent.Delta-t.Previous.Delta, 4)
		t.Score = Round(clamp(.6*clamp((t.Recent.Delta+10)/20, 0, 1)+.25*a.positive()+.15*t.Recent.Coverage/100, 0, 1), 6)
		least := max(least, 2) // two values are the fewest that have a spread
		few := min(a.n, b.n)
		if few < least {
			t.Confidence = Round(clamp(float64(few)/float64(2*least), 0, 1), 6)
			t.Reason = fmt.Sprintf("insufficient_data: %d and %d of %d sessions", a.n, b.n, least)
			out = append(out, t)
			continue
		}
		p := certainty(a, b)
		t.Status, t.Confidence = Stable, Round(p*min(1, float64(few)/float64(2*least)), 6)
		switch {
		case p >= sure && t.DeltaDelta >= relevant && t.Recent.Delta >= 0:
			t.Status = Improving
		case p >= sure && t.DeltaDelta <= -relevant:
			t.Status = Regressing
		}
		t.Reason = fmt.Sprintf("%s: %+.4g points between %d and %d sessions, certainty %.3f", t.Status, t.DeltaDelta, a.n, b.n, p)
		out = append(out, t)
	}
	return out
}

type moments struct {
	n, better int
	mean, m2  float64
}

func momentsOf(strategy string, sessions []Outcome) moments {
	var m moments
	for _, s := range sessions {
		if s.Strategy != strategy {
			continue
		}
		m.n++
		if s.Delta > 0 {
			m.better++
		}
		d := s.Delta - m.mean
		m.mean += d / float64(m.n)
		m.m2 += d * (s.Delta - m.mean)
	}
	return m
}

func (m moments) window(all int) StrategyWindow {
	return StrategyWindow{m.n, Round(100*float64(m.n)/float64(max(1, all)), 4), Round(100*m.mean, 4)}
}

func (m moments) positive() float64 { return float64(m.better) / float64(max(1, m.n)) }

// certainty is one minus the probability of a difference as large as this by chance (Welch's test).
func certainty(a, b moments) float64 {
	const floor = 1e-6 // of a variance: sessions that all bring the same
	va, vb := (a.m2/float64(a.n-1)+floor)/float64(a.n), (b.m2/float64(b.n-1)+floor)/float64(b.n)
	freedom := (va + vb) * (va + vb) / (va*va/float64(a.n-1) + vb*vb/float64(b.n-1))
	u := normal(math.Abs(a.mean-b.mean)/math.Sqrt(va+vb), freedom)
	return math.Erf(u / math.Sqrt2)
}
