package marketdb

import (
	"context"
	"database/sql"
	"errors"

	"stoa/internal/market/ranking"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Rating is what a member says of an item. Times in µs, 0 for never.
type Rating struct {
	ID      string
	UserID  string
	Seq     int64
	Stars   int
	Text    string
	Version string
	// Counted says that it has a part in the item's ranking.
	Counted    bool
	Hidden     bool
	Answer     string
	AnsweredAt int64
	CreatedAt  int64
	UpdatedAt  int64
	RemovedAt  int64
}

const ratingColumns = `rating_id, user_id, seq, stars, body, version, counted, hidden, answer, answered_at, created_at, updated_at, removed_at`

func scanRating(rows *sql.Rows, r *Rating, more ...any) error {
	var counted, hidden int
	err := rows.Scan(append([]any{
		&r.ID, &r.UserID, &r.Seq, &r.Stars, &r.Text, &r.Version, &counted, &hidden, &r.Answer, &r.AnsweredAt, &r.CreatedAt, &r.UpdatedAt, &r.RemovedAt,
	}, more...)...)
	r.Counted, r.Hidden = counted == 1, hidden == 1
	return err
}

func (q Queries) oneRating(ctx context.Context, where string, args ...any) (r Rating, err error) {
	found := false
	err = sqldb.ScanAll(ctx, q.Q, `SELECT `+ratingColumns+` FROM rating WHERE `+where, args, func(rows *sql.Rows) error {
		found = true
		return scanRating(rows, &r)
	})
	if err == nil && !found {
		err = sqldb.ErrNotFound
	}
	return r, err
}

// Rating gives a rating, a removed one too, or ErrNotFound.
func (q Queries) Rating(ctx context.Context, id string) (Rating, error) {
	return q.oneRating(ctx, `rating_id = $1`, id)
}

// RatingOf gives what a member says of an item, removed or not, or ErrNotFound.
func (q Queries) RatingOf(ctx context.Context, userID string, seq int64) (Rating, error) {
	return q.oneRating(ctx, `user_id = $1 AND seq = $2`, userID, seq)
}

// Ratings lists up to limit ratings of an item that everybody sees: those that count first, the latest first. It goes on after
// the given one, or begins when that has no id.
func (q Queries) Ratings(ctx context.Context, seq int64, after Rating, limit int) (all []Rating, err error) {
	counted := bit(after.Counted)
	if after.ID == "" {
		counted = 2
	}
	err = sqldb.ScanAll(ctx, q.Q, `SELECT `+ratingColumns+` FROM rating WHERE seq = $1 AND hidden = 0 AND removed_at = 0
		AND (counted, updated_at, rating_id) < ($2, $3, $4) ORDER BY counted DESC, updated_at DESC, rating_id DESC LIMIT $5`,
		[]any{seq, counted, after.UpdatedAt, after.ID, limit}, func(rows *sql.Rows) error {
			all = append(all, Rating{})
			return scanRating(rows, &all[len(all)-1])
		})
	return all, err
}

func bit(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// SetRating writes a member's rating over the one they had, keeping its id, when it was made, its answer and whether it is hidden.
func (tx *Tx) SetRating(r Rating) (ranking.Counts, error) {
	return tx.changeRating(r.Seq, r.UserID, func() error {
		return tx.Exec(`INSERT INTO rating (`+ratingColumns+`) VALUES ($1, $2, $3, $4, $5, $6, 0, 0, '', 0, $7, $7, 0)
			ON CONFLICT (user_id, seq) DO UPDATE SET stars = excluded.stars, body = excluded.body, version = excluded.version, updated_at = excluded.updated_at, removed_at = 0`,
			r.ID, r.UserID, r.Seq, r.Stars, r.Text, r.Version, clock.Micros(tx.Now))
	})
}

// RemoveRating takes a rating out of sight until it is swept away; ErrNotFound without one.
func (tx *Tx) RemoveRating(userID string, seq int64) (ranking.Counts, error) {
	return tx.changeRating(seq, userID, func() error {
		return tx.One(`UPDATE rating SET removed_at = $3 WHERE user_id = $1 AND seq = $2 AND removed_at = 0`, userID, seq, clock.Micros(tx.Now))
	})
}

// AnswerRating sets what an item's owner says to a rating; "" takes it back.
func (tx *Tx) AnswerRating(id, answer string) error {
	at := clock.Micros(tx.Now)
	if answer == "" {
		at = 0
	}
	return tx.One(`UPDATE rating SET answer = $2, answered_at = $3 WHERE rating_id = $1`, id, answer, at)
}

// HideRating hides a rating or shows it again, and ends its reports.
func (tx *Tx) HideRating(r Rating, hidden bool) (ranking.Counts, error) {
	return tx.changeRating(r.Seq, r.UserID, func() error {
		if err := tx.One(`UPDATE rating SET hidden = $2 WHERE rating_id = $1`, r.ID, bit(hidden)); err != nil {
			return err
		}
		return tx.Exec(`DELETE FROM rating_report WHERE rating_id = $1`, r.ID)
	})
}

// ReportRating keeps that a member finds a rating should not be seen; another word of the same member takes the first one's place.
func (tx *Tx) ReportRating(id, userID, reason string) error {
	return tx.Exec(`INSERT INTO rating_report (rating_id, reported_by, reason, reported_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (rating_id, reported_by) DO UPDATE SET reason = excluded.reason, reported_at = excluded.reported_at`, id, userID, reason, clock.Micros(tx.Now))
}

// ReportedRating is a rating that somebody reported, with the first report and how many there are.
type ReportedRating struct {
	Rating
	ItemID     string
	ReportedBy string
	Reason     string
	ReportedAt int64
	Reports    int
}

// ReportedRatings lists up to limit ratings that were reported and not decided about, the longest waiting first.
func (q Queries) ReportedRatings(ctx context.Context, limit int) (all []ReportedRating, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT r.rating_id, r.user_id, r.seq, r.stars, r.body, r.version, r.counted, r.hidden, r.answer, r.answered_at, r.created_at,
		r.updated_at, r.removed_at, i.item_id, p.reported_by, p.reason, p.reported_at, (SELECT COUNT(*) FROM rating_report n WHERE n.rating_id = r.rating_id)
		FROM rating_report p JOIN rating r ON r.rating_id = p.rating_id JOIN item i ON i.seq = r.seq
		WHERE r.removed_at = 0 AND NOT EXISTS (SELECT 1 FROM rating_report b WHERE b.rating_id = p.rating_id AND (b.reported_at, b.reported_by) < (p.reported_at, p.reported_by))
		ORDER BY p.reported_at, r.rating_id LIMIT $1`, []any{limit}, func(rows *sql.Rows) error {
		var r ReportedRating
		err := scanRating(rows, &r.Rating, &r.ItemID, &r.ReportedBy, &r.Reason, &r.ReportedAt, &r.Reports)
		all = append(all, r)
		return err
	})
	return all, err
}

// SweepRatings forgets up to limit ratings that were removed before a time in µs, and the reports on them.
func (tx *Tx) SweepRatings(before int64, limit int) (int64, error) {
	const gone = `(SELECT rating_id FROM rating WHERE removed_at > 0 AND removed_at < $1 ORDER BY removed_at, rating_id LIMIT $2)`
	if err := tx.Exec(`DELETE FROM rating_report WHERE rating_id IN `+gone, before, limit); err != nil {
		return 0, err
	}
	return tx.Changed(`DELETE FROM rating WHERE rating_id IN `+gone, before, limit)
}

// EraseRatings removes what a member said of items, what others reported of that, and the answers that they gave as an owner.
func (tx *Tx) EraseRatings(userID string) error {
	seqs, err := tx.ratedBy(userID)
	if err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM rating_report WHERE rating_id IN (SELECT rating_id FROM rating WHERE user_id = $1)`,
		`DELETE FROM rating WHERE user_id = $1`,
		`UPDATE rating SET answer = '', answered_at = 0 WHERE seq IN (SELECT seq FROM item WHERE owner = $1)`,
	} {
		if err := tx.Exec(statement, userID); err != nil {
			return err
		}
	}
	return tx.countAll(seqs)
}

// ratedBy lists what a member has rated.
func (tx *Tx) ratedBy(userID string) (seqs []int64, err error) {
	err = sqldb.ScanAll(tx.Ctx, tx.Q, `SELECT seq FROM rating WHERE user_id = $1 ORDER BY seq`, []any{userID}, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	})
	return seqs, err
}

