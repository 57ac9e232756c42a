package schooldb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// PlanQuality is a judgement of a plan.
type PlanQuality struct {
	UserID, ID  string
	EvaluatedAt int64
	Passed      bool
	Deviation   int64 // actions
	Record      []byte
}

// PlanQualitySum sums up a learner's judgements of plans.
type PlanQualitySum struct{ Records, Passed, Failing, Deviation int64 }

// AddPlanQuality keeps a judgement and adds it to the sum.
func (tx *Tx) AddPlanQuality(p PlanQuality) error {
	if err := errors.Join(tx.Changes("plan_quality", p.UserID, p.ID), tx.Changes("plan_quality_sum", p.UserID)); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO plan_quality (user_id, id, evaluated_at, record) VALUES ($1, $2, $3, $4)`, p.UserID, p.ID, p.EvaluatedAt, string(p.Record)); err != nil {
		return err
	}
	passed, failing := int64(0), `plan_quality_sum.failing + 1`
	if p.Passed {
		passed, failing = 1, `0`
	}
	return tx.Exec(`INSERT INTO plan_quality_sum (user_id, records, passed, failing, deviation) VALUES ($1, 1, $2, $3, $4)
		ON CONFLICT (user_id) DO UPDATE SET records = plan_quality_sum.records + 1, passed = plan_quality_sum.passed + $2, failing = `+failing+`,
		deviation = plan_quality_sum.deviation + $4`, p.UserID, passed, 1-passed, p.Deviation)
}

// PlanQualities lists a learner's judgements of plans, newest first, older than the one before.
func (q Queries) PlanQualities(ctx context.Context, userID, before string, limit int) ([]PlanQuality, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	var all []PlanQuality
	err := sqldb.ScanAll(ctx, q.Q, `SELECT id, evaluated_at, record FROM plan_quality WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
		[]any{userID, before, limit}, func(rows *sql.Rows) error {
			p := PlanQuality{UserID: userID}
			err := rows.Scan(&p.ID, &p.EvaluatedAt, &p.Record)
			all = append(all, p)
			return err
		})
	return all, err
}

// PlanQualitySum gives the sum of a learner's judgements of plans.
func (q Queries) PlanQualitySum(ctx context.Context, userID string) (s PlanQualitySum, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT records, passed, failing, deviation FROM plan_quality_sum WHERE user_id = $1`, []any{userID}, &s.Records, &s.Passed, &s.Failing, &s.Deviation)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return s, err
}

// Orchestration gives how a learner's sessions are put together, as it was kept; nil when nothing was.
func (q Queries) Orchestration(ctx context.Context, userID string) (config []byte, updatedAt int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT config, updated_at FROM orchestration WHERE user_id = $1`, []any{userID}, &config, &updatedAt)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return config, updatedAt, err
}

// SetOrchestration keeps how a learner's sessions are put together.
func (tx *Tx) SetOrchestration(userID string, config []byte) error {
	return tx.Exec(`INSERT INTO orchestration (user_id, config, updated_at) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE SET config = $2, updated_at = $3`,
		userID, string(config), clock.Micros(tx.Now))
}
