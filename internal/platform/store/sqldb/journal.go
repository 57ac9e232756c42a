package sqldb

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// journal takes down the rows that a transaction changes, as they were before, so that the change can be taken back. Methods
// that change what a session changes say so by tx.changes ahead of it.
type journal struct {
	rows []*JournalRow
	seen map[string]bool
}

// JournalRow is a row by its primary key. Before and After are as in a snapshot, nothing where there was no row.
type JournalRow struct {
	Table   string          `json:"t"`
	Columns []string        `json:"c,omitempty"` // what the table had then: an upgrade may come before the change is taken back
	Key     []string        `json:"k"`
	Before  json.RawMessage `json:"b,omitempty"`
	After   json.RawMessage `json:"a,omitempty"` // of sums alone
}

// In gives the table with the columns that the row has, in the row's order. One that the table has lost since has no type. A
// row that was taken down before rows named their columns has as many of the table's as there are values, as columns are added
// behind the others.
func (r *JournalRow) In(t Table) (Table, error) {
	if r.Columns == nil {
		var values []json.RawMessage
		line := r.Before
		if len(line) == 0 {
			line = r.After
		}
		if len(line) == 0 {
			return t, nil
		}
		if err := json.Unmarshal(line, &values); err != nil {
			return t, err
		}
		t.Columns = t.Columns[:min(len(values), len(t.Columns))]
		return t, nil
	}
	columns := make([]Column, len(r.Columns))
	for i, name := range r.Columns {
		columns[i].Name = name
		if at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name }); at >= 0 {
			columns[i] = t.Columns[at]
		}
	}
	t.Columns = columns
	return t, nil
}

// sums are rows that others may change too before the change is taken back: their numbers are taken back by the difference, and
// a text when it is still the one that the change left.
var journaledSums = []string{"study_sum", "quality_state", "plan_quality_sum", "learner_count"}

// Sum reports whether others may change the row too; what is known of strategies over all learners is such a row, a learner's own not.
func (r *JournalRow) Sum() bool {
	return slices.Contains(journaledSums, r.Table) || r.Table == "strategy_evidence" && r.Key[0] == ""
}

// BeginJournal takes down what the transaction changes from here on.
func (tx *Tx) BeginJournal() { tx.Journal = &journal{seen: map[string]bool{}} }

// Changes takes a row down that is about to change for the first time.
func (tx *Tx) Changes(table string, key ...any) error {
	j := tx.Journal
	if j == nil {
		return nil
	}
	r := &JournalRow{Table: table}
	for _, part := range key {
		r.Key = append(r.Key, fmt.Sprint(part))
	}
	id := table + "\x00" + strings.Join(r.Key, "\x00")
	if j.seen[id] {
		return nil
	}
	j.seen[id] = true
	t, err := tx.Tables.Known(tx.Ctx, tx.Q, table)
	if err == nil {
		r.Columns = t.names()
		r.Before, err = tx.image(t, key)
	}
	j.rows = append(j.rows, r)
	return err
}

// EndJournal gives what was taken down.
func (tx *Tx) EndJournal() ([]byte, error) {
	j := tx.Journal
	tx.Journal = nil
	for _, r := range j.rows {
		if !r.Sum() {
			continue
		}
		t, err := tx.Tables.Known(tx.Ctx, tx.Q, r.Table)
		if err != nil {
			return nil, err
		}
		key, err := t.KeyOf(r.Key)
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
	return Pack(text)
}

// image gives a row as in a snapshot, nothing when there is none.
func (tx *Tx) image(t Table, key []any) (line json.RawMessage, err error) {
	values := make([]any, len(t.Columns))
	for i := range values {
		values[i] = new(any)
	}
	err = ScanAll(tx.Ctx, tx.Q, `SELECT `+t.Names()+` FROM `+t.Name+t.Where(1), key, func(rows *sql.Rows) error {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		line, err = AppendRow(nil, t, values)
		return err
	})
	return line, err
}
