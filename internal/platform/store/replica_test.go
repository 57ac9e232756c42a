//go:build linux

package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"stoa/internal/dbtest"
	market "stoa/internal/market/catalog"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// town is a primary, standbys that follow it, and a node that reads from them.
type town struct {
	*guarded
	primary  *dbtest.Server
	standbys []*dbtest.Server
}

func newTown(t *testing.T, standbys int) *town {
	t.Helper()
	w := &town{primary: dbtest.NewServer(t, "wal_level=replica", "hot_standby=on")}
	w.primary.Exec(t, "postgres", "CREATE DATABASE stoa")
	var names []string
	for i := range standbys {
		w.standbys = append(w.standbys, w.primary.Standby(t, fmt.Sprintf("standby%d", i)))
		names = append(names, w.standbys[i].Address("stoa"))
	}
	w.guarded = guardedAt(t, w.primary.Address("stoa"), filepath.Join(t.TempDir(), "mark"), "one", store.Replicas(names...))
	w.publish(t, 1)
	return w
}

// publish makes a version of the only item, with an event, as an operation does.
func (w *town) publish(t *testing.T, version int) {
	t.Helper()
	err := w.Write(sqldb.Soon(t.Context()), func(tx *store.Tx) error { return putVersion(tx, version) })
	if err != nil {
		t.Fatal(err)
	}
}

func putVersion(tx *store.Tx, version int) error {
	i := marketdb.Item{Seq: 1, Kind: market.KindTemplate, ItemID: "ada/one", Owner: "ada", Visibility: market.Community, Version: fmt.Sprint(version), Revision: 1}
	put := tx.UpdateItem
	if version == 1 {
		put = tx.AddItem
	}
	if err := put(&i); err != nil {
		return err
	}
	return tx.AddEvent(store.Event{EventID: uuid.Must(uuid.NewV7()).String(), Action: "test"})
}

// read reads the version as the catalog does, and tells whether a standby answered.
func (w *town) read(ctx context.Context) (version int, standby bool, err error) {
	err = w.Catalog(sqldb.Soon(ctx), func(q store.Queries) error {
		rows, err := q.Querier().QueryContext(ctx, `SELECT pg_is_in_recovery(), CAST(version AS INTEGER) FROM item WHERE seq = 1`)
		if err != nil {
			return err
		}
		defer rows.Close()
		if rows.Next() {
			err = rows.Scan(&standby, &version)
		}
		return errors.Join(err, rows.Err())
	})
	return version, standby, err
}

// comes waits until a read is answered by a standby, or by the primary, and never with another version.
func (w *town) comes(t *testing.T, version int, standby bool) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		is, from, err := w.read(t.Context())
		if err != nil || is != version {
			t.Fatalf("version %d, %v instead of %d", is, err, version)
		}
		if from == standby {
			return
		}
		if time.Since(began) > 30*time.Second {
			states, _ := w.ReplicaStates()
			t.Fatalf("a standby answers: %t; %+v", from, states)
		}
	}
}

// says waits until a replica is not read from, for a reason.
func (w *town) says(t *testing.T, replica int, words string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		states, _ := w.ReplicaStates()
		if strings.Contains(states[replica].Problem, words) && (words != "" || states[replica].Problem == "") {
			return
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("%q is not said: %+v", words, states)
		}
	}
}

