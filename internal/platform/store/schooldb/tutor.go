package schooldb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// TutorTrace is what the tutor did once. CreatedAt in µs.
type TutorTrace struct {
	UserID, ID, Source, Provider string
	CreatedAt                    int64
	Trace                        []byte
}

// AddTutorTrace keeps what the tutor did.
func (tx *Tx) AddTutorTrace(t TutorTrace) error {
	if err := errors.Join(tx.Changes("tutor_trace", t.UserID, t.ID), tx.Changes("learner_count", t.UserID, "tutor_trace")); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO tutor_trace (user_id, id, source, provider, created_at, trace) VALUES ($1, $2, $3, $4, $5, $6)`,
		t.UserID, t.ID, t.Source, t.Provider, t.CreatedAt, string(t.Trace)); err != nil {
		return err
	}
	return tx.countTraces(t.UserID, 1)
}

func (tx *Tx) countTraces(userID string, by int) error {
	return tx.Exec(`INSERT INTO learner_count (user_id, kind, n) VALUES ($1, 'tutor_trace', $2) ON CONFLICT (user_id, kind) DO UPDATE SET n = learner_count.n + $2`, userID, by)
}

// SweepTutor removes up to limit traces older than a time in µs, and as many exposures to strategies.
func (tx *Tx) SweepTutor(before int64, limit int) (int64, error) {
	type trace struct{ userID, id string }
	var old []trace
	err := sqldb.ScanAll(tx.Ctx, tx.Q, `SELECT user_id, id FROM tutor_trace WHERE created_at < $1 ORDER BY created_at LIMIT $2`, []any{before, limit}, func(rows *sql.Rows) error {
		var t trace
		err := rows.Scan(&t.userID, &t.id)
		old = append(old, t)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, t := range old {
		n, err := tx.Changed(`DELETE FROM tutor_trace WHERE user_id = $1 AND id = $2`, t.userID, t.id)
		if err == nil && n > 0 {
			err = tx.countTraces(t.userID, -1)
		}
		if err != nil {
			return 0, err
		}
	}
	n, err := tx.Changed(`DELETE FROM strategy_exposure WHERE (user_id, executed_at, session_id) IN
		(SELECT user_id, executed_at, session_id FROM strategy_exposure WHERE executed_at < $1 ORDER BY executed_at LIMIT $2)`, before, limit)
	return int64(len(old)) + n, err
}

// TutorTraces lists what the tutor did for a learner, newest first, older than the one before.
func (q Queries) TutorTraces(ctx context.Context, userID, before string, limit int) ([]TutorTrace, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	var all []TutorTrace
	err := sqldb.ScanAll(ctx, q.Q, `SELECT id, source, provider, created_at, trace FROM tutor_trace WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
		[]any{userID, before, limit}, func(rows *sql.Rows) error {
			t := TutorTrace{UserID: userID}
			err := rows.Scan(&t.ID, &t.Source, &t.Provider, &t.CreatedAt, &t.Trace)
			all = append(all, t)
			return err
		})
	return all, err
}

// Memory is something that a learner's tutor keeps in mind. Times in µs; ExpiresAt 0 is never.
type Memory struct {
	UserID, Layer, Key   string
	Entry                []byte
	Confidence           float64
	UpdatedAt, ExpiresAt int64
}

// PutMemory keeps an entry, and in its layer at most the newest most ones that have not expired.
func (tx *Tx) PutMemory(m Memory, most int) error {
	if err := tx.memoryChanges(m, most); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO memory_entry (user_id, layer, entry_key, entry, confidence, updated_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id, layer, entry_key) DO UPDATE SET entry = $4, confidence = $5, updated_at = $6, expires_at = $7`,
		m.UserID, m.Layer, m.Key, string(m.Entry), m.Confidence, m.UpdatedAt, m.ExpiresAt); err != nil {
		return err
	}
	if err := tx.Exec(`DELETE FROM memory_entry WHERE user_id = $1 AND layer = $2 AND expires_at > 0 AND expires_at <= $3`,
		m.UserID, m.Layer, clock.Micros(tx.Now)); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM memory_entry WHERE user_id = $1 AND layer = $2 AND entry_key IN
		(SELECT entry_key FROM memory_entry WHERE user_id = $1 AND layer = $2 ORDER BY updated_at DESC, entry_key LIMIT $4 OFFSET $3)`,
		m.UserID, m.Layer, most, 1<<20)
}

// memoryChanges takes down the entry, and those that it makes room of.
func (tx *Tx) memoryChanges(m Memory, most int) error {
	if tx.Journal == nil {
		return nil
	}
	keys := []string{m.Key}
	if err := sqldb.ScanAll(tx.Ctx, tx.Q, `SELECT entry_key FROM memory_entry WHERE user_id = $1 AND layer = $2 AND (expires_at > 0 AND expires_at <= $3 OR entry_key IN
		(SELECT entry_key FROM memory_entry WHERE user_id = $1 AND layer = $2 ORDER BY updated_at DESC, entry_key LIMIT $5 OFFSET $4))`,
		[]any{m.UserID, m.Layer, clock.Micros(tx.Now), max(0, most-1), 1 << 20}, func(rows *sql.Rows) error {
			var key string
			err := rows.Scan(&key)
			keys = append(keys, key)
			return err
		}); err != nil {
		return err
	}
	for _, key := range keys {
		if err := tx.Changes("memory_entry", m.UserID, m.Layer, key); err != nil {
			return err
		}
	}
	return nil
}

// DropMemory removes an entry.
func (tx *Tx) DropMemory(userID, layer, key string) error {
	if err := tx.Changes("memory_entry", userID, layer, key); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM memory_entry WHERE user_id = $1 AND layer = $2 AND entry_key = $3`, userID, layer, key)
}

// LearnerCounts are how many rows a learner has of each kind.
type LearnerCounts struct{ Documents, Atoms, Traces, Sessions, Session, Unit, LongTerm, Replaced int64 }

// LearnerCounts counts what is kept of a learner.
func (q Queries) LearnerCounts(ctx context.Context, userID string) (n LearnerCounts, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT (SELECT COUNT(*) FROM note WHERE owner IN ('', $1) AND NOT deleted), (SELECT COUNT(*) FROM learner_atom WHERE user_id = $1),
		COALESCE((SELECT n FROM learner_count WHERE user_id = $1 AND kind = 'tutor_trace'), 0),
		(SELECT COALESCE(SUM(sessions), 0) FROM study_sum WHERE user_id = $1 AND width = 0),
		(SELECT COUNT(*) FROM memory_entry WHERE user_id = $1 AND layer = 'session'), (SELECT COUNT(*) FROM memory_entry WHERE user_id = $1 AND layer = 'unit'),
		(SELECT COUNT(*) FROM memory_entry WHERE user_id = $1 AND layer = 'long_term'), (SELECT COUNT(*) FROM note_history WHERE owner IN ('', $1))`, []any{userID},
		&n.Documents, &n.Atoms, &n.Traces, &n.Sessions, &n.Session, &n.Unit, &n.LongTerm, &n.Replaced)
	return n, err
}
