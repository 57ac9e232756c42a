package runbook

import "cmp"

// Trend says whether a series gets better.
type Trend string

// The trends.
const (
	Improving    Trend = "improving"
	Stable       Trend = "stable"
	Regressing   Trend = "regressing"
	Insufficient Trend = insufficientData
)

// rank orders trends by urgency.
func (t Trend) rank() int {
	switch t {
	case Regressing:
		return 4
	case Stable:
		return 3
	case Improving:
		return 2
	}
	return 1
}

// severity of a verdict, 1..3.
func (s Status) severity() float64 {
	switch s {
	case Fail:
		return 3
	case Pass:
		return 1
	}
	return 2
}

// Verification is a past verdict on a check.
type Verification struct {
	At            string // as it is shown
	Status        Status
	ErrorRatioPct float64 // of the requests looked at
	P95Ms         float64
}

// trendLeast is how many records a trend needs.
const trendLeast = 4

// Past is what past verdicts on one check come to.
type Past struct {
	Records        int
	LatestAt       string
	Latest         Status // Unknown without records
	RiskStreak     int    // newest records in a row that warn or fail
	FailStreak     int    // newest records in a row that fail
	Trend          Trend
	Window         int // records in each window of the trend
	Recent         Window
	Previous       Window
	SeverityDelta  float64
	ErrorDeltaPct  float64
	P95DeltaMs     float64
	AverageErrors  float64
	AverageP95     float64
	CountsByStatus map[Status]int
}

// Window is the mean over some records.
type Window struct{ Severity, ErrorRatioPct, P95Ms float64 }

func windowOf(records []Verification) Window {
	var w Window
	n := float64(max(1, len(records)))
	for _, r := range records {
		w.Severity += r.Status.severity() / n
		w.ErrorRatioPct += r.ErrorRatioPct / n
		w.P95Ms += r.P95Ms / n
	}
	return w
}

// PastOf sums up records, the newest first (field facts 4.7).
func PastOf(records []Verification) Past {
	p := Past{Records: len(records), Latest: Unknown, Trend: Insufficient, CountsByStatus: map[Status]int{Pass: 0, Warn: 0, Fail: 0, Unknown: 0}}
	if len(records) == 0 {
		return p
	}
	p.LatestAt, p.Latest = records[0].At, records[0].Status
	p.RiskStreak = streak(records, func(r Verification) bool { return r.Status.atRisk() })
	p.FailStreak = streak(records, func(r Verification) bool { return r.Status == Fail })
	for _, r := range records {
		p.CountsByStatus[r.Status]++
	}
	all := windowOf(records)
	p.AverageErrors, p.AverageP95 = all.ErrorRatioPct, all.P95Ms
	if len(records) < trendLeast {
		return p
	}
	p.Window = max(2, len(records)/2)
	p.Recent, p.Previous = windowOf(records[:p.Window]), windowOf(records[p.Window:min(2*p.Window, len(records))])
	p.SeverityDelta, p.ErrorDeltaPct, p.P95DeltaMs = p.Recent.Severity-p.Previous.Severity, p.Recent.ErrorRatioPct-p.Previous.ErrorRatioPct, p.Recent.P95Ms-p.Previous.P95Ms
	const slack = 1e-9 // of floating point
	switch {
	case p.SeverityDelta <= -.1+slack:
		p.Trend = Improving
	case p.SeverityDelta >= .1-slack:
		p.Trend = Regressing
	case p.ErrorDeltaPct <= -2+slack || p.P95DeltaMs <= -50+slack:
		p.Trend = Improving
	case p.ErrorDeltaPct >= 2-slack || p.P95DeltaMs >= 50-slack:
		p.Trend = Regressing
	default:
		p.Trend = Stable
	}
	return p
}

func streak[T any](records []T, is func(T) bool) int {
	n := 0
	for n < len(records) && is(records[n]) {
		n++
	}
	return n
}

// Alignment is what past verdicts on one of the two alignment checks come to.
type Alignment struct {
	Records    int    `json:"records"`
	Latest     Status `json:"latestStatus"`
	Conflicts  int    `json:"conflictStreak"`
	Fails      int    `json:"failStreak"`
	Persistent bool   `json:"conflictPersistent"`
	FocusID    string `json:"recommendedFocusCheckId"`
	Reason     string `json:"recommendedFocusReason"`
}

// Reasons of a focus.
const (
	ReasonDynamicMode = "dynamic_mode_alignment_conflict_streak"
	ReasonStrategy    = "path_strategy_alignment_conflict_streak"
	ReasonRegressing  = "regressing_trend"
	ReasonFailure     = "latest_failure_risk"
	ReasonLatest      = "latest_activity"
	ReasonNone        = "none"
)

// persistentStreak is how many conflicts in a row make a conflict persistent (focus rules 1 and 2).
const persistentStreak = 2

// AlignmentOf says whether a conflict persists, and then that it is what to look at.
func AlignmentOf(checkID string, p Past) Alignment {
	a := Alignment{Records: p.Records, Latest: p.Latest, Conflicts: p.RiskStreak, Fails: p.FailStreak, Reason: ReasonNone}
	if p.RiskStreak >= persistentStreak && p.Latest.atRisk() {
		a.Persistent, a.FocusID = true, checkID
		for _, o := range overrides {
			if o.checkID == checkID {
				a.Reason = o.reason
			}
		}
	}
	return a
}

// overrides are the checks that come first once their conflict persists, in this order: the contract says of the first
// that it is the focus and of the second that it can be.
var overrides = []struct{ checkID, reason string }{{DynamicMode, ReasonDynamicMode}, {StrategyAlign, ReasonStrategy}}

// Watched is a check with its past.
type Watched struct {
	ID string
	Past
	TopRiskPct float64
	Remedies   Remedies
}

// byUrgency orders checks: what gets worse first. The order is total.
func byUrgency(a, b Watched) int {
	return cmp.Or(cmp.Compare(b.Trend.rank(), a.Trend.rank()), cmp.Compare(b.Latest.severity(), a.Latest.severity()), cmp.Compare(b.Records, a.Records),
		cmp.Compare(b.AverageErrors, a.AverageErrors), cmp.Compare(a.ID, b.ID))
}

// Focus is the check to look at first.
type Focus struct {
	ID     string
	Reason string
	Latest Status
	Trend  Trend
}

// FocusOf chooses what to look at first among checks in the order of SortWatched (field facts 4.7). The contract's focus
// rules 1 and 2 come before all else and look at every check, the others at the first so many.
func FocusOf(checks []Watched, most int) Focus {
	for _, o := range overrides {
		for i := range checks {
			if w := &checks[i]; w.ID == o.checkID && AlignmentOf(w.ID, w.Past).Persistent {
				return Focus{w.ID, o.reason, w.Latest, w.Trend}
			}
		}
	}
	for _, rule := range []struct {
		reason string
		is     func(Watched) bool
	}{
		{ReasonRegressing, func(w Watched) bool { return w.Trend == Regressing && w.Latest.atRisk() }},
		{ReasonRegressing, func(w Watched) bool { return w.Trend == Regressing }},
		{ReasonFailure, func(w Watched) bool { return w.Latest.atRisk() }},
		{ReasonLatest, func(Watched) bool { return true }},
	} {
		for _, w := range checks[:min(most, len(checks))] {
			if rule.is(w) {
				return Focus{w.ID, rule.reason, w.Latest, w.Trend}
			}
		}
	}
	return Focus{"", ReasonNone, Unknown, Insufficient}
}
