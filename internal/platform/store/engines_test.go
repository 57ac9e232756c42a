package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/platform/store"
)

// hands is a clock that tests move by hand.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

func newHands() *hands { return &hands{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hands) forward(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// onEngines runs a test on SQLite and, where one is given, on PostgreSQL.
func onEngines(t *testing.T, test func(t *testing.T, s *store.Store, clock *hands)) {
	t.Run("sqlite", func(t *testing.T) {
		clock := newHands()
		test(t, openAt(t, filepath.Join(t.TempDir(), "stoa.db"), clock), clock)
	})
	t.Run("postgres", func(t *testing.T) {
		clock := newHands()
		test(t, openAt(t, freshDatabase(t), clock), clock)
	})
}

func openAt(t *testing.T, where string, clock *hands) *store.Store {
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

// freshDatabase makes a PostgreSQL database for one test. Without a server the test is skipped, in CI it fails.
func freshDatabase(t *testing.T) string {
	t.Helper()
	dsn := os.Getenv("STOA_TEST_POSTGRES")
	if dsn == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("STOA_TEST_POSTGRES is not set: in CI PostgreSQL must be there")
		}
		t.Skip("STOA_TEST_POSTGRES is not set")
	}
	name := "stoa_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	admin, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	if _, err := admin.Exec("CREATE DATABASE " + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec(fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name)); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func write(t *testing.T, s *store.Store, f func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), f); err != nil {
		t.Fatal(err)
	}
}
