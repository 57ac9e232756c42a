package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// journal takes down the rows that a transaction changes, as they were before, so that the change can be taken back. Methods
// that change what a session changes say so by tx.changes ahead of it.
type journal struct {
	rows []*journalRow
	seen map[string]bool
}

// journalRow is a row by its primary key. Before and After are as in a snapshot, nothing where there was no row.
type journalRow struct {
	Table  string          `json:"t"`
	Key    []string        `json:"k"`
	Before json.RawMessage `json:"b,omitempty"`
	After  json.RawMessage `json:"a,omitempty"` // of sums alone
}

// sums are rows that others may change too before the change is taken back: their numbers are taken back by the difference, and
// a text when it is still the one that the change left.
var journaledSums = []string{"study_sum", "quality_state", "plan_quality_sum", "learner_count"}

// sum reports whether others may change the row too; what is known of strategies over all learners is such a row, a learner's own not.
func (r *journalRow) sum() bool {
	return slices.Contains(journaledSums, r.Table) || r.Table == "strategy_evidence" && r.Key[0] == ""
}

// BeginJournal takes down what the transaction changes from here on.
func (tx *Tx) BeginJournal() { tx.journal = &journal{seen: map[string]bool{}} }

// changes takes a row down that is about to change for the first time.
func (tx *Tx) changes(table string, key ...any) error {
	j := tx.journal
	if j == nil {
		return nil
	}
	r := &journalRow{Table: table}
	for _, part := range key {
		r.Key = append(r.Key, fmt.Sprint(part))
	}
	id := table + "\x00" + strings.Join(r.Key, "\x00")
	if j.seen[id] {
		return nil
	}
	j.seen[id] = true
	t, err := tx.store.known(tx.ctx, tx.q, table)
	if err == nil {
		r.Before, err = tx.image(t, key)
	}
	j.rows = append(j.rows, r)
	return err
}

// EndJournal gives what was taken down.
func (tx *Tx) EndJournal() ([]byte, error) {
	j := tx.journal
	tx.journal = nil
	for _, r := range j.rows {
		if !r.sum() {
			continue
		}
		t, err := tx.store.known(tx.ctx, tx.q, r.Table)
		if err != nil {
			return nil, err
		}
		key, err := t.keyOf(r.Key)
		if err == nil {
			r.After, err = tx.image(t, key)
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(j.rows)
	if err != nil {
		return nil, err
	}
	return pack(text)
}

// TakeBack makes every row what it was before a session. version is the learner's that this makes: a learner's row keeps it,
// since versions never fall. Sums over all learners stay when the learner has come from another database since: that one has them.
func (tx *Tx) TakeBack(u SessionUndo, version int64) error {
	text, err := unpack(u.Journal)
	if err != nil {
		return err
	}
	fence, err := tx.Fence(tx.ctx, u.UserID)
	if err != nil {
		return err
	}
	var rows []journalRow
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	for _, r := range slices.Backward(rows) {
		if r.Key[0] == "" && u.ExecutedAt < fence.ChangedAt {
			continue
		}
		t, err := tx.store.known(tx.ctx, tx.q, r.Table)
		if err != nil {
			return err
		}
		key, err := t.keyOf(r.Key)
		if err != nil {
			return err
		}
		switch {
		case r.Table == "learner":
			err = tx.rewindLearner(t, &r, version)
		case r.sum():
			err = tx.subtract(t, key, &r)
		default:
			err = tx.restore(t, key, r.Before)
		}
		if err != nil {
			return fmt.Errorf("store: taking back %s: %w", r.Table, err)
		}
	}
	return nil
}

// known describes a table, once for as long as the store is open.
func (s *Store) known(ctx context.Context, q Querier, name string) (Table, error) {
	if t, ok := s.described.Load(name); ok {
		return t.(Table), nil
	}
	t, err := s.table(ctx, q, name)
	if err == nil && len(t.Key) == 0 {
		err = fmt.Errorf("store: there is no table %s with a primary key", name)
	}
	if err == nil {
		s.described.Store(name, t)
	}
	return t, err
}

// keyOf reads a primary key as it was taken down.
func (t Table) keyOf(texts []string) ([]any, error) {
	if len(texts) != len(t.Key) {
		return nil, fmt.Errorf("store: the key of %s has %d parts, not %d", t.Name, len(t.Key), len(texts))
	}
	key := make([]any, len(texts))
	for i, text := range texts {
		key[i] = text
		if c := t.column(t.Key[i]); c.number() {
			var n int64
			if _, err := fmt.Sscan(text, &n); err != nil {
				return nil, err
			}
			key[i] = n
		}
	}
	return key, nil
}

func (t Table) column(name string) Column {
	return t.Columns[slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })]
}

