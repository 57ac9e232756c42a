package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stoa/internal/platform/store/sqldb"
)

// How long the outcome of a commit is looked for.
const (
	soonOutcome = 3 * time.Second
	longOutcome = 30 * time.Second
)

// settleOutcome finds out what became of a transaction whose commit was not answered: nil when it was committed, and on disk wherever the
// server keeps its commits; a plain Unreachable when nothing of it was; lost when that cannot be known in time.
func (s *Store) settleOutcome(ctx context.Context, tx *Tx, lost error) error {
	if tx.base.Proof == "" {
		return lost
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), sqldb.Patience(ctx, soonOutcome, longOutcome))
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		turn := s.history.now()
		there, err := s.lookFor(within, tx.base.Proof)
		switch {
		case err == nil && there && s.history.acknowledge(tx.base.Proof, turn):
			tx.runHooks()
			return nil
		case err == nil && !there:
			return &sqldb.Unreachable{Cause: errors.Unwrap(lost)}
		}
		select {
		case <-within.Done():
			return lost
		case <-time.After(pause):
		}
	}
}

// lookFor tells whether an audit event is there, which only one transaction can have made. It inserts it, which waits for that
// transaction where it is still under way, and takes that back. An event that is there may have been committed on this server alone: so something is written, and whatever
// that commit waits for has the row too.
func (s *Store) lookFor(ctx context.Context, eventID string) (there bool, err error) {
	t, err := s.writes.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer t.Rollback() // does nothing after Commit
	result, err := t.ExecContext(ctx, insertEvent+` ON CONFLICT (event_id) DO NOTHING`, Event{EventID: eventID}.values()...)
	if err != nil {
		return false, err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return false, err
	}
	if err := s.writeSomething(ctx, t); err != nil {
		return false, err
	}
	return true, t.Commit()
}

// writeSomething gives a transaction that wrote nothing something to commit. PostgreSQL waits for no disk and no standby when
// a transaction wrote nothing, though what it read may not be there yet.
func (s *Store) writeSomething(ctx context.Context, t *sql.Tx) error {
	_, err := t.ExecContext(ctx, `SELECT pg_logical_emit_message(true, 'stoa', '')`)
	return err
}

// Confirm returns when everything that was seen so far is on disk wherever the database keeps its commits. It stands before an answer
// that acknowledges what an earlier request did.
func (s *Store) Confirm(ctx context.Context) error {
	if s.engine != sqldb.Postgres {
		return nil
	}
	return s.Write(ctx, func(*Tx) error { return nil })
}
