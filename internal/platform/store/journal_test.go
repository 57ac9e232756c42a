package store_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/schooldb"
)

// A session that was stored before an upgrade can be taken back after it: tables may have got columns since, and lost some.
func TestTakingBackAfterAnUpgrade(t *testing.T) {
	upgraded := func(t *testing.T, driver, where string) {
		clock := dbtest.NewClock()
		s := openAt(t, where, clock)
		study := func(id string, delta int64) schooldb.Study {
			return schooldb.Study{UserID: "ada", ID: id, ExecutedAt: 1_770_000_000_000_000, StudyKey: schooldb.StudyKey{Kind: "session"}, Delta: delta, Record: []byte("{}")}
		}
		var undo schooldb.SessionUndo
		// Another session stays, so that its sums are left when those of this one are taken off.
		write(t, s, func(tx *store.Tx) error { return tx.AddStudy(study("stays", 5)) })
		rows := func(s *store.Store) (list []int64) {
			t.Helper()
			got, err := s.Querier().QueryContext(context.Background(), `SELECT sessions, delta FROM study_sum WHERE user_id = 'ada' ORDER BY width`)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Close()
			for got.Next() {
				var a, b int64
				if err := got.Scan(&a, &b); err != nil {
					t.Fatal(err)
				}
				list = append(list, a, b)
			}
			return list
		}
		was := rows(s)
		write(t, s, func(tx *store.Tx) (err error) {
			tx.BeginJournal()
			if err := tx.AddStudy(study("taken back", 7)); err != nil {
				return err
			}
			undo = schooldb.SessionUndo{UserID: "ada", SessionID: "taken back", AfterVersion: 1, ExecutedAt: 1_770_000_000_000_000}
			undo.Journal, err = tx.EndJournal()
			return err
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open(driver, where)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []string{
			`ALTER TABLE study_sum ADD COLUMN added BIGINT NOT NULL DEFAULT 3`,
			`ALTER TABLE study_session ADD COLUMN added TEXT NOT NULL DEFAULT 'x'`,
			`ALTER TABLE study_sum ADD COLUMN added_too BIGINT NOT NULL DEFAULT 4`,
			`ALTER TABLE study_sum DROP COLUMN negative`,
		} {
			if _, err := db.Exec(change); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s = openAt(t, where, clock)
		write(t, s, func(tx *store.Tx) error { return tx.TakeBack(undo, 2, 0) })
		if is := rows(s); len(was) != 8 || !slices.Equal(is, was) {
			t.Errorf("sums were %v and are %v", was, is)
		}
	}
	t.Run("sqlite", func(t *testing.T) { upgraded(t, "sqlite", filepath.Join(t.TempDir(), "stoa.db")) })
	t.Run("postgres", func(t *testing.T) {
		dsn := dbtest.Postgres(t)
		if dsn == "" {
			t.Skip("STOA_TEST_POSTGRES is not set")
		}
		upgraded(t, "pgx", dbtest.Fresh(t, dsn, dbtest.Empty))
	})
}
