package schooldb

import (
	"cmp"
	"context"
	"database/sql"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/platform/store/sqldb"
)

// Study is one session that a learner worked through. ExecutedAt in µs; Delta and Confidence in millionths.
type Study struct {
	UserID     string
	ID         string
	ExecutedAt int64
	StudyKey
	Delta      int64
	Confidence int64
	Actions    int64
	Updated    int64
	Promoted   int64
	Promotions int64
	Record     []byte
}

// StudyKey is what sums over sessions are kept by.
type StudyKey struct{ Kind, Strategy, Source string }

// StudySum is a sum over sessions of one key.
type StudySum struct {
	StudyKey
	Sessions, Actions, Updated, Promoted, Promotions int64
	Delta, Confidence                                int64 // millionths
	Positive, Negative                               int64 // sessions after which mastery was higher, lower
}

// StudyFilter chooses sessions. Empty fields choose all; times in µs, From inclusive, To exclusive, 0 for open.
type StudyFilter struct {
	UserID           string
	Kinds            []string
	Strategy, Source string
	From, To         int64
}

// widths are the sums that are kept, in minutes; 0 is for ever.
var widths = []int64{0, 1440, 60, 1}

const (
	micros    = int64(time.Minute / time.Microsecond)
	allParts  = 16 // rows that the sums over all learners are spread over, so that no one row is everybody's
	sumFields = `sessions, actions, updated, promoted, promotions, delta, confidence, positive, negative`
)

// AddStudy keeps a session and adds it to the sums.
func (tx *Tx) AddStudy(s Study) error {
	if err := tx.Changes("study_session", s.UserID, s.ExecutedAt, s.ID); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO study_session (user_id, executed_at, id, kind, strategy, source, actions, updated, promoted, promotions, delta, confidence, record)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
		s.UserID, s.ExecutedAt, s.ID, s.Kind, s.Strategy, s.Source, s.Actions, s.Updated, s.Promoted, s.Promotions, s.Delta, s.Confidence, string(s.Record)); err != nil {
		return err
	}
	for _, width := range widths {
		if err := tx.addStudySum(s.UserID, width, bucket(s.ExecutedAt, width), s); err != nil {
			return err
		}
	}
	h := fnv.New32a()
	h.Write([]byte(s.UserID))
	return tx.addStudySum("", 0, int64(h.Sum32()%allParts), s)
}

// bucket is the number of the span of so many minutes that a time in µs lies in.
func bucket(at, width int64) int64 {
	if width == 0 {
		return 0
	}
	return at / (micros * width)
}

func (tx *Tx) addStudySum(user string, width, bucket int64, s Study) error {
	if err := tx.Changes("study_sum", user, width, bucket, s.Kind, s.Strategy, s.Source); err != nil {
		return err
	}
	var positive, negative int64
	if s.Delta > 0 {
		positive = 1
	} else if s.Delta < 0 {
		negative = 1
	}
	return tx.Exec(`INSERT INTO study_sum (user_id, width, bucket, kind, strategy, source, `+sumFields+`)
		VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (user_id, width, bucket, kind, strategy, source) DO UPDATE SET sessions = study_sum.sessions + 1, actions = study_sum.actions + $7,
		updated = study_sum.updated + $8, promoted = study_sum.promoted + $9, promotions = study_sum.promotions + $10, delta = study_sum.delta + $11,
		confidence = study_sum.confidence + $12, positive = study_sum.positive + $13, negative = study_sum.negative + $14`,
		user, width, bucket, s.Kind, s.Strategy, s.Source, s.Actions, s.Updated, s.Promoted, s.Promotions, s.Delta, s.Confidence, positive, negative)
}

// where is the condition on the key of a filter.
func (f StudyFilter) where(args *[]any) string {
	var b strings.Builder
	next := func(v any) string {
		*args = append(*args, v)
		return "$" + strconv.Itoa(len(*args))
	}
	if f.Strategy != "" {
		b.WriteString(` AND strategy = ` + next(f.Strategy))
	}
	if f.Source != "" {
		b.WriteString(` AND source = ` + next(f.Source))
	}
	if len(f.Kinds) > 0 {
		var in []string
		for _, k := range f.Kinds {
			in = append(in, next(k))
		}
		b.WriteString(` AND kind IN (` + strings.Join(in, ", ") + `)`)
	}
	return b.String()
}

// Studies lists sessions newest first: those before the one given by time and id (0 and "" for the newest), after so many
// that are left out.
func (q Queries) Studies(ctx context.Context, f StudyFilter, before int64, beforeID string, skip, limit int) ([]Study, error) {
	args := []any{f.UserID}
	where := f.where(&args)
	cond := func(text string, v any) {
		args = append(args, v)
		where += text + "$" + strconv.Itoa(len(args))
	}
	if f.From > 0 {
		cond(` AND executed_at >= `, f.From)
	}
	if f.To > 0 {
		cond(` AND executed_at < `, f.To)
	}
	if beforeID != "" {
		cond(` AND executed_at <= `, before)
		at := "$" + strconv.Itoa(len(args))
		args = append(args, beforeID)
		where += ` AND (executed_at < ` + at + ` OR id < ` + "$" + strconv.Itoa(len(args)) + `)`
	}
	args = append(args, limit, skip)
	var all []Study
	err := sqldb.ScanAll(ctx, q.Q, `SELECT executed_at, id, kind, strategy, source, delta, record FROM study_session WHERE user_id = $1`+where+
		` ORDER BY executed_at DESC, id DESC LIMIT `+"$"+strconv.Itoa(len(args)-1)+` OFFSET `+"$"+strconv.Itoa(len(args)), args, func(rows *sql.Rows) error {
		s := Study{UserID: f.UserID}
		err := rows.Scan(&s.ExecutedAt, &s.ID, &s.Kind, &s.Strategy, &s.Source, &s.Delta, &s.Record)
		all = append(all, s)
		return err
	})
	return all, err
}

