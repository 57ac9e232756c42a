package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"stoa/internal/platform/store/sqldb"
)

const (
	// replicaPatience is how long a replica may take for a read that somebody waits for, and for its first answer in any case:
	// the primary still has time for it afterwards.
	replicaPatience = 2 * time.Second
	// replicaDelay is how far a replica may be behind the primary for reads that ask for nothing newer.
	replicaDelay = 2 * time.Second
	// replicaPause is how long a replica that lacked something is not asked again.
	replicaPause = 250 * time.Millisecond
)

// MostReplicaDelay bounds how old the answer of a replica can be while the primary answers.
const MostReplicaDelay = replicaDelay + replicaEvery

// replicas are read-only standbys of the database, which are asked for the public catalog.
type replicas struct {
	addresses []string
	all       []*replica
	turn      atomic.Uint64
	shown     atomic.Int64  // the newest change of an item that this process may have shown
	primary   atomic.Uint64 // reads that the primary answered instead

	mu      sync.Mutex // guards what follows
	samples []logPosition
	sampled string // the incarnation of the primary that the samples are of
	away    bool   // it did not answer the last look
}

// logPosition is how far the primary's log was at a time.
type logPosition struct {
	at  time.Time
	lsn int64
}

// replica is one standby.
type replica struct {
	name   string
	config *pgx.ConnConfig
	db     *sql.DB
	down   atomic.Pointer[string] // why it is not asked until the next look; nil when it is
	paused atomic.Int64           // until when it is not asked, in ns
	change atomic.Int64           // how far it was when it was asked last
	lsn    atomic.Int64

	served, behind, failed atomic.Uint64
}

// Replicas names standbys from which the public catalog may be read. Each address may have several hosts. A store with replicas must
// be Guarded: without a history nobody could tell whether a standby is of the same.
func Replicas(addresses ...string) Option {
	return func(s *Store) {
		if len(addresses) > 0 {
			s.replicas = &replicas{addresses: addresses}
		}
	}
}

// openReplicas makes the pools. No replica has to be there.
func (s *Store) openReplicas() error {
	r := s.replicas
	if r == nil {
		return nil
	}
	if s.history == nil {
		return errors.New("store: replicas need a store that is guarded")
	}
	for _, address := range r.addresses {
		config, err := replicaConfig(address)
		if err != nil {
			return err
		}
		for _, one := range eachServer(config) {
			db := stdlib.OpenDB(*one, stdlib.OptionAfterConnect(settle))
			db.SetMaxOpenConns(32)
			db.SetMaxIdleConns(16)
			db.SetConnMaxIdleTime(5 * time.Minute)
			r.all = append(r.all, &replica{name: serverName(one), config: one, db: db})
		}
	}
	s.history.forget = func() { r.shown.Store(0) }
	return nil
}

