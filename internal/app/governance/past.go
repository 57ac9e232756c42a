package governance

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/governance/runbook"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

const (
	pastRecords   = 200  // of a check, the newest, that streaks and trends are read from
	usualSince    = 1440 // minutes
	longestSince  = 10080
	remedySamples = 100
)

// governanceTrace is what a verification keeps of the requests it looked at.
type governanceTrace struct {
	Returned      int     `json:"returnedRecords"`
	Errors        int     `json:"errorRequests"`
	ErrorRatio    float64 `json:"errorRatioPct"`
	Transient     float64 `json:"transientReturnedRatioPct"`
	Average       float64 `json:"averageDurationMs"`
	P95           float64 `json:"p95DurationMs"`
	PathPrefix    string  `json:"pathPrefix"`
	StatusAtLeast int     `json:"statusAtLeast"`
	Method        string  `json:"method"`
	ErrorCode     string  `json:"errorCode"`
}

// VerificationRecord is a verdict that was kept.
type VerificationRecord struct {
	ID         string          `json:"id"`
	RequestID  string          `json:"requestId"`
	VerifiedAt string          `json:"verifiedAt"`
	CheckID    string          `json:"checkId"`
	Status     runbook.Status  `json:"status"`
	Priority   int             `json:"priorityScore"`
	TopRiskID  string          `json:"topRiskCheckId"`
	TopRisk    runbook.Status  `json:"topRiskStatus"`
	Source     string          `json:"selectionSource"`
	Trace      governanceTrace `json:"traceSummary"`
}

// since is the moment so many minutes ago, at a whole minute, in µs and as the smallest id; zero for 0 minutes.
func (a *Governance) since(minutes int) (int64, string) {
	if minutes <= 0 {
		return 0, ""
	}
	from := a.Clock().Add(-time.Duration(minutes) * time.Minute).Truncate(time.Minute)
	return clock.Micros(from), core.IDAt(from)
}

// pastOf reads the newest verdicts on a check.
func (a *Governance) pastOf(ctx context.Context, userID, checkID, from string) (runbook.Past, error) {
	rows, err := a.Store.Verdicts(ctx, userID, checkID, from, pastRecords)
	records := make([]runbook.Verification, len(rows))
	for i, r := range rows {
		records[i] = runbook.Verification{At: clock.Text(clock.FromMicros(r.At)), Status: runbook.Status(r.Status), ErrorRatioPct: float64(r.Errors) / 1e6, P95Ms: float64(r.P95) / 1000}
	}
	return runbook.PastOf(records), err
}

// remediesOf reads the newest attempts to fix a check.
func (a *Governance) remediesOf(ctx context.Context, userID, checkID, from string, minutes int) (runbook.Remedies, error) {
	rows, err := a.Store.Attempts(ctx, userID, checkID, from, remedySamples)
	records := make([]runbook.RemedyRecord, len(rows))
	for i, r := range rows {
		records[i] = runbook.RemedyRecord{At: clock.Text(clock.FromMicros(r.At)), Status: runbook.Remedy(r.Status)}
	}
	m := runbook.RemediesOf(checkID, records)
	m.SinceMinutes = minutes
	return m, err
}

// watchedChecks are all checks that were verified since a time, with their past, the most urgent first; and the sums over
// all their records.
type watchedChecks struct {
	checks  []runbook.Watched
	total   int64 // records kept, of any time
	matched int64
	remedy  remedySums
	// remedied are the attempts at each check that some were told of, verified or not.
	remedied []runbook.Remedies
}

type remedySums struct {
	records  int64
	byStatus map[runbook.Remedy]int64
	byCheck  map[string]int64 // without those that name no check
}

// watch reads what is known of the checks whose id contains query and, if a status is given, whose newest verdict has it.
func (a *Governance) watch(ctx context.Context, userID string, minutes int, status, query string) (watchedChecks, error) {
	var w watchedChecks
	at, from := a.since(minutes)
	all, err := a.Store.GovernanceSums(ctx, schooldb.Verifications, userID, 0)
	if err != nil {
		return w, err
	}
	for _, s := range all {
		w.total += s.Records
	}
	sums := all
	if at > 0 {
		if sums, err = a.Store.GovernanceSums(ctx, schooldb.Verifications, userID, at); err != nil {
			return w, err
		}
	}
	type sum struct{ records, errors, p95, top int64 }
	byCheck := map[string]sum{}
	for _, s := range sums {
		if s.CheckID == "" || !strings.Contains(s.CheckID, query) {
			continue
		}
		c := byCheck[s.CheckID]
		byCheck[s.CheckID] = sum{c.records + s.Records, c.errors + s.Errors, c.p95 + s.P95, c.top + s.TopRisk}
	}
	for id, s := range byCheck {
		past, err := a.pastOf(ctx, userID, id, from)
		if err != nil {
			return w, err
		}
		if past.Records == 0 || status != "" && string(past.Latest) != status {
			continue
		}
		n := float64(s.records)
		past.Records, past.AverageErrors, past.AverageP95 = int(s.records), float64(s.errors)/1e6/n, float64(s.p95)/1000/n
		x := runbook.Watched{ID: id, Past: past, TopRiskPct: core.Percent(s.top, s.records)}
		if x.Remedies, err = a.remediesOf(ctx, userID, id, from, minutes); err != nil {
			return w, err
		}
		w.matched += s.records
		w.checks = append(w.checks, x)
	}
	runbook.SortWatched(w.checks)
	if w.remedy, err = a.remedySums(ctx, userID, at); err != nil {
		return w, err
	}
	for _, id := range slices.Sorted(maps.Keys(w.remedy.byCheck)) {
		if !strings.Contains(id, query) {
			continue
		}
		m, err := a.remediesOf(ctx, userID, id, from, minutes)
		if err != nil {
			return w, err
		}
		w.remedied = append(w.remedied, m)
	}
	return w, nil
}

func (a *Governance) remedySums(ctx context.Context, userID string, from int64) (remedySums, error) {
	out := remedySums{byStatus: map[runbook.Remedy]int64{}, byCheck: map[string]int64{}}
	for _, r := range runbook.RemedyStatuses {
		out.byStatus[r] = 0
	}
	sums, err := a.Store.GovernanceSums(ctx, schooldb.Remediations, userID, from)
	for _, s := range sums {
		out.records += s.Records
		out.byStatus[runbook.Remedy(s.Status)] += s.Records
		if s.CheckID != "" {
			out.byCheck[s.CheckID] += s.Records
		}
	}
	return out, err
}

func (r remedySums) pct(statuses ...runbook.Remedy) float64 {
	var n int64
	for _, s := range statuses {
		n += r.byStatus[s]
	}
	return core.Percent(n, r.records)
}

func verificationOf(r schooldb.GovernanceRecord) (v VerificationRecord, err error) {
	err = json.Unmarshal(r.Record, &v)
	return v, err
}
