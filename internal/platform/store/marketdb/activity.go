package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/store/sqldb"
)

// Activity is how often an item, or the market, was used in one way on one day.
type Activity struct {
	Day     int64 // since 1970-01-01, UTC
	Counter Counter
	Uses    int64
}

// marketRows are over how many rows the market's count of a day is spread, so that writers do not queue for one.
const marketRows = 8

// marketRow is where an item's uses are counted for the market: a negative seq, other ones for each kind.
func marketRow(kind catalog.Kind, seq int64) int64 {
	row := -1 - seq%marketRows
	if kind == catalog.KindProfilePack {
		row -= marketRows
	}
	return row
}

// dayMicros is a day in µs.
const dayMicros = 24 * 60 * 60 * 1_000_000

// dayOf is the UTC day of a time in µs.
func dayOf(at int64) int64 { return at / dayMicros }

// countUse adds a use of today to an item and, when everybody may see the item, to the market.
func (tx *Tx) countUse(kind catalog.Kind, seq int64, public bool, c Counter, at int64) error {
	const add = `INSERT INTO activity (seq, day, counter, uses) VALUES ($1, $2, $3, 1) ON CONFLICT (seq, day, counter) DO UPDATE SET uses = activity.uses + 1`
	if err := tx.Exec(add, seq, dayOf(at), string(c)); err != nil || !public {
		return err
	}
	return tx.Exec(add, marketRow(kind, seq), dayOf(at), string(c))
}

// countSubmissions counts the submissions of a new item on the days on which they came.
func (tx *Tx) countSubmissions(i Item) error {
	rows := []int64{i.Seq}
	if i.Visibility != catalog.Private {
		rows = append(rows, marketRow(i.Kind, i.Seq))
	}
	for _, row := range rows {
		if err := tx.Exec(`INSERT INTO activity (seq, day, counter, uses) SELECT $1, created_at / $2, $3, COUNT(*) FROM submission WHERE kind = $4 AND item_id = $5 GROUP BY created_at / $2
			ON CONFLICT (seq, day, counter) DO UPDATE SET uses = activity.uses + excluded.uses`, row, int64(dayMicros), string(CommunitySubmissions), string(i.Kind), i.ItemID); err != nil {
			return err
		}
	}
	return nil
}

// ItemActivity gives the uses of an item from a day on.
func (q Queries) ItemActivity(ctx context.Context, seq, since int64) ([]Activity, error) {
	return q.activity(ctx, seq, seq, since)
}

// MarketActivity gives the uses of all public items of a kind from a day on; "" means both kinds.
func (q Queries) MarketActivity(ctx context.Context, kind catalog.Kind, since int64) ([]Activity, error) {
	first, last := int64(-2*marketRows), int64(-1)
	switch kind {
	case catalog.KindTemplate:
		first = -marketRows
	case catalog.KindProfilePack:
		last = -marketRows - 1
	}
	return q.activity(ctx, first, last, since)
}

func (q Queries) activity(ctx context.Context, first, last, since int64) ([]Activity, error) {
	var all []Activity
	err := sqldb.ScanAll(ctx, q.Q, `SELECT day, counter, uses FROM activity WHERE seq BETWEEN $1 AND $2 AND day >= $3`, []any{first, last, since}, func(rows *sql.Rows) error {
		var a Activity
		err := rows.Scan(&a.Day, &a.Counter, &a.Uses)
		all = append(all, a)
		return err
	})
	return all, err
}

// SweepActivity removes at most limit rows of days before one.
func (tx *Tx) SweepActivity(before int64, limit int) error {
	return tx.Exec(`DELETE FROM activity WHERE (seq, day, counter) IN (SELECT seq, day, counter FROM activity WHERE day < $1 ORDER BY day LIMIT $2)`, before, limit)
}
