package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/school"
	"stoa/internal/app/school/learner"
	"stoa/internal/learning/graph"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// school measures plans by the number of things there are to learn, sessions against bare transactions, and the history
// by the number of sessions that are kept. It calls the application in its own process.
func (b *bench) school() error {
	times := map[int]time.Duration{}
	for _, n := range []int{400, 10_000, 100_000} {
		b.Progress("plans over %d notes", n)
		p99, err := b.plans(n)
		if err != nil {
			return err
		}
		times[n] = p99
		b.report.value(fmt.Sprintf("plan of 12 actions over %d notes, p99", n), float64(p99.Microseconds())/1000, "ms", 0)
	}
	// From 10,000 to 100,000 n log n grows 12.5 times.
	b.report.value("plan, 100,000 notes against 10,000 (n log n: 12.5)", float64(times[100_000])/float64(times[10_000]), "×", 12.5)
	for _, n := range []int{929, 5200} {
		b.Progress("one changed note among %d", n)
		took, err := b.changedNote(n)
		if err != nil {
			return err
		}
		b.report.value(fmt.Sprintf("one changed note among %d, until a search finds it", n), float64(took.Microseconds())/1000, "ms", 50)
	}
	return b.studies()
}

// learner opens an application over a store of its own.
func (b *bench) learner(name string) (*app.App, *store.Store, error) {
	dir := filepath.Join(b.Dir, name)
	blobs, err := blob.OpenFolder(filepath.Join(dir, "blobs"))
	if err != nil {
		return nil, nil, err
	}
	db, err := store.Open(b.Ctx, filepath.Join(dir, "stoa.db"), clock.System)
	if err != nil {
		return nil, nil, err
	}
	return app.New(db, blobs, clock.System, slog.New(slog.DiscardHandler), core.Config{AuthRequired: true}), db, nil
}

var ada = core.Caller{Role: core.Member, UserID: "ada"}

// plans is the time that 99 of 100 plans stay below, after a tenth of the notes have been answered.
func (b *bench) plans(n int) (time.Duration, error) {
	a, db, err := b.learner(fmt.Sprintf("plans-%d", n))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	defer a.Close()
	random := rand.New(rand.NewPCG(1, uint64(n)))
	documents := make([]graph.Document, n)
	for i := range documents {
		var text strings.Builder
		fmt.Fprintf(&text, "# Concept %d\n\n", i)
		for range min(i, random.IntN(4)) {
			fmt.Fprintf(&text, "Requires [[c%d]].\n", max(0, i-1-random.IntN(min(i, 200))))
		}
		documents[i] = graph.Document{ID: fmt.Sprintf("c%d", i), Path: fmt.Sprintf("notes/c%d.md", i), Content: text.String()}
	}
	if _, err := a.IngestFolder(b.Ctx, ada, "ada", "", false, documents, time.UTC); err != nil {
		return 0, err
	}
	for at := 0; at < n/10; at += 500 {
		var in learner.DiagnoseInput
		for i := at; i < min(at+500, n/10); i++ {
			in.Observations = append(in.Observations, learner.ObservationInput{AtomID: graph.AtomID("ada", fmt.Sprintf("c%d::", i)), Outcome: []string{"correct", "correct", "incorrect"}[i%3]})
		}
		if _, err := a.DiagnoseMastery(b.Ctx, ada, in); err != nil {
			return 0, err
		}
	}
	rounds := 40
	if n <= 1000 {
		rounds = 200
	}
	took := make([]time.Duration, rounds)
	for i := range took {
		began := time.Now()
		plan, err := a.PlanStudySession(b.Ctx, ada, school.SessionPlanInput{Strategy: []string{"balanced", "mastery_recovery", "exploration_boost"}[i%3]})
		if err != nil {
			return 0, err
		}
		took[i] = time.Since(began)
		if len(plan.Actions) == 0 {
			return 0, fmt.Errorf("a plan over %d notes is empty", n)
		}
	}
	slices.Sort(took[1:]) // the first one reads everything in
	return took[1+(len(took)-1)*99/100-1], nil
}

// studies measures sessions against bare transactions, and the history of many against that of few.
func (b *bench) studies() error {
	b.Progress("sessions, eight learners at a time")
	a, db, err := b.learner("studies")
	if err != nil {
		return err
	}
	defer db.Close()
	defer a.Close()
	var documents []graph.Document
	for i := range 40 {
		documents = append(documents, graph.Document{ID: fmt.Sprintf("c%d", i), Path: fmt.Sprintf("c%d.md", i), Content: fmt.Sprintf("# Concept %d\n\nRequires [[c%d]].\n", i, max(0, i-1))})
	}
	if _, err := a.IngestFolder(b.Ctx, core.Caller{UserID: "operator"}, "", "", false, documents, time.UTC); err != nil {
		return err
	}
	session := func(learner int) error {
		_, err := a.ExecuteStudySession(b.Ctx, core.Caller{Role: core.Member, UserID: fmt.Sprintf("learner-%d", learner)}, school.ExecuteInput{
			PlanWishes: school.PlanWishes{MaxActions: 1}, OutcomesByAtom: map[string]string{graph.AtomID("", "c0::"): "correct"},
		})
		return err
	}
	dir := filepath.Join(b.Dir, "raw-study")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	raw, err := openRaw(b.Ctx, dir, 1000)
	if err != nil {
		return err
	}
	defer raw.close()
	var sessions, bare []float64
	for range b.slices {
		n, err := inTurn(8, time.Second, session)
		if err != nil {
			return err
		}
		r, err := raw.load(time.Second)
		if err != nil {
			return err
		}
		sessions, bare = append(sessions, n), append(bare, r.PerSecond())
	}
	slices.Sort(sessions)
	slices.Sort(bare)
	mid := len(sessions) / 2
	b.report.value("sessions worked through and synced, per second, eight learners", sessions[mid], "1/s", 0)
	b.report.value("the same against bare transactions of an install (counter, row, event)", sessions[mid]/bare[mid], "×", 0)
	return b.histories(a, db)
}

