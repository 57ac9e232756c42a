package school

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/learner"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/governance/quality"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// QualityDiagnostics say what a snapshot was taken from.
type QualityDiagnostics struct {
	States         int   `json:"learnerStates"`
	Reviews        int   `json:"totalReviews"`
	Misconceptions int   `json:"misconceptionEvents"`
	EvidenceTraces int   `json:"evidenceBackedTutorTraces"`
	Traces         int   `json:"totalTutorTraces"`
	WindowRecords  int64 `json:"historyWindowRecords"`
	WindowRetests  int64 `json:"historyWindowRetestRecords"`
	Executions     int64 `json:"totalSessionExecutions"`
	Strategies     int64 `json:"pathStrategyExecutionRecords"`

	MemoryEntries int64   `json:"memoryPolicyTotalEntries"`
	MemoryHealth  float64 `json:"memoryPolicyHealthScore"` // 0..1
}

// QualityRecord is a snapshot that was kept.
type QualityRecord struct {
	ID          string             `json:"recordId"`
	UserID      string             `json:"userId"`
	SampledAt   string             `json:"sampledAt"`
	Source      string             `json:"source"`
	ExecutionID string             `json:"executionRecordId"`
	Kind        string             `json:"executionKind"`
	Snapshot    quality.Snapshot   `json:"snapshot"`
	Diagnostics QualityDiagnostics `json:"diagnostics"`
}

// An entry of memory is stale after memoryStale without use, and unsure below the confidence memorySure.
const (
	MemoryStale = 90 * 24 * time.Hour
	MemorySure  = .5
)

const (
	usualQualityWindow = 14 // days
	qualityPlans       = 5  // judged plans that say what paths bring
	fromSession        = "session_execution"
	// FromHand is the source of a snapshot that somebody asked for.
	FromHand = "manual_snapshot"
)

// Charted is the chart of a learner with the answers that it has processed.
type Charted struct {
	quality.Chart
	Reviews int     `json:"reviews"`
	Right   float64 `json:"right"` // a partial answer counts half
}

// answered sums up answers: how many, and how many of them right.
type answeredSum struct {
	reviews, states, repeated, errors int
	right                             float64
}

// sumOf adds up what a learner answered. A tag that comes up again for the same atom is an error that came back.
func sumOf(tallies iter.Seq2[string, *learner.AtomState]) answeredSum {
	var s answeredSum
	for _, a := range tallies {
		n := a.Attempts()
		if n == 0 && len(a.Recent) == 0 {
			continue
		}
		s.states++
		s.reviews += n
		s.right += float64(a.Correct) + .5*float64(a.Partial)
		s.errors += len(a.Recent)
		for i, tag := range a.Recent {
			if slices.Contains(a.Recent[:i], tag) {
				s.repeated++
			}
		}
	}
	return s
}

// withTouched gives every atom of which something is known after the observations.
func withTouched(known *learner.Snapshot, touched map[string]*learner.AtomState) iter.Seq2[string, *learner.AtomState] {
	return func(yield func(string, *learner.AtomState) bool) {
		for id, a := range touched {
			if !yield(id, a) {
				return
			}
		}
		for id, a := range known.Each {
			if touched[id] == nil && !yield(id, a) {
				return
			}
		}
	}
}

// capture takes a snapshot of the quality of a learner's learning. It reads a bounded number of rows, however long the
// history is.
func (a *School) capture(ctx context.Context, q store.Queries, userID string, answers answeredSum, days int, at time.Time) (quality.Snapshot, QualityDiagnostics, error) {
	d := QualityDiagnostics{States: answers.states, Reviews: answers.reviews, Misconceptions: answers.errors}
	s := quality.Snapshot{WindowDays: days}
	s.RetestPass = 100 * answers.right / float64(max(1, answers.reviews))
	s.Recurrence = 100 * float64(answers.repeated) / float64(max(1, answers.errors))
	from, to := clock.Micros(at.AddDate(0, 0, -days)), clock.Micros(at)+1
	rows, err := q.TutorTraces(ctx, userID, "", tutors.QualityTraces)
	if err != nil {
		return s, d, err
	}
	pending, persisted := 0, int64(0)
	for _, r := range rows {
		var t tutors.TutorTrace
		if r.CreatedAt < from || r.CreatedAt >= to {
			continue
		}
		if err := json.Unmarshal(r.Trace, &t); err != nil {
			return s, d, err
		}
		d.Traces++
		if len(t.Evidence) > 0 {
			d.EvidenceTraces++
		}
		if t.Verification == tutors.Unverified {
			pending++
		}
	}
	s.Evidence, s.Pending = core.Percent(int64(d.EvidenceTraces), int64(d.Traces)), core.Percent(int64(pending), int64(d.Traces))
	sums, err := q.StudySums(ctx, schooldb.StudyFilter{UserID: userID, From: from, To: to})
	if err != nil {
		return s, d, err
	}
	var all, strategies, retests schooldb.StudySum
	for _, x := range sums {
		all = all.Plus(x)
		if path.Strategy(x.Strategy).Valid() {
			strategies = strategies.Plus(x)
		}
		if x.Kind == "retest" {
			retests = retests.Plus(x)
		}
		persisted += x.Promoted
	}
	d.WindowRecords, d.WindowRetests, d.Executions, d.Strategies = all.Sessions, retests.Sessions, all.Sessions, strategies.Sessions
	s.WindowRecords, s.WindowDelta, s.RetestPositive = all.Sessions, core.Mean(all.Delta, all.Sessions), core.Percent(retests.Positive, retests.Sessions)
	s.Coverage, s.StrategyDelta = core.Percent(strategies.Sessions, all.Sessions), 100*core.Mean(strategies.Delta, strategies.Sessions)
	s.Promotion = core.Percent(persisted, all.Actions)
	memory, err := q.MemoryHealth(ctx, userID, clock.Micros(at), clock.Micros(at.Add(-MemoryStale)), MemorySure)
	if err != nil {
		return s, d, err
	}
	d.MemoryEntries, d.MemoryHealth = memory.Entries, MemoryHealth(memory)
	asked, err := a.QueryFigures(ctx, q, userID, at.AddDate(0, 0, -days), notebook.QuestionsKept)
	if err != nil {
		return s, d, err
	}
	s.QueryP95, s.QueryEvidence, s.QueryPaths, s.QueryValid, s.Fallback = asked.P95, asked.Evidence, asked.Paths, asked.Valid, asked.Fallback
	plans, err := q.PlanQualities(ctx, userID, "", qualityPlans)
	for _, p := range plans {
		var r PlanQualityRecord
		if err := json.Unmarshal(p.Record, &r); err != nil {
			return s, d, err
		}
		n := float64(max(1, r.Metrics.Actions)) * float64(len(plans))
		s.PathGain += 100 * r.Metrics.Gain / n
		s.RandomGain += 100 * r.Metrics.RandomGain / n
	}
	return s.Normal(), d, err
}

