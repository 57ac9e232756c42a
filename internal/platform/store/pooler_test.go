//go:build linux

package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
)

// TestNodesStartBehindAPooler starts several nodes at once on an empty database, each behind PgBouncer in transaction mode:
// one of them migrates, and all of them can write.
func TestNodesStartBehindAPooler(t *testing.T) {
	admin := dbtest.Postgres(t)
	if admin == "" {
		t.Skip("STOA_TEST_POSTGRES is not set")
	}
	pooled := dbtest.Pooler(t, admin)
	where := dbtest.Address(pooled, dbtest.Name(dbtest.Fresh(t, admin, dbtest.Empty)))
	clock := dbtest.NewClock()
	nodes := make([]*store.Store, 3)
	failed := make([]error, len(nodes))
	var all sync.WaitGroup
	for i := range nodes {
		all.Go(func() { nodes[i], failed[i] = store.Open(context.Background(), where, clock.Now) })
	}
	all.Wait()
	for i, err := range failed {
		if err != nil {
			t.Fatalf("node %d: %v", i, err)
		}
		defer nodes[i].Close()
	}
	for i, s := range nodes {
		write(t, s, func(tx *store.Tx) error { return tx.AddAccount(fmt.Sprintf("member-%d", i), "hash") })
	}
	for i := range nodes {
		if _, err := nodes[0].Account(context.Background(), fmt.Sprintf("member-%d", i)); err != nil {
			t.Errorf("member-%d: %v", i, err)
		}
	}
}
