package marketdb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Trial is the latest trial of a member and an item. Times in µs.
type Trial struct {
	UserID    string
	ItemID    string
	TrialID   string
	SessionID string
	StartedAt int64
	ExpiresAt int64
}

// Trial gives the latest trial, or ErrNotFound.
func (q Queries) Trial(ctx context.Context, userID, itemID string) (Trial, error) {
	t := Trial{UserID: userID, ItemID: itemID}
	err := sqldb.ScanOne(ctx, q.Q, `SELECT trial_id, session_id, started_at, expires_at FROM trial WHERE user_id = $1 AND item_id = $2`,
		[]any{userID, itemID}, &t.TrialID, &t.SessionID, &t.StartedAt, &t.ExpiresAt)
	return t, err
}

// StartTrial starts t unless one is still active, which is then answered with started false. Of
// several at once exactly one starts.
func (tx *Tx) StartTrial(t Trial) (current Trial, started bool, err error) {
	err = sqldb.ScanOne(tx.Ctx, tx.Q, `INSERT INTO trial (user_id, item_id, trial_id, session_id, started_at, expires_at, told)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id, item_id) DO UPDATE SET trial_id = excluded.trial_id, session_id = excluded.session_id,
		  started_at = excluded.started_at, expires_at = excluded.expires_at, told = excluded.told
		  WHERE trial.expires_at <= $5
		RETURNING trial_id`,
		[]any{t.UserID, t.ItemID, t.TrialID, t.SessionID, t.StartedAt, t.ExpiresAt, false}, &t.TrialID)
	if errors.Is(err, sqldb.ErrNotFound) {
		current, err = tx.Trial(tx.Ctx, t.UserID, t.ItemID)
		return current, false, err
	}
	return t, true, err
}

// TakeExpiredTrials marks up to limit expired trials as told and answers them.
func (tx *Tx) TakeExpiredTrials(limit int) ([]Trial, error) {
	var all []Trial
	err := sqldb.ScanAll(tx.Ctx, tx.Q, `SELECT user_id, item_id, trial_id, session_id, started_at, expires_at FROM trial
		WHERE told = $1 AND expires_at <= $2 ORDER BY expires_at LIMIT $3`,
		[]any{false, clock.Micros(tx.Now), limit}, func(rows *sql.Rows) error {
			var t Trial
			if err := rows.Scan(&t.UserID, &t.ItemID, &t.TrialID, &t.SessionID, &t.StartedAt, &t.ExpiresAt); err != nil {
				return err
			}
			all = append(all, t)
			return nil
		})
	if err != nil {
		return nil, err
	}
	mine := all[:0]
	for _, t := range all {
		// Another node may have told this member a moment ago; whoever changes the row tells.
		n, err := tx.Changed(`UPDATE trial SET told = $3 WHERE user_id = $1 AND item_id = $2 AND told = $4 AND trial_id = $5`,
			t.UserID, t.ItemID, true, false, t.TrialID)
		if err != nil {
			return nil, err
		}
		if n == 1 {
			mine = append(mine, t)
		}
	}
	return mine, nil
}