// A replica that is paused, killed, promoted or follows an older history is passed over without an error, and what it says is never older
// than what was shown.
func TestAReplicaIsReadFromOnlyWhileItMayBe(t *testing.T) {
	t.Parallel()
	w := newTown(t, 1)
	standby := w.standbys[0]
	w.comes(t, 1, true)

	w.publish(t, 2) // read your writes: whoever answers has it
	w.comes(t, 2, true)

	standby.Exec(t, "stoa", "SELECT pg_wal_replay_pause()")
	w.publish(t, 3)
	if version, from, err := w.read(t.Context()); version != 3 || from || err != nil {
		t.Errorf("a paused replica: version %d, a standby: %t, %v", version, from, err)
	}
	if states, primary := w.ReplicaStates(); states[0].Changes != 1 || states[0].Behind == 0 || primary == 0 {
		t.Errorf("%+v, %d", states, primary)
	}
	standby.Exec(t, "stoa", "SELECT pg_wal_replay_resume()")
	w.comes(t, 3, true)

	// Another node publishes: this one has not shown it, and yet hears of it although the replica is paused.
	standby.Exec(t, "stoa", "SELECT pg_wal_replay_pause()")
	other := openAt(t, w.primary.Address("stoa"), dbtest.NewClock())
	write(t, other, func(tx *store.Tx) error { return putVersion(tx, 4) })
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		version, from, err := w.read(t.Context())
		if err != nil || from && version != 3 {
			t.Fatalf("version %d, a standby: %t, %v", version, from, err)
		}
		if version == 4 {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("the replica is believed for ever")
		}
	}
	standby.Exec(t, "stoa", "SELECT pg_wal_replay_resume()")
	w.comes(t, 4, true)

	standby.Kill()
	for range 50 {
		if version, from, err := w.read(t.Context()); version != 4 || from || err != nil {
			t.Fatalf("a killed replica: version %d, a standby: %t, %v", version, from, err)
		}
	}
	if states, _ := w.ReplicaStates(); states[0].Problem == "" || states[0].Failed > 2 {
		t.Errorf("each read tried it: %+v", states)
	}
	standby.Start(t)
	w.comes(t, 4, true)

	standby.Promote(t)
	if _, from, err := w.read(t.Context()); from || err != nil {
		t.Errorf("a promoted replica is read from: %t, %v", from, err)
	}
	w.says(t, 0, "takes writes")
	standby.Exec(t, "stoa", "UPDATE item SET version = '9'")
	standby.Exec(t, "stoa", "UPDATE counter SET value = value + 100 WHERE name = 'item_change'")
	w.comes(t, 4, false)
}

// While the primary is away a replica that has what was shown goes on, and one that has not does not.
func TestAReplicaAnswersWhileThePrimaryIsAway(t *testing.T) {
	t.Parallel()
	w := newTown(t, 2)
	w.comes(t, 1, true)
	w.standbys[0].Exec(t, "stoa", "SELECT pg_wal_replay_pause()")
	w.publish(t, 2)
	w.comes(t, 2, true) // from the other
	w.primary.Kill()
	for range 20 {
		if version, from, err := w.read(t.Context()); version != 2 || !from || err != nil {
			t.Fatalf("version %d, a standby: %t, %v", version, from, err)
		}
	}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if states, _ := w.ReplicaStates(); states[1].Delay > 0 && states[1].Problem == "" {
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatal("nothing says how old it is")
		}
	}
	w.standbys[1].Kill()
	if version, _, err := w.read(t.Context()); err == nil {
		t.Errorf("version %d, which a replica that is behind answered", version)
	}
}

// After a failover a replica of the old primary is not read from, and again when it follows the new one.
func TestAReplicaOfTheOldPrimaryIsNotReadFrom(t *testing.T) {
	t.Parallel()
	first := dbtest.NewServer(t, "wal_level=replica", "hot_standby=on")
	first.Exec(t, "postgres", "CREATE DATABASE stoa")
	second, replica := first.Standby(t, "second"), first.Standby(t, "replica")
	stranger := dbtest.NewServer(t)
	stranger.Exec(t, "postgres", "CREATE DATABASE stoa")
	w := &town{guarded: guardedAt(t, hosts(first, second), filepath.Join(t.TempDir(), "mark"), "one", store.Replicas(replica.Address("stoa"), stranger.Address("stoa"))), primary: first}
	if err := openAt(t, stranger.Address("stoa"), dbtest.NewClock()).Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.publish(t, 1)
	w.comes(t, 1, true)
	w.says(t, 1, "cluster")
	(&oneServer{Server: first}).waitFor(t, `SELECT COUNT(*) FROM pg_stat_replication WHERE application_name = 'second' AND replay_lsn = pg_current_wal_flush_lsn()`)
	first.Kill()
	second.Promote(t)
	w.must(t)
	w.publish(t, 2)
	w.says(t, 0, "timeline 1")
	w.comes(t, 2, false)
	replica.Follow(t, second, "replica")
	w.comes(t, 2, true)

	found, err := store.CheckHA(t.Context(), second.Address("stoa"), replica.Address("stoa"), stranger.Address("stoa"), second.Address("stoa"), first.Address("stoa"))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, f := range found {
		switch f.Check {
		case "replica":
			said = append(said, fmt.Sprint(f.OK, " ", f.Detail))
		case "wal_retrieve_retry_interval":
			if f.OK || f.Detail != "is 5000 ms" {
				t.Errorf("PostgreSQL's default: %+v", f)
			}
		}
	}
	for i, words := range []string{"true 127.0.0.1:%d is 0 changes of items, 0 bytes", "false 127.0.0.1:%d cannot be read from: it is of cluster", "true 127.0.0.1:%d is the primary now", "false 127.0.0.1:%d does not answer"} {
		if port := []*dbtest.Server{replica, stranger, second, first}[i].Port; len(said) != 4 || !strings.HasPrefix(said[i], fmt.Sprintf(words, port)) {
			t.Errorf("%q says %q", words, said)
		}
	}
}

