package runbook

import "strings"

// Remedy is what became of an attempt to fix something.
type Remedy string

// The five ends of an attempt.
const (
	Applied    Remedy = "applied"
	NotApplied Remedy = "not_applied"
	Cooldown   Remedy = "cooldown"
	Error      Remedy = "error"
	Ignored    Remedy = "ignored"
)

// RemedyStatuses are the five ends.
var RemedyStatuses = []Remedy{Applied, NotApplied, Cooldown, Error, Ignored}

// NormalRemedy brings what a client calls the end of an attempt into one of the five (field facts 4.6). What nobody
// knows was not applied; failed and success are what they say, which the earlier implementation did not see.
func NormalRemedy(text string) Remedy {
	word := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(text)))
	if strings.HasPrefix(word, "cooldown_active") {
		return Cooldown
	}
	switch word {
	case "applied", "success", "succeeded":
		return Applied
	case "cooldown", "cooldown_skipped", "skipped_cooldown":
		return Cooldown
	case "error", "auto_focus_error", "failed", "failure":
		return Error
	case "ignored", "below_threshold", "below_threshold_streak", "not_triggered":
		return Ignored
	}
	return NotApplied
}

func (r Remedy) severity() float64 {
	switch r {
	case Error:
		return 4
	case Cooldown:
		return 3
	case Ignored:
		return 2
	case Applied:
		return 1
	}
	return 2.5
}

// atRisk tells whether an attempt did not help.
func (r Remedy) atRisk() bool { return r == Error || r == Cooldown || r == NotApplied }

// RemedyRecord is one attempt.
type RemedyRecord struct {
	At     string
	Status Remedy
}

// Remedies is what past attempts at one check come to. Percentages are of the records looked at.
type Remedies struct {
	CheckID        string         `json:"checkId"`
	SinceMinutes   int            `json:"sinceMinutes"`
	Source         string         `json:"source"`
	Total          int64          `json:"totalRecords"`
	Matched        int            `json:"matchedRecords"`
	Returned       int            `json:"returnedRecords"`
	LatestAt       string         `json:"latestRecordedAt"`
	Latest         Remedy         `json:"latestStatus"` // "" without records
	LatestApplied  bool           `json:"latestApplied"`
	Counts         map[Remedy]int `json:"statusCounts"`
	AppliedPct     float64        `json:"appliedRatioPct"`
	CooldownPct    float64        `json:"cooldownRatioPct"`
	ErrorPct       float64        `json:"errorRatioPct"`
	RiskPct        float64        `json:"riskRatioPct"`
	RiskStreak     int            `json:"activeRiskStreak"`
	CooldownStreak int            `json:"activeCooldownStreak"`
	ErrorStreak    int            `json:"activeErrorStreak"`
	AppliedStreak  int            `json:"activeAppliedStreak"`
	Trend          Trend          `json:"trendStatus"`
	Window         int            `json:"trendWindowSize"`
	Recent         float64        `json:"recentAverageSeverity"`
	Previous       float64        `json:"previousAverageSeverity"`
	Delta          float64        `json:"severityDelta"`
}

// RemediesOf sums up attempts, the newest first (field facts 4.6).
func RemediesOf(checkID string, records []RemedyRecord) Remedies {
	m := Remedies{CheckID: checkID, Total: int64(len(records)), Matched: len(records), Returned: len(records), Counts: remedyCounts(records), Trend: Insufficient}
	n := len(records)
	if n == 0 {
		return m
	}
	m.LatestAt, m.Latest, m.LatestApplied = records[0].At, records[0].Status, records[0].Status == Applied
	m.AppliedPct, m.CooldownPct, m.ErrorPct = ratio(m.Counts[Applied], n), ratio(m.Counts[Cooldown], n), ratio(m.Counts[Error], n)
	m.RiskPct = ratio(m.Counts[NotApplied]+m.Counts[Cooldown]+m.Counts[Error], n)
	lead := func(want Remedy) int { return streak(records, func(r RemedyRecord) bool { return r.Status == want }) }
	m.RiskStreak = streak(records, func(r RemedyRecord) bool { return r.Status.atRisk() })
	m.CooldownStreak, m.ErrorStreak, m.AppliedStreak = lead(Cooldown), lead(Error), lead(Applied)
	if n < trendLeast {
		return m
	}
	m.Window = max(2, n/2)
	recent, previous := records[:m.Window], records[m.Window:min(2*m.Window, n)]
	m.Recent, m.Previous = remedySeverity(recent), remedySeverity(previous)
	m.Delta = round(m.Recent - m.Previous)
	m.Recent, m.Previous = round(m.Recent), round(m.Previous)
	a, b := remedyCounts(recent), remedyCounts(previous)
	delta := func(r Remedy) float64 { return ratio(a[r], len(recent)) - ratio(b[r], len(previous)) }
	switch {
	case m.Delta <= -.15 || delta(Applied) >= 15:
		m.Trend = Improving
	case m.Delta >= .15 || delta(Error) >= 10 || delta(Cooldown) >= 10:
		m.Trend = Regressing
	case delta(Error) <= -10 && delta(Cooldown) <= -10:
		m.Trend = Improving
	default:
		m.Trend = Stable
	}
	return m
}

func remedyCounts(records []RemedyRecord) map[Remedy]int {
	counts := map[Remedy]int{}
	for _, r := range RemedyStatuses {
		counts[r] = 0
	}
	for _, r := range records {
		counts[r.Status]++
	}
	return counts
}

func remedySeverity(records []RemedyRecord) float64 {
	sum := 0.0
	for _, r := range records {
		sum += r.Status.severity()
	}
	return sum / float64(max(1, len(records)))
}

// score orders queue items by how badly attempts at their check went.
func (m *Remedies) score() float64 {
	rank := map[Remedy]float64{Error: 5, Cooldown: 4, NotApplied: 3, Ignored: 2, Applied: 1}[m.Latest]
	return rank*100 + float64(m.Trend.rank())*25 + float64(min(12, m.RiskStreak))*6 + m.RiskPct/2
}