// spans are the lengths that single sessions and the kept sums stand for, in µs, from the finest.
var spans = []int64{1, micros, 60 * micros, 1440 * micros}

// forever is later than any time and a whole number of days.
const forever = (1 << 60) / (1440 * micros) * (1440 * micros)

// StudySums sums up the sessions that a filter chooses, by kind, strategy and source. However many there are, it reads
// only the sums of whole days, hours and minutes, and the single sessions of less than a minute at each end.
func (q Queries) StudySums(ctx context.Context, f StudyFilter) ([]StudySum, error) {
	total := sums{}
	var err error
	if f.From <= 0 && f.To <= 0 {
		err = q.addSums(ctx, total, f, 0, 0, 1)
	} else {
		to := f.To
		if to <= 0 {
			to = forever
		}
		err = q.cover(ctx, total, f, 0, max(f.From, 0), to)
	}
	return total.list(), err
}

// cover adds what lies between two times that are whole numbers of a span, with coarser spans where they fit.
func (q Queries) cover(ctx context.Context, total sums, f StudyFilter, fine int, from, to int64) error {
	if from >= to {
		return nil
	}
	if fine < len(spans)-1 {
		coarse := spans[fine+1]
		if up, down := (from+coarse-1)/coarse*coarse, to/coarse*coarse; up <= down {
			for _, edge := range [][2]int64{{from, up}, {down, to}} {
				if err := q.stretch(ctx, total, f, fine, edge[0], edge[1]); err != nil {
					return err
				}
			}
			return q.cover(ctx, total, f, fine+1, up, down)
		}
	}
	return q.stretch(ctx, total, f, fine, from, to)
}

// stretch adds what lies between two times by the sums of one span.
func (q Queries) stretch(ctx context.Context, total sums, f StudyFilter, span int, from, to int64) error {
	switch {
	case from >= to:
		return nil
	case span > 0:
		return q.addSums(ctx, total, f, spans[span]/micros, from/spans[span], to/spans[span])
	}
	args := []any{f.UserID, from, to}
	where := f.where(&args)
	return q.add(ctx, total, `SELECT kind, strategy, source, COUNT(*), COALESCE(SUM(actions), 0), COALESCE(SUM(updated), 0), COALESCE(SUM(promoted), 0),
		COALESCE(SUM(promotions), 0), COALESCE(SUM(delta), 0), COALESCE(SUM(confidence), 0), SUM(CASE WHEN delta > 0 THEN 1 ELSE 0 END), SUM(CASE WHEN delta < 0 THEN 1 ELSE 0 END)
		FROM study_session WHERE user_id = $1 AND executed_at >= $2 AND executed_at < $3`+where+` GROUP BY kind, strategy, source`, args)
}

func (q Queries) addSums(ctx context.Context, total sums, f StudyFilter, width, from, to int64) error {
	args := []any{f.UserID, width, from, to}
	where := f.where(&args)
	return q.add(ctx, total, `SELECT kind, strategy, source, SUM(sessions), SUM(actions), SUM(updated), SUM(promoted), SUM(promotions), SUM(delta), SUM(confidence),
		SUM(positive), SUM(negative) FROM study_sum WHERE user_id = $1 AND width = $2 AND bucket >= $3 AND bucket < $4`+where+` GROUP BY kind, strategy, source`, args)
}

func (q Queries) add(ctx context.Context, total sums, query string, args []any) error {
	return sqldb.ScanAll(ctx, q.Q, query, args, func(rows *sql.Rows) error {
		var s StudySum
		err := rows.Scan(&s.Kind, &s.Strategy, &s.Source, &s.Sessions, &s.Actions, &s.Updated, &s.Promoted, &s.Promotions, &s.Delta, &s.Confidence, &s.Positive, &s.Negative)
		total[s.StudyKey] = total[s.StudyKey].Plus(s)
		return err
	})
}

// sums are sums by key.
type sums map[StudyKey]StudySum

// list gives the sums in the order of their keys.
func (t sums) list() []StudySum {
	list := slices.Collect(maps.Values(t))
	slices.SortFunc(list, func(a, b StudySum) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Strategy, b.Strategy), cmp.Compare(a.Source, b.Source))
	})
	return list
}

// Plus adds the figures of b under the key of b.
func (s StudySum) Plus(b StudySum) StudySum {
	b.Sessions += s.Sessions
	b.Actions += s.Actions
	b.Updated += s.Updated
	b.Promoted += s.Promoted
	b.Promotions += s.Promotions
	b.Delta += s.Delta
	b.Confidence += s.Confidence
	b.Positive += s.Positive
	b.Negative += s.Negative
	return b
}

// AllStudySums sums up the sessions of all learners.
func (q Queries) AllStudySums(ctx context.Context) ([]StudySum, error) {
	total := sums{}
	err := q.addSums(ctx, total, StudyFilter{}, 0, 0, allParts)
	return total.list(), err
}
