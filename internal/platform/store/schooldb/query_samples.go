package schooldb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// QuerySample is one question about notes as it was answered. Shares in millionths, times in µs.
type QuerySample struct {
	UserID, ID string
	At         int64
	Fallback   bool
	Reason     string // why words alone answered
	Hits       int64
	Evidence   int64
	Paths      int64
	Valid      int64
	TookUS     int64
}

// AddQuerySamples keeps samples, and of each learner at most the newest most ones. Those that are there already stay.
func (tx *Tx) AddQuerySamples(samples []QuerySample, most int) error {
	learners := map[string]bool{}
	for _, s := range samples {
		if err := tx.Exec(`INSERT INTO query_sample (user_id, id, at, fallback, reason, hits, evidence, paths, valid, took_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (user_id, id) DO NOTHING`, s.UserID, s.ID, s.At, s.Fallback, s.Reason, s.Hits, s.Evidence, s.Paths, s.Valid, s.TookUS); err != nil {
			return err
		}
		learners[s.UserID] = true
	}
	for userID := range learners {
		if err := tx.Exec(`DELETE FROM query_sample WHERE user_id = $1 AND id < (SELECT MIN(id) FROM
			(SELECT id FROM query_sample WHERE user_id = $1 ORDER BY id DESC LIMIT $2) newest)`, userID, most); err != nil {
			return err
		}
	}
	return nil
}

// QuerySamples lists a learner's samples, newest first, at most limit.
func (q Queries) QuerySamples(ctx context.Context, userID string, limit int) ([]QuerySample, error) {
	var all []QuerySample
	err := sqldb.ScanAll(ctx, q.Q, `SELECT id, at, fallback, reason, hits, evidence, paths, valid, took_us FROM query_sample WHERE user_id = $1 ORDER BY id DESC LIMIT $2`,
		[]any{userID, limit}, func(rows *sql.Rows) error {
			s := QuerySample{UserID: userID}
			err := rows.Scan(&s.ID, &s.At, &s.Fallback, &s.Reason, &s.Hits, &s.Evidence, &s.Paths, &s.Valid, &s.TookUS)
			all = append(all, s)
			return err
		})
	return all, err
}

// SweepQuerySamples removes up to limit samples older than the id olderThan, oldest first, and tells how many.
func (tx *Tx) SweepQuerySamples(olderThan string, limit int) (int64, error) {
	return tx.Changed(`DELETE FROM query_sample WHERE (user_id, id) IN (SELECT user_id, id FROM query_sample WHERE id < $1 ORDER BY id LIMIT $2)`, olderThan, limit)
}