// KeepQuality keeps a snapshot. The chart adds what was answered since the snapshot before: a snapshot without new
// answers says nothing new.
func KeepQuality(ctx context.Context, tx *store.Tx, r QualityRecord, answers answeredSum) error {
	state, err := tx.QualityState(ctx, r.UserID)
	if err != nil {
		return err
	}
	var c Charted
	if len(state.Chart) > 0 {
		if err := json.Unmarshal(state.Chart, &c); err != nil {
			return err
		}
	}
	if fresh := answers.reviews - c.Reviews; fresh > 0 {
		c.Add(min(max((answers.right-c.Right)/float64(fresh), 0), 1))
	}
	c.Reviews, c.Right = answers.reviews, answers.right
	if state.Chart, err = json.Marshal(c); err != nil {
		return err
	}
	state.Records++
	state.Retest += core.Millionths(r.Snapshot.RetestPass)
	state.Evidence += core.Millionths(r.Snapshot.Evidence)
	state.Recurrence += core.Millionths(r.Snapshot.Recurrence)
	state.Fallback += core.Millionths(r.Snapshot.Fallback)
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return tx.AddQuality(schooldb.Quality{UserID: r.UserID, ID: r.ID, At: clock.Micros(notebook.TimeOr(r.SampledAt, tx.Now)), Record: text}, state)
}

// captureSession keeps a snapshot of where a session has left its learner.
func (e *execution) captureSession(ctx context.Context, tx *store.Tx, o *learner.ObservationRecorder, r *ExecutionRecord) error {
	answers := sumOf(withTouched(e.known, o.Touched))
	s, d, err := e.app.capture(ctx, tx.Queries, e.userID, answers, usualQualityWindow, e.at)
	if err != nil {
		return err
	}
	return KeepQuality(ctx, tx, QualityRecord{core.IDOf(e.at), e.userID, clock.Text(e.at), fromSession, r.ID, r.Kind, s, d}, answers)
}

// QualityInput asks for a snapshot.
type QualityInput struct {
	UserID    string `json:"user_id"`
	SampledAt string `json:"sampledAt"`
	Days      int    `json:"historyWindowDays"`
}

// QualitySnapshot is the quality of a learner's learning now.
type QualitySnapshot struct {
	SampledAt   string             `json:"sampledAt"`
	Snapshot    quality.Snapshot   `json:"snapshot"`
	Diagnostics QualityDiagnostics `json:"diagnostics"`
	RecordID    string             `json:"recordId"`
}

// MeasureQuality takes a snapshot without keeping it.
func (a *School) MeasureQuality(ctx context.Context, userID string, in QualityInput) (QualitySnapshot, answeredSum, error) {
	known, err := a.States.Of(ctx, userID)
	if err != nil {
		return QualitySnapshot{}, answeredSum{}, err
	}
	at, answers := a.Past(in.SampledAt), sumOf(known.Each)
	s, d, err := a.capture(ctx, a.Store.Queries, userID, answers, cmp.Or(in.Days, usualQualityWindow), at)
	if err == nil && s.PathGain == 0 && s.RandomGain == 0 {
		err = a.pathGain(ctx, userID, &s)
	}
	return QualitySnapshot{SampledAt: clock.Text(at), Snapshot: s, Diagnostics: d}, answers, err
}

// pathGain sets a path that would be planned now against one drawn at random, where no plan was judged yet.
func (a *School) pathGain(ctx context.Context, userID string, s *quality.Snapshot) error {
	session, err := a.planSession(ctx, userID, SessionPlanInput{Strategy: string(path.Balanced)})
	if err != nil || len(session.Actions) == 0 {
		return err
	}
	m, err := a.planMetrics(ctx, userID, session, len(session.Actions), a.Clock())
	n := float64(len(session.Actions))
	s.PathGain, s.RandomGain = 100*m.Gain/n, 100*m.RandomGain/n
	*s = s.Normal()
	return err
}
