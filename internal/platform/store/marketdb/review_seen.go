package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Review names what a reviewer looks at: a submission at the digest of what it would publish.
type Review struct {
	SubmissionID string
	SHA256       string
	Reviewer     string
}

// NoteSeen notes that bytes from..to of a part were shown. It counts when nothing is left out before them.
func (tx *Tx) NoteSeen(r Review, part string, from, to int64) error {
	first := int64(0)
	if from == 0 {
		first = to
	}
	return tx.Exec(`INSERT INTO review_seen (submission_id, sha256, reviewer, part, seen_to, seen_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (submission_id, sha256, reviewer, part) DO UPDATE SET seen_at = excluded.seen_at,
			seen_to = CASE WHEN review_seen.seen_to >= $7 AND review_seen.seen_to < $8 THEN $8 ELSE review_seen.seen_to END`,
		r.SubmissionID, r.SHA256, r.Reviewer, part, first, clock.Micros(tx.Now), from, to)
}

// Seen returns how far each part was shown, in bytes from its beginning.
func (q Queries) Seen(ctx context.Context, r Review) (map[string]int64, error) {
	seen := map[string]int64{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT part, seen_to FROM review_seen WHERE submission_id = $1 AND sha256 = $2 AND reviewer = $3`,
		[]any{r.SubmissionID, r.SHA256, r.Reviewer}, func(rows *sql.Rows) error {
			var part string
			var to int64
			err := rows.Scan(&part, &to)
			seen[part] = to
			return err
		})
	return seen, err
}
