package schooldb

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// TakeBack makes every row what it was before a session. version is the learner's that this makes: a learner's row keeps it,
// since versions never fall. Sums over all learners stay when the learner has come from another database since, at movedAt: that
// one has them.
func (tx *Tx) TakeBack(u SessionUndo, version, movedAt int64) error {
	text, err := sqldb.Unpack(u.Journal)
	if err != nil {
		return err
	}
	var rows []sqldb.JournalRow
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	for _, r := range slices.Backward(rows) {
		if r.Key[0] == "" && u.ExecutedAt < movedAt {
			continue
		}
		t, err := tx.Tables.Known(tx.Ctx, tx.Q, r.Table)
		if err != nil {
			return err
		}
		key, err := t.KeyOf(r.Key)
		if err == nil {
			t, err = r.In(t)
		}
		if err != nil {
			return err
		}
		switch {
		case r.Table == "learner":
			err = tx.rewindLearner(t, &r, version)
		case r.Sum():
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

// restore puts a row back as it was, or removes it when there was none.
func (tx *Tx) restore(t sqldb.Table, key []any, before json.RawMessage) error {
	if err := tx.Exec(`DELETE FROM `+t.Name+t.Where(1), key...); err != nil || len(before) == 0 {
		return err
	}
	values, err := t.Values(before)
	if err != nil {
		return err
	}
	var names, places []string
	var args []any
	for i, c := range t.Columns {
		if c.Type != "" {
			args = append(args, values[i])
			names, places = append(names, c.Name), append(places, fmt.Sprintf("$%d", len(args)))
		}
	}
	return tx.Exec(`INSERT INTO `+t.Name+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(places, ", ")+`)`, args...)
}

// subtract takes back what was added to a row of sums.
func (tx *Tx) subtract(t sqldb.Table, key []any, r *sqldb.JournalRow) error {
	before, errBefore := t.Values(r.Before)
	after, errAfter := t.Values(r.After)
	if err := errors.Join(errBefore, errAfter); err != nil || len(r.After) == 0 {
		return err
	}
	args := slices.Clone(key)
	var set, nothing []string
	for i, c := range t.Columns {
		if slices.Contains(t.Key, c.Name) || c.Name == "updated_at" || c.Type == "" {
			continue
		}
		if c.Number() {
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
	if err := tx.Exec(`UPDATE `+t.Name+` SET `+strings.Join(set, ", ")+t.Where(1), args...); err != nil || len(r.Before) > 0 {
		return err
	}
	return tx.Exec(`DELETE FROM `+t.Name+t.Where(1)+` AND `+strings.Join(nothing, " AND "), key...)
}

// rewindLearner puts a learner back to what they were, under a new version.
func (tx *Tx) rewindLearner(t sqldb.Table, r *sqldb.JournalRow, version int64) error {
	values, err := t.Values(r.Before)
	if err != nil {
		return err
	}
	was := func(name string) any {
		return values[slices.IndexFunc(t.Columns, func(c sqldb.Column) bool { return c.Name == name })]
	}
	return tx.One(`UPDATE learner SET observations = $2, person = $3, core = $4, traits = $5, rewound = $6 WHERE user_id = $1`,
		r.Key[0], was("observations"), was("person"), was("core"), was("traits"), version)
}
