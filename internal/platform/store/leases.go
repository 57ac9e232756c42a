package store

import (
	"context"
	"errors"
	"time"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// ErrLeaseLost says that another node has taken over the work that a lease is for.
var ErrLeaseLost = errors.New("store: another node does this work now")

// Lease is the right to do a piece of background work. Token grows with every holder: it tells a holder's writes from
// those of the one before, who may only have been asleep.
type Lease struct {
	Job, Holder string
	Token       int64
}

// farAhead is how many terms ahead a lease can end and still be believed. A clock that was wrong when it was taken must not
// stop the work for as long as it was wrong.
const farAhead = 20

// TakeLease takes the lease of a job, or prolongs it, for a term from now on. ErrConflict says that somebody else holds it.
func (tx *Tx) TakeLease(job, holder string, term time.Duration) (Lease, error) {
	l := Lease{Job: job, Holder: holder}
	err := sqldb.ScanOne(tx.base.Ctx, tx.base.Q, `INSERT INTO lease (job, holder, until, token) VALUES ($1, $2, $3, 1)
		ON CONFLICT (job) DO UPDATE SET
		  token = CASE WHEN lease.holder = $2 AND lease.until > $4 THEN lease.token ELSE lease.token + 1 END,
		  holder = $2, until = $3
		WHERE lease.holder = $2 OR lease.until <= $4 OR lease.until > $5
		RETURNING token`,
		[]any{job, holder, clock.Micros(tx.Now.Add(term)), clock.Micros(tx.Now), clock.Micros(tx.Now.Add(farAhead * term))}, &l.Token)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = sqldb.ErrConflict
	}
	return l, err
}

// KeepLease prolongs a lease for a term from now on. ErrLeaseLost says that it has a newer holder; then nothing of the
// transaction may stay. Until the transaction ends nobody else can take it.
func (tx *Tx) KeepLease(l Lease, term time.Duration) error {
	n, err := tx.base.Changed(`UPDATE lease SET until = $3 WHERE job = $1 AND token = $2`, l.Job, l.Token, clock.Micros(tx.Now.Add(term)))
	if err == nil && n == 0 {
		err = ErrLeaseLost
	}
	return err
}

// GiveLease gives a lease back, so that nobody has to wait for its end.
func (tx *Tx) GiveLease(l Lease) error {
	return tx.base.Exec(`UPDATE lease SET until = 0 WHERE job = $1 AND token = $2`, l.Job, l.Token)
}

// LeaseHolder tells who holds the lease of a job and until when (µs); ErrNotFound when nobody ever has.
func (q Queries) LeaseHolder(ctx context.Context, job string) (holder string, until int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT holder, until FROM lease WHERE job = $1`, []any{job}, &holder, &until)
	return holder, until, err
}