func (tx *Tx) countAll(seqs []int64) error {
	for _, seq := range seqs {
		if _, err := tx.CountRanking(seq, 0); err != nil {
			return err
		}
	}
	return nil
}

// Recount counts what a member has rated, after whether they count has changed.
func (tx *Tx) Recount(userID string) error {
	seqs, err := tx.ratedBy(userID)
	if err != nil {
		return err
	}
	return tx.countAll(seqs)
}

// ratingCounts says of a row of rating whether it counts: its member may have been vouched for, or shut out, since it was written.
const ratingCounts = `CASE WHEN hidden = 0 AND removed_at = 0 AND EXISTS (SELECT 1 FROM account a WHERE a.user_id = rating.user_id AND a.vouched AND NOT a.disabled) THEN 1 ELSE 0 END`

// rankingFor gives an item's ranking to whoever is about to change it. Others who would wait until this transaction has ended,
// and see then what it wrote.
func (tx *Tx) rankingFor(seq int64) (s ranking.Counts, err error) {
	if err := tx.Exec(`INSERT INTO ranking (seq, counted, stars, others, keepers, changed_at) VALUES ($1, 0, 0, 0, 0, 0)
		ON CONFLICT (seq) DO UPDATE SET counted = ranking.counted`, seq); err != nil {
		return s, err
	}
	return tx.Ranking(tx.Ctx, seq)
}