func replicaConfig(address string) (*pgx.ConnConfig, error) {
	if !isAddress(address) {
		return nil, errors.New("store: the address of a replica must begin with postgres://")
	}
	config, err := pgx.ParseConfig(address)
	if err != nil { // whose words may have the password
		return nil, errors.New("store: the address of a replica cannot be read")
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > replicaPatience {
		config.ConnectTimeout = replicaPatience
	}
	config.ValidateConnect = nil // which server it is, is asked for each read
	return config, nil
}

// eachServer parts a configuration of several hosts. The same host with and without TLS is one.
func eachServer(config *pgx.ConnConfig) (all []*pgx.ConnConfig) {
	first := config.Copy()
	first.Fallbacks = nil
	all = append(all, first)
	for _, f := range config.Fallbacks {
		last := all[len(all)-1]
		if f.Host == last.Host && f.Port == last.Port {
			last.Fallbacks = append(last.Fallbacks, f)
			continue
		}
		next := config.Copy()
		next.Host, next.Port, next.TLSConfig, next.Fallbacks = f.Host, f.Port, f.TLSConfig, nil
		all = append(all, next)
	}
	return all
}

func serverName(config *pgx.ConnConfig) string { return fmt.Sprintf("%s:%d", config.Host, config.Port) }

func (r *replicas) close() (err error) {
	if r == nil {
		return nil
	}
	for _, one := range r.all {
		err = errors.Join(err, one.db.Close())
	}
	return err
}

// show remembers that a change was, or is about to be, shown.
func (r *replicas) show(change int64) {
	if r == nil {
		return
	}
	for {
		known := r.shown.Load()
		if change <= known || r.shown.CompareAndSwap(known, change) {
			return
		}
	}
}

// Catalog runs fn over the rows of the public catalog: on a replica that has every change of an item that this process has shown, as of
// one moment, otherwise on the primary. fn may run again after it failed, and then must begin again; what it read may be shown when Catalog
// has returned. It must not read what belongs to a member, nor what an answer acknowledges.
func (s *Store) Catalog(ctx context.Context, fn func(q Queries) error) error {
	r := s.replicas
	if r == nil || s.Refused() != nil {
		return fn(s.Queries)
	}
	if asked, ok := s.asked(); ok {
		first := int(r.turn.Add(1) % uint64(len(r.all)))
		for i := range r.all {
			one := r.all[(first+i)%len(r.all)]
			if one.down.Load() != nil || time.Now().UnixNano() < one.paused.Load() {
				continue
			}
			if done, err := one.read(ctx, r, asked, fn); done {
				return err
			}
		}
	}
	r.primary.Add(1)
	if err := fn(s.Queries); err != nil {
		return err
	}
	// What was read may be newer than what this process has shown so far.
	change, err := s.ItemChange(ctx)
	if err == nil {
		r.show(change)
	}
	return err
}

// Primary is Catalog for whoever must have what the primary has now.
func (s *Store) Primary(_ context.Context, fn func(q Queries) error) error { return fn(s.Queries) }

// demand is what a replica must have for a read.
type demand struct {
	identity string
	timeline int64
	lsn      int64 // of the log
	change   int64 // of an item
}

// asked gives what a read needs of a replica. False says that this process does not know enough to use any.
func (s *Store) asked() (d demand, ok bool) {
	h, r := s.history, s.replicas
	current := h.current.Load()
	h.mu.Lock()
	d.identity, d.timeline = h.mark.Identity, h.mark.Timeline
	h.mu.Unlock()
	d.change = r.shown.Load()
	r.mu.Lock()
	defer r.mu.Unlock()
	if current == nil || len(r.samples) == 0 || *current != r.sampled {
		return d, false
	}
	d.lsn = r.samples[0].lsn
	for _, p := range r.samples {
		if time.Since(p.at) > replicaDelay {
			d.lsn = p.lsn
		}
	}
	return d, true
}

// replicaNow asks a replica which it is and how far. The control file's timeline can only be too low, for some minutes after a failover.
// The first statement of the transaction takes its snapshot, so the number of changes is that of all that is read after it.
const replicaNow = `SELECT s.system_identifier::text, pg_is_in_recovery(), GREATEST(c.timeline_id, r.min_recovery_end_timeline)::bigint,
	COALESCE(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint, (SELECT value FROM counter WHERE name = 'item_change')
	FROM pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r`

var (
	errBehind = errors.New("store: the replica is too far behind for this read")
	errLate   = errors.New("store: the replica took too long")
)

// read runs fn on the replica. Not done says that the primary, or another, must be asked.
func (r *replica) read(ctx context.Context, of *replicas, asked demand, fn func(q Queries) error) (done bool, err error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	late := time.AfterFunc(replicaPatience, cancel)
	defer late.Stop()
	t, change, err := r.begin(within, asked)
	if err != nil {
		r.missed(ctx, err)
		return false, nil
	}
	defer t.Rollback() // it wrote nothing
	if !sqldb.IsSoon(ctx) {
		late.Reset(sqldb.LongRead)
	}
	of.show(change)
	err = sqldb.Reach(within, fn(queriesOf(t)))
	away := (*sqldb.Unreachable)(nil)
	switch {
	case err != nil && within.Err() != nil:
		r.missed(ctx, errLate)
		return false, nil
	case errors.As(err, &away), fromServer(err):
		r.missed(ctx, err)
		return false, nil
	}
	r.served.Add(1)
	return true, err
}

// begin begins a transaction in which the replica has what is asked for, and tells the change that it has come to.
func (r *replica) begin(ctx context.Context, asked demand) (*sql.Tx, int64, error) {
	t, err := r.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	var v server
	var lsn, change int64
	if err = sqldb.ScanFirst(ctx, t, replicaNow, nil, []any{&v.identity, &v.standby, &v.timeline, &lsn, &change}); err == nil {
		r.lsn.Store(lsn)
		r.change.Store(change)
		err = asked.sameHistory(v)
	}
	if err == nil && (lsn < asked.lsn || change < asked.change) {
		err = errBehind
	}
	if err != nil {
		_ = t.Rollback()
		return nil, 0, err
	}
	return t, change, nil
}

// unfit says why a server is not asked at all.
type unfit struct{ text string }

func (u *unfit) Error() string { return u.text }

var errWrites = &unfit{"it takes writes: it is no standby"}

func (d demand) sameHistory(v server) error {
	switch {
	case v.identity != d.identity:
		return &unfit{fmt.Sprintf("it is of cluster %s, and the database of %s", v.identity, d.identity)}
	case !v.standby:
		return errWrites
	case v.timeline < d.timeline:
		return &unfit{fmt.Sprintf("it has followed timeline %d so far, and the database is on %d", v.timeline, d.timeline)}
	case v.timeline > d.timeline:
		return &unfit{fmt.Sprintf("it follows timeline %d, and the database that this node knows is on %d", v.timeline, d.timeline)}
	}
	return nil
}

// missed notes that the replica could not be used for a read. One that is away, or cannot be right, is left alone until the next look
// finds it good, so that it does not cost each request its patience.
func (r *replica) missed(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil: // whoever asked has left
	case errors.Is(err, errBehind):
		r.behind.Add(1)
		r.paused.Store(time.Now().Add(replicaPause).UnixNano())
	case fromServer(err): // also what had to give way to the replay of the log
		r.failed.Add(1)
		r.paused.Store(time.Now().Add(replicaPause).UnixNano())
	default:
		r.failed.Add(1)
		r.leave(err)
	}
}

// leave leaves the replica alone until a look finds it good.
func (r *replica) leave(err error) {
	why := "it does not answer"
	if u := (*unfit)(nil); errors.As(err, &u) {
		why = u.text
	}
	r.down.Store(&why)
}

// fromServer tells whether a server that is there refused a statement.
func fromServer(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Severity != "FATAL"
}
