package schooldb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// QuestionRun is the run in which a language model proposes questions to a learner. Times in µs.
type QuestionRun struct {
	UserID, RunID, State string
	NextAt, SteppedAt    int64
	Body                 []byte
}

// QuestionPart is a part of a note that such a run reads.
type QuestionPart struct {
	UserID, UnitID, RunID, Fingerprint string
	Part, Place                        int64
	Done                               bool
	Pending                            []byte
}

// QuestionRun gives a learner's run; ErrNotFound when there never was one.
func (q Queries) QuestionRun(ctx context.Context, userID string) (QuestionRun, error) {
	r := QuestionRun{UserID: userID}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT run_id, state, next_at, stepped_at, body FROM question_run WHERE user_id = $1`, []any{userID}, &r.RunID, &r.State, &r.NextAt, &r.SteppedAt, &r.Body)
	return r, err
}

// DueQuestionRuns gives runs that may make a call at a time (µs), those first that have waited longest. Those of learners who are on their way to
// another database, or have left, are not this one's any more.
func (q Queries) DueQuestionRuns(ctx context.Context, now int64, limit int) ([]QuestionRun, error) {
	var all []QuestionRun
	err := sqldb.ScanAll(ctx, q.Q, `SELECT user_id, run_id, state, next_at, stepped_at, body FROM question_run WHERE state = 'running' AND next_at <= $1
		AND NOT EXISTS (SELECT 1 FROM learner_fence f WHERE f.user_id = question_run.user_id AND f.state <> 'here') ORDER BY stepped_at, user_id LIMIT $2`,
		[]any{now, limit}, func(rows *sql.Rows) error {
			var r QuestionRun
			err := rows.Scan(&r.UserID, &r.RunID, &r.State, &r.NextAt, &r.SteppedAt, &r.Body)
			all = append(all, r)
			return err
		})
	return all, err
}

// LockQuestionRun gives a learner's run and makes everybody else who changes it wait.
func (tx *Tx) LockQuestionRun(userID string) (QuestionRun, error) {
	if err := tx.Exec(`UPDATE question_run SET stepped_at = stepped_at WHERE user_id = $1`, userID); err != nil {
		return QuestionRun{}, err
	}
	return tx.QuestionRun(tx.Ctx, userID)
}

// PutQuestionRun keeps a run in place of the learner's last one.
func (tx *Tx) PutQuestionRun(r QuestionRun) error {
	return tx.Exec(`INSERT INTO question_run (user_id, run_id, state, next_at, stepped_at, body) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id) DO UPDATE SET run_id = $2, state = $3, next_at = $4, stepped_at = $5, body = $6`,
		r.UserID, r.RunID, r.State, r.NextAt, clock.Micros(tx.Now), string(r.Body))
}

// PutQuestionPart keeps a part.
func (tx *Tx) PutQuestionPart(p QuestionPart) error {
	return tx.Exec(`INSERT INTO question_part (user_id, unit_id, part, run_id, place, fingerprint, done, pending) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (user_id, unit_id, part) DO UPDATE SET run_id = $4, place = $5, fingerprint = $6, done = $7, pending = $8`,
		p.UserID, p.UnitID, p.Part, p.RunID, p.Place, p.Fingerprint, p.Done, string(p.Pending))
}

// DropQuestionPart forgets a part.
func (tx *Tx) DropQuestionPart(p QuestionPart) error {
	return tx.Exec(`DELETE FROM question_part WHERE user_id = $1 AND unit_id = $2 AND part = $3`, p.UserID, p.UnitID, p.Part)
}

const partColumns = `unit_id, part, run_id, place, fingerprint, done, pending`

func scanPart(p *QuestionPart) []any {
	return []any{&p.UnitID, &p.Part, &p.RunID, &p.Place, &p.Fingerprint, &p.Done, &p.Pending}
}

// QuestionParts gives every part that is known of a learner.
func (q Queries) QuestionParts(ctx context.Context, userID string) ([]QuestionPart, error) {
	var all []QuestionPart
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+partColumns+` FROM question_part WHERE user_id = $1 ORDER BY unit_id, part`, []any{userID}, func(rows *sql.Rows) error {
		p := QuestionPart{UserID: userID}
		err := rows.Scan(scanPart(&p)...)
		all = append(all, p)
		return err
	})
	return all, err
}

// NextQuestionPart gives the part of a run that is next; ErrNotFound when all is read.
func (q Queries) NextQuestionPart(ctx context.Context, userID, runID string) (QuestionPart, error) {
	p := QuestionPart{UserID: userID}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT `+partColumns+` FROM question_part WHERE user_id = $1 AND run_id = $2 AND NOT done ORDER BY place LIMIT 1`, []any{userID, runID}, scanPart(&p)...)
	return p, err
}
