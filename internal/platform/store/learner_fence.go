package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// ErrElsewhere says that a database does not have this learner, or not for now: they were moved, or are on their way. Nothing of
// the transaction was written.
var ErrElsewhere = errors.New("store: this learner is in another database, or on the way to one")

// FenceState is what one of several databases says of a learner. At most one of them says Here.
type FenceState string

// The states. Without a row a learner is here in the main database, and gone in any other.
const (
	FenceHere   FenceState = "here"
	FenceComing FenceState = "coming" // their rows are being copied into this database
	FencePaused FenceState = "paused" // the last changes are being copied out of it
	FenceGone   FenceState = "gone"
)

// Fence is a learner's row of a database. Move is the number of the move that wrote it, 0 for none. Cleared says of who is gone that their
// rows are removed. ChangedAt in µs.
type Fence struct {
	State     FenceState
	Move      int64
	Cleared   bool
	ChangedAt int64
}

// OfLearners makes a store one of those that have learners beside the main one: whoever has no row there is not there.
func OfLearners() Option { return func(s *Store) { s.ofLearners = true } }

type learnerKey struct{}

// learnerWork is one learner's request, or a step of work for one.
type learnerWork struct {
	userID string
	move   int64
	wrote  atomic.Bool
}

// ForLearner marks what is done for a learner where there are several databases. move is the number in the fence of their database before anything was
// read: every transaction is refused with ErrElsewhere by a database that does not have the learner, or in which another move has begun since, so that
// nothing is written that follows from rows on their way.
func ForLearner(ctx context.Context, userID string, move int64) context.Context {
	return context.WithValue(ctx, learnerKey{}, &learnerWork{userID: userID, move: move})
}

// ForNobody is ctx without its learner, for what is done beside their request.
func ForNobody(ctx context.Context) context.Context {
	return context.WithValue(ctx, learnerKey{}, nil)
}

// WroteForLearner tells whether a transaction under ForLearner was committed, or may have been. What has not can be done again in another
// database.
func WroteForLearner(ctx context.Context) bool {
	work, ok := ctx.Value(learnerKey{}).(*learnerWork)
	return ok && work.wrote.Load()
}

// fenced is fn for the learner of ctx: refused where they are not.
func (s *Store) fenced(ctx context.Context, fn func(tx *Tx) error) (guarded func(tx *Tx) error, ended func(error)) {
	work, ok := ctx.Value(learnerKey{}).(*learnerWork)
	if !ok {
		return fn, func(error) {}
	}
	return func(tx *Tx) error {
			if err := tx.requireHere(work); err != nil {
				return err
			}
			return fn(tx)
		}, func(err error) {
			if err == nil || sqldb.IsUnknown(err) {
				work.wrote.Store(true)
			}
		}
}

// requireHere refuses a learner who is not here, and keeps whoever moves them waiting until the transaction has ended.
func (tx *Tx) requireHere(work *learnerWork) error {
	if err := tx.lockFence(work.userID, "pg_advisory_xact_lock_shared"); err != nil {
		return err
	}
	f, err := tx.Fence(tx.base.Ctx, work.userID)
	if err == nil && (f.State != FenceHere || f.Move != work.move) {
		err = ErrElsewhere
	}
	return err
}

// lockFence takes a lock on a learner's fence until the transaction ends. It is no lock of a row, since there may be none. SQLite
// has one writer at a time.
func (tx *Tx) lockFence(userID, lock string) error {
	if tx.store.engine == sqldb.SQLite {
		return nil
	}
	return sqldb.ScanAll(tx.base.Ctx, tx.base.Q, `SELECT 1 FROM (SELECT `+lock+`(hashtextextended($1, 0))) locked`, []any{"learner_fence:" + userID}, func(*sql.Rows) error { return nil })
}

// Fence reads what the database says of a learner.
func (tx *Tx) Fence(ctx context.Context, userID string) (Fence, error) {
	return tx.store.fence(ctx, tx.Queries, userID)
}

// Fence reads what the database says of a learner.
func (s *Store) Fence(ctx context.Context, userID string) (Fence, error) {
	return s.fence(ctx, s.Queries, userID)
}

