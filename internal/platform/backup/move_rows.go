package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// source reads the rows of one moment of the source, table by table in the way of how, and notes their sums.
func (m *moving) source(how func(v *store.Snapshot, t sqldb.Table) (TableSum, error)) (err error) {
	v, err := m.Store.Snapshot(m.ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	m.TakenAt = m.Clock().UTC()
	all := sha256.New()
	for _, t := range v.Tables {
		sum, err := how(v, t)
		if err != nil {
			return err
		}
		m.Rows += sum.Rows
		m.Tables = append(m.Tables, MovedTable{Table: t.Name, Rows: sum.Rows, Source: sum.SHA256})
		fmt.Fprintf(all, "%s %d %s\n", t.Name, sum.Rows, sum.SHA256)
		m.progress.tell("rows", m.Rows, 0)
	}
	m.Digest = hex.EncodeToString(all.Sum(nil))
	return nil
}

// sumOnly reads a table for its sum.
func (m *moving) sumOnly(v *store.Snapshot, t sqldb.Table) (TableSum, error) {
	return eachPart(m.ctx, v, t, func(TableSum, []byte) error { return nil })
}

// errChanged says that the pieces of a table that are there are not those of the source any more.
var errChanged = errors.New("backup: the table has changed")

// rows writes what the target does not have. A piece that is there is known by its digest; when one is not the source's,
// which was written since, all of its table is written again.
func (m *moving) rows(to *store.Move) error {
	return m.source(func(v *store.Snapshot, t sqldb.Table) (TableSum, error) {
		there, err := to.Pieces(m.ctx, t.Name)
		if err != nil {
			return TableSum{}, err
		}
		if len(there) > 0 {
			sum, err := m.pieces(to, v, t, there)
			if !errors.Is(err, errChanged) {
				return sum, err
			}
		}
		if err := to.Clear(m.ctx, t.Name); err != nil { // also of what migrations put there
			return TableSum{}, err
		}
		return m.pieces(to, v, t, nil)
	})
}

func (m *moving) pieces(to *store.Move, v *store.Snapshot, t sqldb.Table, there []store.Piece) (TableSum, error) {
	var before int64 // rows of the pieces before
	sum, err := eachPart(m.ctx, v, t, func(soFar TableSum, part []byte) error {
		p := store.Piece{Number: int64(soFar.Parts), Rows: soFar.Rows - before, SHA256: digestOf(part)}
		before = soFar.Rows
		if soFar.Parts <= len(there) {
			if p != there[soFar.Parts-1] {
				return errChanged
			}
		} else {
			if err := to.Add(m.ctx, t, p, part); err != nil {
				return err
			}
			m.Written += p.Rows
		}
		m.progress.tell("rows", m.Rows+soFar.Rows, 0)
		return m.ctx.Err()
	})
	if err == nil && sum.Parts < len(there) {
		err = errChanged
	}
	return sum, err
}

// compare reads all rows of the target and names the tables that are not the source's; first alone, when that will do.
func (m *moving) compare(there *store.Snapshot, first bool) (differs []string, err error) {
	var done int64
	for i := range m.Tables {
		t := &m.Tables[i]
		if i >= len(there.Tables) || there.Tables[i].Name != t.Table {
			return []string{t.Table}, nil
		}
		sum, err := m.sumOnly(there, there.Tables[i])
		if err != nil {
			return nil, err
		}
		if t.Target = sum.SHA256; t.Target != t.Source || sum.Rows != t.Rows {
			differs = append(differs, t.Table)
			if first {
				break
			}
		}
		done += sum.Rows
		m.progress.tell("comparing rows", done, m.Rows)
	}
	return differs, nil
}
