package runbook

import (
	"cmp"
	"fmt"
	"slices"
)

// QueueItem is one thing to do, with what is known of its check.
type QueueItem struct {
	ID            string     `json:"queueId"`
	CheckID       string     `json:"checkId"`
	Latest        Status     `json:"checkLatestStatus"`
	Escalation    Escalation `json:"checkLatestEscalation"`
	Trend         Trend      `json:"checkTrendStatus"`
	RiskStreak    int        `json:"checkActiveRiskStreak"`
	FailStreak    int        `json:"checkActiveFailStreak"`
	Remedy        Remedy     `json:"remediationLatestStatus"` // "" when none
	RemedyTrend   Trend      `json:"remediationTrendStatus"`
	RemedyStreak  int        `json:"remediationActiveRiskStreak"`
	RemedyRiskPct float64    `json:"remediationRiskRatioPct"`
	Action
	score float64
	place int // among the actions of its check
}

const (
	actionsPerCheck = 3
	// MostQueued is how many items history/checks shows; its totals are of all.
	MostQueued = 24
)

// Queue lists what to do over all checks, the most urgent first. The order is total: no two items compare equal, so the
// same checks in any order give the same queue.
func Queue(checks []Watched, focus string) []QueueItem {
	checks = slices.Clone(checks)
	SortWatched(checks)
	var list []QueueItem
	type mark struct{ check, action, priority, category, instruction string }
	seen := map[mark]bool{}
	for i, w := range checks {
		e := escalate(w.ID, w.Latest, w.RiskStreak, w.FailStreak)
		actions := ActionsFor(w.situation(e, focus))
		for j, a := range actions[:min(len(actions), actionsPerCheck)] {
			m := mark{w.ID, a.ID, a.Priority, a.Category, a.Instruction}
			if seen[m] {
				continue
			}
			seen[m] = true
			list = append(list, QueueItem{
				ID: Cut(fmt.Sprintf("%s:%s:%d:%d", w.ID, a.ID, i+1, j+1), 96), CheckID: w.ID, Latest: w.Latest, Escalation: e, Trend: w.Trend, RiskStreak: w.RiskStreak, FailStreak: w.FailStreak,
				Remedy: w.Remedies.Latest, RemedyTrend: cmp.Or(w.Remedies.Trend, Insufficient), RemedyStreak: w.Remedies.RiskStreak, RemedyRiskPct: w.Remedies.RiskPct,
				Action: a, score: w.Remedies.score(), place: j,
			})
		}
	}
	slices.SortFunc(list, byQueue)
	return list
}

// SortWatched orders checks: what gets worse first.
func SortWatched(checks []Watched) { slices.SortFunc(checks, byUrgency) }

func (w *Watched) situation(e Escalation, focus string) Situation {
	return Situation{w.ID, w.Latest, e, w.RiskStreak, w.FailStreak, w.Trend, focus, TargetsOf(w.ID)}
}

// Actions lists what to do about the check.
func (w *Watched) Actions(focus string) []Action {
	return ActionsFor(w.situation(w.Escalation(), focus))
}

// Escalation says how urgent the check is.
func (w *Watched) Escalation() Escalation {
	return escalate(w.ID, w.Latest, w.RiskStreak, w.FailStreak)
}

// boost lifts what is wrong with the index within its priority: every question suffers from it.
func (q QueueItem) boost() int {
	if q.CheckID != IndexSync || !q.Latest.atRisk() {
		return 0
	}
	b := 210
	if q.Latest == Fail {
		b = 300
	}
	return b + 35*q.Escalation.rank()
}

func byQueue(a, b QueueItem) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(b.boost(), a.boost()), cmp.Compare(b.score, a.score), cmp.Compare(b.Escalation.rank(), a.Escalation.rank()),
		cmp.Compare(b.Trend.rank(), a.Trend.rank()), cmp.Compare(b.Latest.severity(), a.Latest.severity()), cmp.Compare(a.CheckID, b.CheckID), cmp.Compare(a.place, b.place))
}

// Filter chooses items of the queue; empty fields choose all.
type Filter struct {
	Priority, Category, CheckID string
	Remedy                      Remedy
	RemedyTrend                 Trend
}

// Known words of the filters.
var (
	Priorities = []string{"p0", "p1", "p2"}
	Categories = []string{"stabilize", "governance", "trend", "routing", "evidence", "verify", "monitor"}
	Trends     = []Trend{Improving, Stable, Regressing, Insufficient}
)

// Keep gives the items that a filter chooses, in their order.
func (f Filter) Keep(items []QueueItem) []QueueItem {
	out := []QueueItem{}
	for _, q := range items {
		if (f.Priority == "" || f.Priority == q.Priority) && (f.Category == "" || f.Category == q.Category) && (f.CheckID == "" || f.CheckID == q.CheckID) &&
			(f.Remedy == "" || f.Remedy == q.Remedy) && (f.RemedyTrend == "" || f.RemedyTrend == q.RemedyTrend) {
			out = append(out, q)
		}
	}
	return out
}

// OfChecks gives the items of the first so many checks in the list, in their order.
func OfChecks(items []QueueItem, most int) []QueueItem {
	seen, out := map[string]bool{}, []QueueItem{}
	for _, q := range items {
		if !seen[q.CheckID] && len(seen) == most {
			continue
		}
		seen[q.CheckID] = true
		out = append(out, q)
	}
	return out
}

// AtRisk tells whether attempts at the item's check do not help.
func (q QueueItem) AtRisk() bool { return q.Remedy.atRisk() || q.RemedyRiskPct >= 50 }
