package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/store/sqldb"
)

// Mirror is a catalog of somebody else that is kept here. Times in µs.
type Mirror struct {
	Name, Kind, URL    string
	Republish, Private bool
	MaxItems           int
	Every              int64
	CreatedAt          int64
	Run                int64
	Running            bool
	Cursor             string
	ETag, NextETag     string
	NextAt, SyncedAt   int64
	Problem            string
}

// MirrorEntry is what a mirror's source lists and what became of it.
type MirrorEntry struct {
	Mirror, UpstreamID string
	Kind               catalog.Kind
	ItemID             string
	Stamp              string
	State, Reason      string
	Run                int64
}

// The states of an entry.
const (
	MirrorPublished = "published"
	MirrorWaiting   = "waiting" // for review: the scan found something of high risk
	MirrorRefused   = "refused"
	MirrorGone      = "gone"
)

const mirrorColumns = `name, kind, url, republish, private, max_items, every, created_at, run, running, list_cursor, etag, next_etag, next_at, synced_at, problem`

func (m *Mirror) fields() []any {
	return []any{
		&m.Name, &m.Kind, &m.URL, &m.Republish, &m.Private, &m.MaxItems, &m.Every, &m.CreatedAt, &m.Run, &m.Running, &m.Cursor, &m.ETag, &m.NextETag,
		&m.NextAt, &m.SyncedAt, &m.Problem,
	}
}

// Mirrors lists all mirrors by name.
func (q Queries) Mirrors(ctx context.Context) ([]Mirror, error) {
	var all []Mirror
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+mirrorColumns+` FROM mirror ORDER BY name`, nil, func(rows *sql.Rows) error {
		all = append(all, Mirror{})
		return rows.Scan(all[len(all)-1].fields()...)
	})
	return all, err
}

// Mirror gives one mirror, or ErrNotFound.
func (q Queries) Mirror(ctx context.Context, name string) (m Mirror, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+mirrorColumns+` FROM mirror WHERE name = $1`, []any{name}, m.fields()...)
	return m, err
}

// PutMirror adds a mirror, or writes over what is known of it.
func (tx *Tx) PutMirror(m Mirror) error {
	return tx.Exec(`INSERT INTO mirror (`+mirrorColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, url = excluded.url, republish = excluded.republish, private = excluded.private,
		max_items = excluded.max_items, every = excluded.every, run = excluded.run, running = excluded.running, list_cursor = excluded.list_cursor,
		etag = excluded.etag, next_etag = excluded.next_etag, next_at = excluded.next_at, synced_at = excluded.synced_at, problem = excluded.problem`,
		m.Name, m.Kind, m.URL, m.Republish, m.Private, m.MaxItems, m.Every, m.CreatedAt, m.Run, m.Running, m.Cursor, m.ETag, m.NextETag, m.NextAt,
		m.SyncedAt, m.Problem)
}

// RemoveMirror forgets a mirror and its entries; their items stay as they are.
func (tx *Tx) RemoveMirror(name string) error {
	if err := tx.Exec(`DELETE FROM mirror_entry WHERE mirror = $1`, name); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM mirror WHERE name = $1`, name)
}

const entryColumns = `mirror, upstream_id, kind, item_id, stamp, state, reason, run`

func (e *MirrorEntry) fields() []any {
	return []any{&e.Mirror, &e.UpstreamID, &e.Kind, &e.ItemID, &e.Stamp, &e.State, &e.Reason, &e.Run}
}

// MirrorEntry gives an entry, or ErrNotFound.
func (q Queries) MirrorEntry(ctx context.Context, mirror, upstreamID string) (e MirrorEntry, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT `+entryColumns+` FROM mirror_entry WHERE mirror = $1 AND upstream_id = $2`, []any{mirror, upstreamID}, e.fields()...)
	return e, err
}

// MirrorTaken tells whether an entry has an item's id already, or an item that came from no mirror.
func (q Queries) MirrorTaken(ctx context.Context, itemID string) (bool, error) {
	n := 0
	err := sqldb.ScanOne(ctx, q.Q, `SELECT (SELECT COUNT(*) FROM mirror_entry WHERE item_id = $1) + (SELECT COUNT(*) FROM item WHERE kind IN ($2, $3) AND item_id = $1 AND source_channel <> $4)`,
		[]any{itemID, string(catalog.KindTemplate), string(catalog.KindProfilePack), catalog.ChannelMirror}, &n)
	return n > 0, err
}

// PutMirrorEntry writes an entry.
func (tx *Tx) PutMirrorEntry(e MirrorEntry) error {
	return tx.Exec(`INSERT INTO mirror_entry (`+entryColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (mirror, upstream_id) DO UPDATE SET kind = excluded.kind, item_id = excluded.item_id, stamp = excluded.stamp, state = excluded.state,
		reason = excluded.reason, run = excluded.run`, e.Mirror, e.UpstreamID, string(e.Kind), e.ItemID, e.Stamp, e.State, e.Reason, e.Run)
}

// MirrorEntries lists entries in order of their ids, after one; of those in a state when it is not "", and of those that no
// sync has seen since a run when before is not 0.
func (q Queries) MirrorEntries(ctx context.Context, mirror, state, after string, before int64, limit int) ([]MirrorEntry, error) {
	var all []MirrorEntry
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+entryColumns+` FROM mirror_entry WHERE mirror = $1 AND ($2 = '' OR state = $2) AND upstream_id > $3
		AND (CAST($4 AS BIGINT) = 0 OR run < $4) ORDER BY upstream_id LIMIT $5`, []any{mirror, state, after, before, limit}, func(rows *sql.Rows) error {
		all = append(all, MirrorEntry{})
		return rows.Scan(all[len(all)-1].fields()...)
	})
	return all, err
}

// MirrorCounts counts a mirror's entries by state.
func (q Queries) MirrorCounts(ctx context.Context, mirror string) (map[string]int, error) {
	out := map[string]int{}
	err := sqldb.ScanAll(ctx, q.Q, `SELECT state, COUNT(*) FROM mirror_entry WHERE mirror = $1 GROUP BY state`, []any{mirror}, func(rows *sql.Rows) error {
		state, n := "", 0
		err := rows.Scan(&state, &n)
		out[state] = n
		return err
	})
	return out, err
}
