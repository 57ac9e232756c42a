package store

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// LearnersDatabase is a database that has learners. Number 0 is the main one. CreatedAt in µs.
type LearnersDatabase struct {
	Number    int64
	Identity  string
	Self      bool  // the database in which this row is
	Learners  int64 // that were given to it and not moved on; counted in the main database alone
	CreatedAt int64
}

// LearnersDatabases lists those that this database knows: in the main one all, in any other itself and the main one.
func (q Queries) LearnersDatabases(ctx context.Context) (all []LearnersDatabase, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT number, identity, self, learners, created_at FROM learners_database ORDER BY number`, nil, func(rows *sql.Rows) error {
		var d LearnersDatabase
		err := rows.Scan(&d.Number, &d.Identity, &d.Self, &d.Learners, &d.CreatedAt)
		all = append(all, d)
		return err
	})
	return all, err
}

// LockLearnersDatabases keeps others who call it waiting until the transaction ends. A main database without an identity is given this one.
func (tx *Tx) LockLearnersDatabases(identity string) error {
	return tx.base.Exec(`INSERT INTO learners_database (number, identity, self, learners, created_at) VALUES (0, $1, $2, 0, $3)
		ON CONFLICT (number) DO UPDATE SET identity = learners_database.identity`, identity, true, clock.Micros(tx.Now))
}

// AddLearnersDatabase notes a database. ErrConflict when the number is taken by another.
func (tx *Tx) AddLearnersDatabase(d LearnersDatabase) error {
	n, err := tx.base.Changed(`INSERT INTO learners_database (number, identity, self, learners, created_at) VALUES ($1, $2, $3, 0, $4)
		ON CONFLICT (number) DO UPDATE SET identity = $2 WHERE learners_database.identity = $2`, d.Number, d.Identity, d.Self, clock.Micros(tx.Now))
	if err == nil && n == 0 {
		err = sqldb.ErrConflict
	}
	return err
}

// RenounceNumber makes a database of learners a new one again, as long as it never had a learner.
func (tx *Tx) RenounceNumber() (unused bool, err error) {
	var learners int
	if err := sqldb.ScanOne(tx.base.Ctx, tx.base.Q, `SELECT COUNT(*) FROM (SELECT 1 FROM learner_fence LIMIT 1) any_learner`, nil, &learners); err != nil || learners > 0 {
		return false, err
	}
	return true, tx.base.Exec(`DELETE FROM learners_database`)
}

// LearnerRoute says where a learner is. While Moving they are on their way from Source to Target. Move numbers the learner's moves, and every taking over of
// one; Begun is the number with which the last move began. ChangedAt in µs.
type LearnerRoute struct {
	UserID         string
	Place          int64
	Source, Target int64
	Begun, Move    int64
	Moving         bool
	ChangedAt      int64
}

const routeColumns = `user_id, place, source, target, begun, move, moving, changed_at`

func (r *LearnerRoute) scan(rows *sql.Rows) error {
	return rows.Scan(&r.UserID, &r.Place, &r.Source, &r.Target, &r.Begun, &r.Move, &r.Moving, &r.ChangedAt)
}

// LearnerRoute reads where a learner is; found is false for who was given no place yet.
func (q Queries) LearnerRoute(ctx context.Context, userID string) (r LearnerRoute, found bool, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT `+routeColumns+` FROM learner_route WHERE user_id = $1`, []any{userID}, func(rows *sql.Rows) error {
		found = true
		return r.scan(rows)
	})
	return r, found, err
}

// StaleMoves lists up to limit moves of which nothing was heard since before (µs).
func (q Queries) StaleMoves(ctx context.Context, before int64, limit int) (all []LearnerRoute, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT `+routeColumns+` FROM learner_route WHERE moving AND changed_at <= $1 ORDER BY changed_at LIMIT $2`, []any{before, limit}, func(rows *sql.Rows) error {
		var r LearnerRoute
		err := r.scan(rows)
		all = append(all, r)
		return err
	})
	return all, err
}

// AddLearnerRoute gives a learner a place; ErrConflict when they have one.
func (tx *Tx) AddLearnerRoute(userID string, place int64) error {
	n, err := tx.base.Changed(`INSERT INTO learner_route (user_id, place, source, target, begun, move, moving, changed_at) VALUES ($1, $2, $2, $2, 0, 0, $4, $3) ON CONFLICT (user_id) DO NOTHING`,
		userID, place, clock.Micros(tx.Now), false)
	if err == nil && n == 0 {
		err = sqldb.ErrConflict
	}
	if err != nil {
		return err
	}
	return tx.base.Exec(`UPDATE learners_database SET learners = learners + 1 WHERE number = $1`, place)
}

// LockLearnerRoute reads where a learner is, and keeps others from changing it until the transaction ends.
func (tx *Tx) LockLearnerRoute(userID string) (LearnerRoute, error) {
	if err := tx.base.One(`UPDATE learner_route SET move = move WHERE user_id = $1`, userID); err != nil {
		return LearnerRoute{}, err
	}
	r, _, err := tx.LearnerRoute(tx.base.Ctx, userID)
	return r, err
}

// PutLearnerRoute writes a route that LockLearnerRoute gave; was is where the learner was.
func (tx *Tx) PutLearnerRoute(r LearnerRoute, was int64) error {
	err := tx.base.One(`UPDATE learner_route SET place = $2, source = $3, target = $4, begun = $5, move = $6, moving = $7, changed_at = $8 WHERE user_id = $1`,
		r.UserID, r.Place, r.Source, r.Target, r.Begun, r.Move, r.Moving, clock.Micros(tx.Now))
	if err != nil || was == r.Place {
		return err
	}
	return errors.Join(
		tx.base.Exec(`UPDATE learners_database SET learners = learners - 1 WHERE number = $1`, was),
		tx.base.Exec(`UPDATE learners_database SET learners = learners + 1 WHERE number = $1`, r.Place),
	)
}

// DropLearnerRoute forgets where a learner is.
func (tx *Tx) DropLearnerRoute(userID string) error {
	r, found, err := tx.LearnerRoute(tx.base.Ctx, userID)
	if err != nil || !found {
		return err
	}
	return errors.Join(
		tx.base.Exec(`DELETE FROM learner_route WHERE user_id = $1`, userID),
		tx.base.Exec(`UPDATE learners_database SET learners = learners - 1 WHERE number = $1`, r.Place),
	)
}

// HasAccounts tells whether anybody has an account here.
func (q Queries) HasAccounts(ctx context.Context) (bool, error) {
	var n int
	err := sqldb.ScanOne(ctx, q.base.Q, `SELECT COUNT(*) FROM (SELECT 1 FROM account LIMIT 1) any_account`, nil, &n)
	return n > 0, err
}