// An address may name all servers of a cluster: the one that is the primary is told from one that was promoted beside it.
func TestThePrimaryAmongTheReplicasIsNoProblem(t *testing.T) {
	t.Parallel()
	first := dbtest.NewServer(t, "wal_level=replica", "hot_standby=on")
	first.Exec(t, "postgres", "CREATE DATABASE stoa")
	second := first.Standby(t, "second")
	both := fmt.Sprintf("postgres://stoa@127.0.0.1:%d,127.0.0.1:%d/stoa?sslmode=disable", first.Port, second.Port)
	w := &town{guarded: guardedAt(t, hosts(first, second), filepath.Join(t.TempDir(), "mark"), "one", store.Replicas(both)), primary: first}
	w.publish(t, 1)
	w.comes(t, 1, true)
	w.says(t, 0, "it is the primary now")
	if states, _ := w.ReplicaStates(); !states[0].Primary || states[1].Primary || states[1].Problem != "" {
		t.Errorf("%+v", states)
	}
	second.Promote(t)
	w.says(t, 1, "takes writes")
	if states, _ := w.ReplicaStates(); states[1].Primary {
		t.Errorf("%+v", states)
	}
	w.comes(t, 1, false)
}

// Whatever the replicas do, no read is older than what any read, or this node itself, had shown before it began.
func TestNoReadIsOlderThanWhatWasShown(t *testing.T) {
	t.Parallel()
	w := newTown(t, 2)
	w.comes(t, 1, true)
	var shown atomic.Int64
	shown.Store(1)
	show := func(version int) {
		for known := shown.Load(); int64(version) > known && !shown.CompareAndSwap(known, int64(version)); known = shown.Load() {
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	var reads, standbys atomic.Int64
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				before := shown.Load()
				version, from, err := w.read(ctx)
				if ctx.Err() != nil {
					return
				}
				if err != nil || int64(version) < before {
					t.Errorf("version %d after %d was shown, from a standby: %t, %v", version, before, from, err)
					return
				}
				show(version)
				reads.Add(1)
				if from {
					standbys.Add(1)
				}
			}
		})
	}
	other := openAt(t, w.primary.Address("stoa"), dbtest.NewClock())
	const last = 61 // published by this node: what another one published, reads need not know yet
	for version := 2; version <= last; version++ {
		paused := w.standbys[version%2]
		if version%5 == 0 {
			paused.Exec(t, "stoa", "SELECT pg_wal_replay_pause()")
		}
		node := w.Store
		if version%3 == 0 {
			node = other // what it publishes this node first sees in a read
		}
		write(t, node, func(tx *store.Tx) error {
			if node == w.Store {
				tx.OnCommit(func() { show(version) })
			}
			return putVersion(tx, version)
		})
		for from := reads.Load(); reads.Load() < from+8 && !t.Failed(); {
			time.Sleep(time.Millisecond) // until some reads saw it
		}
		if version%5 == 0 {
			paused.Exec(t, "stoa", "SELECT pg_wal_replay_resume()")
		}
	}
	w.comes(t, last, true)
	stop()
	readers.Wait()
	t.Logf("%d reads, %d of them by standbys", reads.Load(), standbys.Load())
	if standbys.Load() == 0 {
		t.Error("no standby was read from")
	}
}
