package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// TakeBack makes every row what it was before a session. version is the learner's that this makes: a learner's row keeps it,
// since versions never fall. Sums over all learners stay when the learner has come from another database since, at movedAt: that
// one has them.
func (tx *Tx) TakeBack(u SessionUndo, version, movedAt int64) error {
	text, err := unpack(u.Journal)
	if err != nil {
		return err
	}
	var rows []journalRow
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	for _, r := range slices.Backward(rows) {
		if r.Key[0] == "" && u.ExecutedAt < movedAt {
			continue
		}
		t, err := tx.tables.Known(tx.ctx, tx.q, r.Table)
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
