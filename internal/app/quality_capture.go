package app

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/google/uuid"

	"stoa/internal/governance/quality"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
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

const (
	usualQualityWindow = 14  // days
	qualityTraces      = 200 // of the tutor, the newest, that a snapshot looks at
	qualityPlans       = 5   // judged plans that say what paths bring
	fromSession        = "session_execution"
	fromHand           = "manual_snapshot"
)

// charted is the chart of a learner with the answers that it has taken in.
type charted struct {
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
func sumOf(tallies iter.Seq2[string, *atomState]) answeredSum {
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
func withTouched(known *learnerAt, touched map[string]*atomState) iter.Seq2[string, *atomState] {
	return func(yield func(string, *atomState) bool) {
		for id, a := range touched {
			if !yield(id, a) {
				return
			}
		}
		for id, a := range known.each {
			if touched[id] == nil && !yield(id, a) {
				return
			}
		}
	}
}

// capture takes a snapshot of the quality of a learner's learning. It reads a bounded number of rows, however long the
// history is.
func (a *App) capture(ctx context.Context, q store.Queries, userID string, answers answeredSum, days int, at time.Time) (quality.Snapshot, QualityDiagnostics, error) {
	d := QualityDiagnostics{States: answers.states, Reviews: answers.reviews, Misconceptions: answers.errors}
	s := quality.Snapshot{WindowDays: days}
	s.RetestPass = 100 * answers.right / float64(max(1, answers.reviews))
	s.Recurrence = 100 * float64(answers.repeated) / float64(max(1, answers.errors))
	from, to := clock.Micros(at.AddDate(0, 0, -days)), clock.Micros(at)+1
	rows, err := q.TutorTraces(ctx, userID, "", qualityTraces)
	if err != nil {
		return s, d, err
	}
	pending, persisted := 0, int64(0)
	for _, r := range rows {
		var t TutorTrace
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
		if t.Verification == unverified {
			pending++
		}
	}
	s.Evidence, s.Pending = pct(int64(d.EvidenceTraces), int64(d.Traces)), pct(int64(pending), int64(d.Traces))
	sums, err := q.StudySums(ctx, store.StudyFilter{UserID: userID, From: from, To: to})
	if err != nil {
		return s, d, err
	}
	var all, strategies, retests store.StudySum
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
	s.WindowRecords, s.WindowDelta, s.RetestPositive = all.Sessions, mean(all.Delta, all.Sessions), pct(retests.Positive, retests.Sessions)
	s.Coverage, s.StrategyDelta = pct(strategies.Sessions, all.Sessions), 100*mean(strategies.Delta, strategies.Sessions)
	s.Promotion = pct(persisted, all.Actions)
	memory, err := q.MemoryHealth(ctx, userID, clock.Micros(at), clock.Micros(at.Add(-memoryStale)), memorySure)
	if err != nil {
		return s, d, err
	}
	d.MemoryEntries, d.MemoryHealth = memory.Entries, memoryHealth(memory)
	asked, err := a.queryFigures(ctx, q, userID, at.AddDate(0, 0, -days), questionsKept)
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

// keepQuality keeps a snapshot. The chart takes in what was answered since the one before: a snapshot without new
// answers says nothing new.
func keepQuality(ctx context.Context, tx *store.Tx, r QualityRecord, answers answeredSum) error {
	state, err := tx.QualityState(ctx, r.UserID)
	if err != nil {
		return err
	}
	var c charted
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
	state.Retest += millionths(r.Snapshot.RetestPass)
	state.Evidence += millionths(r.Snapshot.Evidence)
	state.Recurrence += millionths(r.Snapshot.Recurrence)
	state.Fallback += millionths(r.Snapshot.Fallback)
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return tx.AddQuality(store.Quality{UserID: r.UserID, ID: r.ID, At: clock.Micros(timeOr(r.SampledAt, tx.Now)), Record: text}, state)
}

// captureSession keeps a snapshot of where a session has left its learner.
func (e *execution) captureSession(ctx context.Context, tx *store.Tx, o *observing, r *ExecutionRecord) error {
	answers := sumOf(withTouched(e.known, o.touched))
	s, d, err := e.app.capture(ctx, tx.Queries, e.userID, answers, usualQualityWindow, e.at)
	if err != nil {
		return err
	}
	return keepQuality(ctx, tx, QualityRecord{idOf(e.at), e.userID, clock.Text(e.at), fromSession, r.ID, r.Kind, s, d}, answers)
}

// idOf makes a UUIDv7 of a moment by the application's clock. Those of the same millisecond sort as they were made.
func idOf(at time.Time) string {
	id := uuid.New()
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(at.UnixMilli()))
	copy(id[:6], b[2:])
	// 12 and 30 bits of the machine's microseconds, then what is random.
	us := uint64(time.Now().UnixMicro())
	binary.BigEndian.PutUint16(id[6:], 0x7000|uint16(us>>30)&0xfff)
	binary.BigEndian.PutUint32(id[8:], 0x80000000|uint32(us)&0x3fffffff)
	return id.String()
}
