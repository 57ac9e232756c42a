package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// LearnerTables are the tables whose rows are in the database of their learner. Answers to keys and quotas, of which the main database has
// rows of its own, are merged by MergeLearner.
func LearnerTables() (tables []TableInfo) {
	for _, t := range Registry {
		if t.Owner != "" && (t.Area == AreaNotes || t.Area == AreaLearners) {
			tables = append(tables, t)
		}
	}
	return tables
}

// HasLearned tells whether a learner has any row here.
func (q Queries) HasLearned(ctx context.Context, userID string) (bool, error) {
	var found []string
	for _, t := range LearnerTables() {
		found = append(found, `EXISTS (SELECT 1 FROM `+t.Name+` WHERE `+t.Owner+` = $1)`)
	}
	var n int
	err := sqldb.ScanOne(ctx, q.base.Q, `SELECT CASE WHEN `+strings.Join(found, " OR ")+` THEN 1 ELSE 0 END`, []any{userID}, &n)
	return n > 0, err
}

// RowDigests are the digests of a learner's rows, by the table's name and the row's primary key.
type RowDigests map[string][sha256.Size]byte

// LearnerRow is a row on its way from one database to another. Line is as in a snapshot; nil says that the row is to be removed.
type LearnerRow struct {
	table sqldb.Table
	key   []any
	Line  []byte
}

