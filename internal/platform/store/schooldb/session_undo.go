package schooldb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// SessionUndo is what is kept of a session so that it can be taken back. Times in µs; UndoneAt is 0 until it was.
type SessionUndo struct {
	UserID, SessionID             string
	BeforeVersion, AfterVersion   int64 // of the learner
	Answers, ExecutedAt, UndoneAt int64
	Journal                       []byte
}

// keptUndos is how many sessions of a learner can be taken back.
const keptUndos = 20

// KeepUndo keeps a session's journal, and those of the newest sessions alone.
func (tx *Tx) KeepUndo(u SessionUndo) error {
	if err := tx.Exec(`INSERT INTO session_undo (user_id, session_id, before_version, after_version, answers, executed_at, undone_at, journal) VALUES ($1, $2, $3, $4, $5, $6, 0, $7)`,
		u.UserID, u.SessionID, u.BeforeVersion, u.AfterVersion, u.Answers, u.ExecutedAt, u.Journal); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM session_undo WHERE user_id = $1 AND session_id IN
		(SELECT session_id FROM session_undo WHERE user_id = $1 ORDER BY after_version DESC, session_id DESC LIMIT $3 OFFSET $2)`, u.UserID, keptUndos, 1<<20)
}

const undoColumns = `session_id, before_version, after_version, answers, executed_at, undone_at, journal`

// Undo gives what is kept of a session.
func (q Queries) Undo(ctx context.Context, userID, sessionID string) (SessionUndo, error) {
	u := SessionUndo{UserID: userID}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT `+undoColumns+` FROM session_undo WHERE user_id = $1 AND session_id = $2`, []any{userID, sessionID},
		&u.SessionID, &u.BeforeVersion, &u.AfterVersion, &u.Answers, &u.ExecutedAt, &u.UndoneAt, &u.Journal)
	return u, err
}

// LastUndo gives the session that left a learner at a version, if that can be taken back.
func (q Queries) LastUndo(ctx context.Context, userID string, version int64) (u SessionUndo, found bool, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT `+undoColumns+` FROM session_undo WHERE user_id = $1 AND after_version = $2 AND undone_at = 0`, []any{userID, version}, func(rows *sql.Rows) error {
		u, found = SessionUndo{UserID: userID}, true
		return rows.Scan(&u.SessionID, &u.BeforeVersion, &u.AfterVersion, &u.Answers, &u.ExecutedAt, &u.UndoneAt, &u.Journal)
	})
	return u, found, err
}

// MoveUndo makes a session the last at a later version of the learner, at which nothing was answered.
func (tx *Tx) MoveUndo(u SessionUndo, version int64) error {
	return tx.One(`UPDATE session_undo SET after_version = $3 WHERE user_id = $1 AND session_id = $2`, u.UserID, u.SessionID, version)
}

// Undone marks a session as taken back, and makes the one before it the last, at the version that this made.
func (tx *Tx) Undone(u SessionUndo, version int64) error {
	return errors.Join(
		tx.One(`UPDATE session_undo SET undone_at = $3, journal = $4 WHERE user_id = $1 AND session_id = $2`, u.UserID, u.SessionID, clock.Micros(tx.Now), []byte{}),
		tx.Exec(`UPDATE session_undo SET after_version = $3 WHERE user_id = $1 AND after_version = $2 AND undone_at = 0`, u.UserID, u.BeforeVersion, version),
	)
}