func (c Column) number() bool { return c.Type == typeBigint || c.Type == typeInt }

// where is the condition on a primary key whose first part is the parameter of a number.
func (t Table) where(first int) string {
	parts := make([]string, len(t.Key))
	for i, name := range t.Key {
		parts[i] = fmt.Sprintf("%s = $%d", name, first+i)
	}
	return ` WHERE ` + strings.Join(parts, " AND ")
}

// image gives a row as in a snapshot, nothing when there is none.
func (tx *Tx) image(t Table, key []any) (line json.RawMessage, err error) {
	values := make([]any, len(t.Columns))
	for i := range values {
		values[i] = new(any)
	}
	err = scanAll(tx.ctx, tx.q, `SELECT `+t.names()+` FROM `+t.Name+t.where(1), key, func(rows *sql.Rows) error {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		line, err = appendRow(nil, t, values)
		return err
	})
	return line, err
}

// values reads a row that image gave.
func (t Table) values(line json.RawMessage) ([]any, error) {
	if len(line) == 0 {
		return make([]any, len(t.Columns)), nil
	}
	var r rowReader
	return r.read(nil, line, t)
}

// restore puts a row back as it was, or removes it when there was none.
func (tx *Tx) restore(t Table, key []any, before json.RawMessage) error {
	if err := tx.exec(`DELETE FROM `+t.Name+t.where(1), key...); err != nil || len(before) == 0 {
		return err
	}
	values, err := t.values(before)
	if err != nil {
		return err
	}
	places := make([]string, len(values))
	for i := range places {
		places[i] = fmt.Sprintf("$%d", i+1)
	}
	return tx.exec(`INSERT INTO `+t.Name+` (`+t.names()+`) VALUES (`+strings.Join(places, ", ")+`)`, values...)
}

// subtract takes back what was added to a row of sums.
func (tx *Tx) subtract(t Table, key []any, r *journalRow) error {
	before, errBefore := t.values(r.Before)
	after, errAfter := t.values(r.After)
	if err := errors.Join(errBefore, errAfter); err != nil || len(r.After) == 0 {
		return err
	}
	args := slices.Clone(key)
	var set, nothing []string
	for i, c := range t.Columns {
		if slices.Contains(t.Key, c.Name) || c.Name == "updated_at" {
			continue
		}
		if c.number() {
			was, _ := before[i].(int64)
			is, _ := after[i].(int64)
			args = append(args, is-was)
			set = append(set, fmt.Sprintf("%s = %s - $%d", c.Name, c.Name, len(args)))
			nothing = append(nothing, c.Name+" = 0")
			continue
		}
		was := before[i]
		if was == nil {
			was = ""
		}
		args = append(args, after[i], was)
		set = append(set, fmt.Sprintf("%s = CASE WHEN %s = $%d THEN $%d ELSE %s END", c.Name, c.Name, len(args)-1, len(args), c.Name))
		nothing = append(nothing, c.Name+" = ''")
	}
	if err := tx.exec(`UPDATE `+t.Name+` SET `+strings.Join(set, ", ")+t.where(1), args...); err != nil || len(r.Before) > 0 {
		return err
	}
	return tx.exec(`DELETE FROM `+t.Name+t.where(1)+` AND `+strings.Join(nothing, " AND "), key...)
}

// rewindLearner puts a learner back to what they were, under a new version.
func (tx *Tx) rewindLearner(t Table, r *journalRow, version int64) error {
	values, err := t.values(r.Before)
	if err != nil {
		return err
	}
	was := func(name string) any {
		return values[slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })]
	}
	return tx.one(`UPDATE learner SET observations = $2, person = $3, core = $4, traits = $5, rewound = $6 WHERE user_id = $1`,
		r.Key[0], was("observations"), was("person"), was("core"), was("traits"), version)
}