// CopyLearner reads the rows of a learner in the tables named, as they are at one moment, and hands those to put that differ from known, in
// portions of a few MiB. It returns the digests of all. What known has and is not there any more is handed over as a row to be removed.
// known is used up.
func (s *Store) CopyLearner(ctx context.Context, userID string, tables []TableInfo, known RowDigests, put func([]LearnerRow) error) (RowDigests, error) {
	described := make([]sqldb.Table, len(tables))
	for i, info := range tables {
		var err error
		if described[i], err = s.described.Known(ctx, s.base.Q, info.Name); err != nil {
			return nil, err
		}
	}
	view, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = view.Close() }() // it was only read
	all := RowDigests{}
	for i, info := range tables {
		t := described[i]
		c := copying{table: t, known: known, all: all, put: put}
		if err := view.rowsOf(ctx, t, info.Owner, userID, c.take); err != nil {
			return nil, err
		}
		if err := c.end(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Portions of rows that are written in one transaction.
const (
	portionRows  = 2000
	portionBytes = 4 << 20
)

// copying is one table of CopyLearner.
type copying struct {
	table      sqldb.Table
	known, all RowDigests
	put        func([]LearnerRow) error
	portion    []LearnerRow
	bytes      int
}

func (c *copying) take(line []byte) error {
	values, err := c.table.Values(line)
	if err != nil {
		return err
	}
	key := make([]any, len(c.table.Key))
	for i, name := range c.table.Key {
		key[i] = values[slices.IndexFunc(c.table.Columns, func(column sqldb.Column) bool { return column.Name == name })]
	}
	text, err := json.Marshal(key)
	if err != nil {
		return err
	}
	id := c.table.Name + "\x00" + string(text)
	digest := sha256.Sum256(line)
	c.all[id] = digest
	was, had := c.known[id]
	delete(c.known, id)
	if had && was == digest {
		return nil
	}
	return c.add(LearnerRow{c.table, key, bytes.Clone(line)})
}

func (c *copying) add(r LearnerRow) error {
	c.portion = append(c.portion, r)
	c.bytes += len(r.Line)
	if len(c.portion) < portionRows && c.bytes < portionBytes {
		return nil
	}
	return c.flush()
}

func (c *copying) flush() error {
	if len(c.portion) == 0 {
		return nil
	}
	err := c.put(c.portion)
	c.portion, c.bytes = nil, 0
	return err
}

// end removes what is not there any more.
func (c *copying) end() error {
	for id := range c.known {
		name, text, _ := strings.Cut(id, "\x00")
		if name != c.table.Name {
			continue
		}
		key, err := keyFrom(text)
		if err != nil {
			return err
		}
		delete(c.known, id)
		if err := c.add(LearnerRow{c.table, key, nil}); err != nil {
			return err
		}
	}
	return c.flush()
}

// keyFrom reads a primary key as copying writes it.
func keyFrom(text string) ([]any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var key []any
	if err := d.Decode(&key); err != nil {
		return nil, err
	}
	for i, part := range key {
		if n, ok := part.(json.Number); ok {
			whole, err := n.Int64()
			if err != nil {
				return nil, err
			}
			key[i] = whole
		}
	}
	return key, nil
}

// rowsOf is Rows of one owner.
func (v *Snapshot) rowsOf(ctx context.Context, t sqldb.Table, owner, userID string, each func(line []byte) error) error {
	values := make([]any, len(t.Columns))
	for i := range values {
		values[i] = new(any)
	}
	var line []byte
	return sqldb.ScanAll(ctx, v.conn, `SELECT `+t.Names()+` FROM `+t.Name+` WHERE `+owner+` = $1 ORDER BY `+strings.Join(t.Key, ", "), []any{userID}, func(rows *sql.Rows) (err error) {
		if err = rows.Scan(values...); err != nil {
			return err
		}
		if line, err = sqldb.AppendRow(line[:0], t, values); err != nil {
			return err
		}
		return each(line)
	})
}

// PutLearnerRows writes rows that CopyLearner gave, in place of those that are there under the same keys.
func (tx *Tx) PutLearnerRows(rows []LearnerRow, replace bool) error {
	into := &Loading{tx: tx, ctx: tx.base.Ctx}
	for _, r := range rows {
		if replace || r.Line == nil {
			if err := tx.base.Exec(`DELETE FROM `+r.table.Name+r.table.Where(1), r.key...); err != nil {
				return err
			}
		}
		if r.Line == nil {
			continue
		}
		if into.table.Name != r.table.Name {
			if err := into.flush(); err != nil {
				return err
			}
			into.table = r.table
		}
		if err := into.Row(r.Line); err != nil {
			return err
		}
	}
	tx.base.Wrote = true
	return into.flush()
}

// ClearLearner removes a learner's rows from the database. In the main one the answers to keys and the quotas stay, which are of the market too.
func (tx *Tx) ClearLearner(userID string) (rows int64, err error) {
	tables := LearnerTables()
	if tx.store.ofLearners {
		for _, t := range Registry {
			if t.Name == "idempotency" || t.Name == "quota_use" || t.Name == "member_quota" {
				tables = append(tables, t)
			}
		}
	}
	for _, t := range tables {
		n, err := tx.base.Changed(`DELETE FROM `+t.Name+` WHERE `+t.Owner+` = $1`, userID)
		if err != nil {
			return rows, err
		}
		rows += n
	}
	return rows, nil
}

// merged says how a row of a table that the main database has for itself too meets one that is there.
var merged = []struct{ table, meets string }{
	{"idempotency", ` ON CONFLICT (user_id, idem_key) DO NOTHING`}, // answers never change
	{"quota_use", ` ON CONFLICT (user_id, kind) DO UPDATE SET used = CASE WHEN excluded.day > quota_use.day OR excluded.day = quota_use.day AND excluded.used > quota_use.used THEN excluded.used ELSE quota_use.used END,
		day = CASE WHEN excluded.day > quota_use.day THEN excluded.day ELSE quota_use.day END`}, // use only grows, and each kind is counted in one place
}

// MergeLearner copies a learner's answers to keys and use of quotas into another database, beside what is there.
func (s *Store) MergeLearner(ctx context.Context, userID string, write func(func(tx *Tx) error) error) error {
	for _, m := range merged {
		i := slices.IndexFunc(Registry, func(t TableInfo) bool { return t.Name == m.table })
		_, err := s.CopyLearner(ctx, userID, Registry[i:i+1], nil, func(rows []LearnerRow) error {
			return write(func(tx *Tx) error {
				for _, r := range rows {
					values, err := r.table.Values(r.Line)
					if err != nil {
						return err
					}
					places := make([]string, len(values))
					for i := range places {
						places[i] = fmt.Sprintf("$%d", i+1)
					}
					if err := tx.base.Exec(`INSERT INTO `+m.table+` (`+r.table.Names()+`) VALUES (`+strings.Join(places, ", ")+`)`+m.meets, values...); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SetMemberQuotas gives a member these limits of their own and no others.
func (tx *Tx) SetMemberQuotas(userID string, limits map[string]int64) error {
	err := tx.base.Exec(`DELETE FROM member_quota WHERE user_id = $1`, userID)
	for kind, most := range limits {
		err = errors.Join(err, tx.SetMemberQuota(userID, kind, most))
	}
	return err
}

// LearnerBlobs gives the digests of the pictures, sounds and packages that rows of a learner name.
func (q Queries) LearnerBlobs(ctx context.Context, userID string) (digests []string, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT sha256 FROM note_media WHERE owner = $1 UNION SELECT sha256 FROM anki_collection WHERE owner = $1`, []any{userID}, func(rows *sql.Rows) error {
		var digest string
		err := rows.Scan(&digest)
		if digest != "" {
			digests = append(digests, digest)
		}
		return err
	})
	return digests, err
}
