package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"stoa/internal/platform/store/sqldb"
)

const (
	replicaEvery = time.Second
	keptSamples  = 600
)

// ReplicaState tells how a replica is doing.
type ReplicaState struct {
	Name string
	// Problem is why it is not asked, "" when it is.
	Problem string
	// Primary says that it is not asked since it is the primary now, which is no problem: an address may name all servers of a cluster.
	Primary bool
	// Changes of items that this process has shown and the replica has not, when it was asked last.
	Changes int64
	// Delay is how old what it has is, at most; more than a second when it is behind or the primary is away.
	Delay time.Duration
	// Reads of the catalog: that it answered, for which it was too far behind, and in which it failed.
	Served, Behind, Failed uint64
}

// ReplicaStates tells how the replicas are doing, and how many reads of the catalog the primary answered beside them.
func (s *Store) ReplicaStates() (all []ReplicaState, primary uint64) {
	r := s.replicas
	if r == nil {
		return nil, 0
	}
	for _, one := range r.all {
		state := ReplicaState{
			Name: one.name, Changes: max(0, r.shown.Load()-one.change.Load()), Delay: r.delay(one.lsn.Load()),
			Served: one.served.Load(), Behind: one.behind.Load(), Failed: one.failed.Load(),
		}
		if why := one.down.Load(); why != nil {
			state.Problem, state.Primary = *why, *why == isPrimary
		}
		all = append(all, state)
	}
	return all, r.primary.Load()
}

// delay is how long ago the primary's log was last as a replica has it.
func (r *replicas) delay(lsn int64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.samples {
		if p.lsn > lsn {
			return time.Since(p.at)
		}
	}
	if n := len(r.samples); r.away && n > 0 {
		return time.Since(r.samples[n-1].at)
	}
	return 0
}

// watchReplicas looks at the replicas until ctx ends.
func (s *Store) watchReplicas(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(replicaEvery):
		}
		s.lookAtReplicas(ctx)
	}
}

// lookAtReplicas notes how far the primary is, and asks every replica whether it can be used.
func (s *Store) lookAtReplicas(ctx context.Context) {
	s.notePosition(ctx)
	asked, ok := s.asked()
	if !ok || s.Refused() != nil {
		return // nobody asks them now
	}
	asked.lsn, asked.change = 0, 0 // one that is behind is fine, but for reads that need more
	s.history.mu.Lock()
	seen := s.history.mark.Head
	s.history.mu.Unlock()
	var looks sync.WaitGroup
	for _, one := range s.replicas.all {
		looks.Go(func() {
			within, cancel := context.WithTimeout(ctx, replicaPatience)
			defer cancel()
			err := one.look(within, asked, seen)
			if errors.Is(err, errWrites) && one.is(within, s.history) {
				err = &unfit{isPrimary}
			}
			switch {
			case err == nil:
				one.down.Store(nil)
			case ctx.Err() == nil:
				one.leave(err)
			}
		})
	}
	looks.Wait()
}

func (s *Store) notePosition(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	r := s.replicas
	before := s.history.current.Load()
	var lsn int64
	err := sqldb.ScanOne(within, s.reads, `SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint`, nil, &lsn)
	after := s.history.current.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = err != nil
	if err != nil || before == nil || after == nil || *before != *after {
		return
	}
	if r.sampled != *after {
		r.samples, r.sampled = nil, *after // positions of another server mean nothing here
	}
	r.samples = append(r.samples, logPosition{time.Now(), lsn})
	if len(r.samples) > keptSamples {
		r.samples = r.samples[1:]
	}
}

const isPrimary = "it is the primary now"

// is tells whether a server that takes writes is the one that this node believes.
func (r *replica) is(ctx context.Context, h *history) bool {
	var v server
	var timeline string
	err := sqldb.ScanFirst(ctx, r.db, serverNow, nil, []any{&v.identity, &v.standby, &v.started, &v.pid, &timeline})
	if err == nil {
		_, err = fmt.Sscanf(timeline, "%x", &v.timeline)
	}
	return err == nil && h.is(v.incarnation())
}

// look finds out whether a replica can be used at all. It must have the last event of the audit log that this node has seen, unless it
// has not come that far: two servers may have made the same timeline each for itself.
func (r *replica) look(ctx context.Context, asked demand, seen AuditHead) error {
	t, _, err := r.begin(ctx, asked)
	if err != nil {
		return err
	}
	defer t.Rollback() // it wrote nothing
	q := queriesOf(t)
	head, err := q.AuditHead(ctx)
	if err != nil || head.Seq < seen.Seq || seen.Seq == 0 {
		return err
	}
	var hash string
	err = sqldb.ScanOne(ctx, t, `SELECT chain_hash FROM audit_event WHERE chain_seq = $1`, []any{seen.Seq}, &hash)
	if errors.Is(err, sqldb.ErrNotFound) || err == nil && hash != seen.Hash {
		return &unfit{fmt.Sprintf("event %d of its audit log is another than the database's", seen.Seq)}
	}
	return err
}