func (s *Store) fence(ctx context.Context, q Queries, userID string) (Fence, error) {
	f := Fence{State: FenceHere}
	if s.ofLearners {
		f.State = FenceGone
	}
	err := sqldb.ScanOne(ctx, q.base.Q, `SELECT state, move, cleared, changed_at FROM learner_fence WHERE user_id = $1`, []any{userID}, &f.State, &f.Move, &f.Cleared, &f.ChangedAt)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return f, err
}

// SetFence writes what the database says of a learner from the end of the transaction on, for the move with a number. It waits for the learner's
// transactions that are under way; later ones see the new state. ErrTakenOver when the database has seen a later move.
func (tx *Tx) SetFence(userID string, state FenceState, move int64) error {
	return tx.putFence(userID, Fence{State: state, Move: move, ChangedAt: clock.Micros(tx.Now)})
}

// MarkFence notes a move on a learner who is here, and stays so.
func (tx *Tx) MarkFence(userID string, move int64) error {
	f, err := tx.Fence(tx.base.Ctx, userID)
	if err != nil {
		return err
	}
	return tx.putFence(userID, Fence{State: FenceHere, Move: move, ChangedAt: f.ChangedAt})
}

func (tx *Tx) putFence(userID string, f Fence) error {
	if err := tx.lockFence(userID, "pg_advisory_xact_lock"); err != nil {
		return err
	}
	n, err := tx.base.Changed(`INSERT INTO learner_fence (user_id, state, move, cleared, changed_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id) DO UPDATE SET state = $2, move = $3, cleared = $4, changed_at = $5 WHERE learner_fence.move <= $3`, userID, string(f.State), f.Move, f.Cleared, f.ChangedAt)
	if err == nil && n == 0 {
		err = ErrTakenOver
	}
	return err
}

// ChangeFence is SetFence for the move that wrote the state, from one state to another; ErrTakenOver when another has.
func (tx *Tx) ChangeFence(userID string, move int64, from, to FenceState) error {
	if err := tx.lockFence(userID, "pg_advisory_xact_lock"); err != nil {
		return err
	}
	f, err := tx.Fence(tx.base.Ctx, userID)
	if err != nil {
		return err
	}
	if f.Move != move || f.State != from {
		return ErrTakenOver
	}
	return tx.SetFence(userID, to, move)
}

// EndFence ends a move that began with a number: the database says state of the learner when that move has written its fence, and what it said before when it
// has not. Either way it refuses the move from now on.
func (tx *Tx) EndFence(userID string, state FenceState, begun, move int64) error {
	f, err := tx.Fence(tx.base.Ctx, userID)
	if err != nil {
		return err
	}
	if f.Move >= begun && f.State != state {
		f.State, f.Cleared, f.ChangedAt = state, false, clock.Micros(tx.Now)
	}
	f.Move = move
	return tx.putFence(userID, f)
}

// GoneSince lists up to limit learners who left the database before a time (µs) and whose rows are still there.
func (q Queries) GoneSince(ctx context.Context, before int64, limit int) (ids []string, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT user_id FROM learner_fence WHERE state = 'gone' AND NOT cleared AND changed_at <= $1 ORDER BY changed_at LIMIT $2`, []any{before, limit}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// ClearGone removes the rows of a learner who left before a time (µs) and has not come back.
func (tx *Tx) ClearGone(userID string, before int64) error {
	if err := tx.lockFence(userID, "pg_advisory_xact_lock"); err != nil {
		return err
	}
	f, err := tx.Fence(tx.base.Ctx, userID)
	if err != nil || f.State != FenceGone || f.ChangedAt > before {
		return err
	}
	if _, err := tx.ClearLearner(userID); err != nil {
		return err
	}
	f.Cleared = true
	return tx.putFence(userID, f)
}

// CountHere counts the learners whom this database of learners has.
func (q Queries) CountHere(ctx context.Context) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT COUNT(*) FROM learner_fence WHERE state = 'here'`, nil, &n)
	return n, err
}

// DropFence forgets a learner.
func (tx *Tx) DropFence(userID string) error {
	return tx.base.Exec(`DELETE FROM learner_fence WHERE user_id = $1`, userID)
}