func (tx *Tx) setRanking(seq int64, s ranking.Counts) error {
	return tx.Exec(`UPDATE ranking SET counted = $2, stars = $3, others = $4, keepers = $5, changed_at = $6 WHERE seq = $1`,
		seq, s.Ratings, s.Stars, s.Others, s.Keepers, clock.Micros(tx.Now))
}

// changeRating changes what a member says of an item and the item's ranking by the difference, so that it costs the same however
// many others have rated it.
func (tx *Tx) changeRating(seq int64, userID string, change func() error) (s ranking.Counts, err error) {
	if s, err = tx.rankingFor(seq); err != nil {
		return s, err
	}
	for sign, turn := int64(-1), 0; turn < 2; sign, turn = 1, turn+1 {
		r, err := tx.RatingOf(tx.Ctx, userID, seq)
		switch {
		case err == nil && r.Counted:
			s.Ratings, s.Stars = s.Ratings+sign, s.Stars+sign*int64(r.Stars)
		case err == nil && !r.Hidden && r.RemovedAt == 0:
			s.Others += sign
		case err != nil && !errors.Is(err, sqldb.ErrNotFound):
			return s, err
		}
		if turn == 1 {
			break
		}
		if err := change(); err != nil {
			return s, err
		}
		if err := tx.Exec(`UPDATE rating SET counted = `+ratingCounts+` WHERE user_id = $1 AND seq = $2`, userID, seq); err != nil {
			return s, err
		}
	}
	return s, tx.setRanking(seq, s)
}

// CountRanking counts again what an item's ranking is made of. keptSince (µs) is until when something must have been installed
// to count as kept; 0 leaves the keepers as they were counted last. The row is written when something changed.
func (tx *Tx) CountRanking(seq, keptSince int64) (s ranking.Counts, err error) {
	was, err := tx.rankingFor(seq)
	if err != nil {
		return s, err
	}
	if err := tx.Exec(`UPDATE rating SET counted = 1 - counted WHERE seq = $1 AND counted <> `+ratingCounts, seq); err != nil {
		return s, err
	}
	if err := sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT COALESCE(SUM(counted), 0), COALESCE(SUM(counted * stars), 0), COALESCE(SUM(1 - counted), 0)
		FROM rating WHERE seq = $1 AND hidden = 0 AND removed_at = 0`, []any{seq}, &s.Ratings, &s.Stars, &s.Others); err != nil {
		return s, err
	}
	s.Keepers = was.Keepers
	if keptSince > 0 {
		if err := sqldb.ScanOne(tx.Ctx, tx.Q, `SELECT COUNT(*) FROM installation n JOIN account a ON a.user_id = n.user_id JOIN item i ON i.seq = n.seq
			WHERE n.seq = $1 AND n.installed_at <= $2 AND a.vouched AND NOT a.disabled AND i.owner <> n.user_id`, []any{seq, keptSince}, &s.Keepers); err != nil {
			return s, err
		}
	}
	if s == was {
		return s, nil
	}
	return s, tx.setRanking(seq, s)
}

// Ranking gives what an item's ranking is made of; nothing where nobody has rated or kept it.
func (q Queries) Ranking(ctx context.Context, seq int64) (s ranking.Counts, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT counted, stars, others, keepers FROM ranking WHERE seq = $1`, []any{seq}, func(rows *sql.Rows) error {
		return rows.Scan(&s.Ratings, &s.Stars, &s.Others, &s.Keepers)
	})
	return s, err
}

// RankingChangedSince hands the rankings changed at or after since (µs) to yield.
func (q Queries) RankingChangedSince(ctx context.Context, since int64, yield func(seq int64, s ranking.Counts)) error {
	return sqldb.ScanAll(ctx, q.Q, `SELECT seq, counted, stars, others, keepers FROM ranking WHERE changed_at >= $1`, []any{since}, func(rows *sql.Rows) error {
		var seq int64
		var s ranking.Counts
		if err := rows.Scan(&seq, &s.Ratings, &s.Stars, &s.Others, &s.Keepers); err != nil {
			return err
		}
		yield(seq, s)
		return nil
	})
}

// ToCount lists up to limit items after one of which there are ratings, installations or a ranking.
func (q Queries) ToCount(ctx context.Context, after int64, limit int) (seqs []int64, err error) {
	err = sqldb.ScanAll(ctx, q.Q, `SELECT seq FROM (
		SELECT * FROM (SELECT DISTINCT seq FROM rating WHERE seq > $1 ORDER BY seq LIMIT $2) r
		UNION SELECT * FROM (SELECT DISTINCT seq FROM installation WHERE seq > $1 ORDER BY seq LIMIT $2) n
		UNION SELECT * FROM (SELECT seq FROM ranking WHERE seq > $1 ORDER BY seq LIMIT $2) s) u ORDER BY seq LIMIT $2`, []any{after, limit}, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	})
	return seqs, err
}
