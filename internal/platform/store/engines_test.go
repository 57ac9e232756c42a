package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
)

// onEngines runs a test on SQLite and, where one is given, on PostgreSQL.
func onEngines(t *testing.T, test func(t *testing.T, s *store.Store, clock *dbtest.Clock)) {
	t.Run("sqlite", func(t *testing.T) {
		clock := dbtest.NewClock()
		test(t, openAt(t, filepath.Join(t.TempDir(), "stoa.db"), clock), clock)
	})
	t.Run("postgres", func(t *testing.T) {
		dsn := dbtest.Postgres(t)
		if dsn == "" {
			t.Skip("STOA_TEST_POSTGRES is not set")
		}
		clock := dbtest.NewClock()
		test(t, openAt(t, dbtest.Fresh(t, dsn, dbtest.Empty), clock), clock)
	})
}

func openAt(t *testing.T, where string, clock *dbtest.Clock) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), where, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func write(t *testing.T, s *store.Store, f func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}