// inTurn runs f from several goroutines for a while and gives how often it ran per second.
func inTurn(workers int, lasting time.Duration, f func(worker int) error) (float64, error) {
	var group sync.WaitGroup
	var mu sync.Mutex
	count, began := 0, time.Now()
	var failed error
	for w := range workers {
		group.Go(func() {
			for time.Since(began) < lasting {
				err := f(w)
				mu.Lock()
				count++
				if err != nil {
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return float64(count) / time.Since(began).Seconds(), failed
}

// histories asks for the history of learners with few and with very many sessions.
func (b *bench) histories(a *app.App, db *store.Store) error {
	p99 := map[int]time.Duration{}
	for _, n := range []int{10_000, b.history} {
		b.Progress("history of %d sessions", n)
		user := fmt.Sprintf("historian-%d", n)
		if err := plantStudies(b.Ctx, db, user, n); err != nil {
			return err
		}
		took := make([]time.Duration, 300)
		for i := range took {
			began := time.Now()
			h, err := a.GetSessionHistory(b.Ctx, core.Caller{Role: core.Member, UserID: user}, school.SessionHistoryInput{SinceMinutes: []int{0, 10080, 1440, 43200}[i%4], Strategy: []string{"", "balanced"}[i%2]})
			if err != nil {
				return err
			}
			took[i] = time.Since(began)
			if i == 0 && h.Summary.Matched != int64(n) {
				return fmt.Errorf("%d sessions are counted, %d are kept", h.Summary.Matched, n)
			}
		}
		slices.Sort(took)
		p99[n] = took[len(took)*99/100]
		b.report.value(fmt.Sprintf("history summary over %d sessions, p99", n), float64(p99[n].Microseconds())/1000, "ms", 0)
	}
	b.report.value(fmt.Sprintf("history summary, %d sessions against 10,000, p99", b.history), float64(p99[b.history])/float64(p99[10_000]), "×", 1.5)
	return nil
}

// plantStudies makes sessions over the last year and their sums, by SQL: one by one, as they come in life, ten million would
// take a quarter of an hour.
func plantStudies(ctx context.Context, db *store.Store, user string, n int) error {
	// Short, so that ten million fit on a disk; few of them are ever read.
	record, err := json.Marshal(map[string]any{"userId": user, "executionKind": "session", "focusAtomIds": []string{}})
	if err != nil {
		return err
	}
	now := time.Now()
	step := (365 * 24 * time.Hour / time.Duration(n)).Microseconds()
	first := clock.Micros(now) - int64(n)*step
	const batch = 100_000
	for at := 0; at < n; at += batch {
		if err := db.Write(ctx, func(tx *store.Tx) error {
			_, err := tx.Querier().ExecContext(ctx, `INSERT INTO study_session (user_id, executed_at, id, kind, strategy, source, actions, updated, promoted, promotions, delta, confidence, record)
				WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $2)
				SELECT $3, $4 + i * $5, printf('%08d-0000-7000-8000-%012d', i, i), 'session', CASE i % 3 WHEN 0 THEN 'balanced' WHEN 1 THEN 'mastery_recovery' ELSE 'exploration_boost' END,
				'mode_fallback', 6, 0, 0, 0, (i % 7 - 3) * 1000, 800000, $6 FROM n`, at, min(at+batch, n), user, first, step, string(record))
			return err
		}); err != nil {
			return err
		}
	}
	return db.Write(ctx, func(tx *store.Tx) error {
		for _, minutes := range []int{0, 1440, 60, 1} {
			if _, err := tx.Querier().ExecContext(ctx, `INSERT INTO study_sum (user_id, width, bucket, kind, strategy, source, sessions, actions, updated, promoted, promotions, delta, confidence, positive, negative)
				SELECT user_id, $2, CASE WHEN $2 = 0 THEN 0 ELSE executed_at / (60000000 * $2) END, kind, strategy, source, COUNT(*), SUM(actions), SUM(updated), SUM(promoted), SUM(promotions),
				SUM(delta), SUM(confidence), SUM(delta > 0), SUM(delta < 0) FROM study_session WHERE user_id = $1 GROUP BY 3, kind, strategy, source`, user, minutes); err != nil {
				return err
			}
		}
		return nil
	})
}
