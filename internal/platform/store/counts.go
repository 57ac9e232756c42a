package store

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/sqldb"
)

// WrongCount is a number that is kept beside the rows it counts and is not theirs. Of is the member, or "".
type WrongCount struct {
	What string `json:"what"`
	Of   string `json:"of,omitempty"`
	Kept int64  `json:"kept"`
	Rows int64  `json:"rows"`
}

// counts compare what is kept with what is there: each gives whose it is, the number kept and the number of rows, in
// one statement, so that what is written meanwhile cannot make a difference.
var counts = []struct{ what, query string }{
	{
		"answers of a learner",
		`SELECT l.user_id, l.observations, COUNT(o.seq) FROM learner l LEFT JOIN observation o ON o.user_id = l.user_id
			GROUP BY l.user_id, l.observations HAVING l.observations <> COUNT(o.seq)`,
	},
	{
		"sessions of a learner",
		`SELECT k.user_id, k.n, COALESCE(r.n, 0) FROM (SELECT user_id, CAST(SUM(sessions) AS BIGINT) AS n FROM study_sum WHERE width = 0 AND user_id <> '' GROUP BY user_id) k
			LEFT JOIN (SELECT user_id, COUNT(*) AS n FROM study_session GROUP BY user_id) r ON r.user_id = k.user_id WHERE k.n <> COALESCE(r.n, 0)`,
	},
	{
		"checks of a learner's plans",
		`SELECT k.user_id, k.records, COALESCE(r.n, 0) FROM plan_quality_sum k
			LEFT JOIN (SELECT user_id, COUNT(*) AS n FROM plan_quality GROUP BY user_id) r ON r.user_id = k.user_id WHERE k.records <> COALESCE(r.n, 0)`,
	},
	{
		"traces of a learner's tutor",
		`SELECT k.user_id, k.n, COALESCE(r.n, 0) FROM learner_count k
			LEFT JOIN (SELECT user_id, COUNT(*) AS n FROM tutor_trace GROUP BY user_id) r ON r.user_id = k.user_id
			WHERE k.kind = 'tutor_trace' AND k.n <> COALESCE(r.n, 0)`,
	},
	{
		"items",
		`SELECT '', k.value, r.n FROM counter k CROSS JOIN (SELECT COALESCE(MAX(seq), 0) AS n FROM item) r WHERE k.name = 'item' AND k.value < r.n`,
	},
	{
		"versions of items without a document",
		`SELECT '', 0, r.n FROM (SELECT COUNT(*) AS n FROM item i LEFT JOIN item_version v ON v.seq = i.seq AND v.version = i.version WHERE v.seq IS NULL) r WHERE r.n > 0`,
	},
}

// WrongCounts looks for numbers that are not those of the rows they count, at most limit of each kind; checked is how
// many kinds there are.
func (q Queries) WrongCounts(ctx context.Context, limit int) (wrong []WrongCount, checked int, err error) {
	for _, c := range counts {
		n := 0
		err := sqldb.ScanAll(ctx, q.base.Q, c.query, nil, func(rows *sql.Rows) error {
			w := WrongCount{What: c.what}
			if err := rows.Scan(&w.Of, &w.Kept, &w.Rows); err != nil {
				return err
			}
			if n++; n <= limit {
				wrong = append(wrong, w)
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return wrong, len(counts), nil
}
