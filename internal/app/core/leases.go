package core

import (
	"context"
	"errors"
	"sync"
	"time"

	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// LeaseTerm is how long a node that has stopped holds up the work that it was doing. It is several times sweepEvery, so
// that a node that lives keeps its work.
const LeaseTerm = 30 * time.Second

// The jobs that one node does for all.
const (
	JobSweep   = "sweep"   // what has had its time
	JobSearch  = "search"  // the search index's upkeep
	JobOrphans = "orphans" // bytes that no row names
	JobSeed    = "seed"    // the first content
	JobRescan  = "rescan"  // what an earlier scanner judged
	JobMirror  = "mirror"  // catalogs of others
	JobNotify  = "notify"  // mails and webhooks
	JobPropose = "propose" // questions by a language model
	// JobRankings counts what the order of the catalog is made of.
	JobRankings = "rankings"
)

// leases are those that this node holds.
type leases struct {
	mu   sync.Mutex
	held map[string]store.Lease
}

// Job is a job while this node does it.
type Job struct {
	app   *Core
	lease store.Lease
	kept  time.Time // when the lease was prolonged last
}

// RunExclusive does a job when this node holds its lease, or can take it, and tells whether it did. A job that another node takes
// over in the middle, since this one was silent for too long, ends without an error: the other does the rest.
func (a *Core) RunExclusive(ctx context.Context, job string, work func(*Job) error) (did bool, err error) {
	d := &Job{app: a, kept: a.Clock()}
	err = a.Store.Write(ctx, func(tx *store.Tx) (err error) {
		d.lease, err = tx.TakeLease(job, a.Node, LeaseTerm)
		return err
	})
	if errors.Is(err, sqldb.ErrConflict) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a.leases.note(d.lease)
	err = work(d)
	if errors.Is(err, store.ErrLeaseLost) {
		a.Log.Warn("leases: another node has taken this over", "job", job)
		err = nil
	}
	return true, err
}

// Write is Store.Write, refused with ErrLeaseLost when another node has the job now. The lease is prolonged with it.
func (d *Job) Write(ctx context.Context, fn func(tx *store.Tx) error) error {
	err := d.app.Store.Write(ctx, func(tx *store.Tx) error {
		if err := tx.KeepLease(d.lease, LeaseTerm); err != nil {
			return err
		}
		return fn(tx)
	})
	if err == nil {
		d.kept = d.app.Clock()
	}
	return err
}

// Renew asks whether the job is still this node's, for work that writes nothing to the store; it does so every few seconds
// only.
func (d *Job) Renew(ctx context.Context) error {
	if since := d.app.Clock().Sub(d.kept); since >= 0 && since < LeaseTerm/3 {
		return nil
	}
	return d.Write(ctx, func(*store.Tx) error { return nil })
}

func (l *leases) note(lease store.Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]store.Lease{}
	}
	l.held[lease.Job] = lease
}

// ReleaseLeases lets the other nodes take over at once what this one, which is stopping, has done so far.
func (a *Core) ReleaseLeases() {
	a.leases.mu.Lock()
	defer a.leases.mu.Unlock()
	if len(a.leases.held) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := a.Store.Write(ctx, func(tx *store.Tx) error {
		for _, l := range a.leases.held {
			if err := tx.GiveLease(l); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		a.Log.Warn("leases: could not be given back; they end by themselves", "error", err)
	}
	a.leases.held = nil
}
