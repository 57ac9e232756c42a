package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

const (
	watchEvery     = 2 * time.Second
	watchPatience  = 4 * time.Second
	watchReconnect = 5 // looks after which the primary is looked for again, on a new connection
)

// Watch looks every two seconds whether the database is still the one it was, until ctx ends. told hears of every refusal, and with
// an empty Kind that an operator accepted what is there: what was kept in memory of the database is then old.
func (s *Store) Watch(ctx context.Context, told func(Refusal)) {
	if s.history == nil {
		return
	}
	s.history.told.Store(&told)
	if r := s.history.refused.Load(); r != nil {
		told(*r)
	}
	w := watcher{store: s}
	defer w.close()
	if s.replicas != nil {
		var beside sync.WaitGroup
		beside.Go(func() { s.watchReplicas(ctx) })
		defer beside.Wait()
	}
	for {
		within, cancel := context.WithTimeout(ctx, watchPatience)
		_ = w.look(within) // what cannot be asked is told by whoever needs it
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchEvery):
		}
	}
}

type watcher struct {
	store *Store
	conn  *pgx.Conn
	looks int
}

func (w *watcher) close() {
	if w.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = w.conn.Close(ctx)
		w.conn = nil
	}
}

func (w *watcher) look(ctx context.Context) error {
	if w.store.engine == sqldb.SQLite {
		return w.store.lookAtFile(beyond(ctx))
	}
	h := w.store.history
	if w.looks++; w.conn == nil || w.looks%watchReconnect == 0 {
		w.close()
		config := w.store.address.Copy()
		h.onlyPlausible(config)
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			var other *Refusal
			if errors.As(err, &other) { // and there is none besides it
				_ = h.refuse(*other)
			}
			return err
		}
		w.conn = conn
	}
	err := h.look(ctx, w.conn)
	if err != nil {
		w.close()
	}
	return err
}

// look compares a server with what this node knows, follows what other nodes and operators wrote there, and moves the mark on.
func (h *history) look(ctx context.Context, conn *pgx.Conn) error {
	if _, _, err := h.meet(ctx, conn, watching); err != nil {
		return err
	}
	v, err := askServer(ctx, conn)
	if err != nil {
		return err
	}
	h.meeting.Lock()
	defer h.meeting.Unlock()
	if known := h.current.Load(); known == nil || *known != v.incarnation() {
		return errors.New("store: not guarded, or another server by now")
	}
	if ok, err := h.accepted(ctx, conn, v); ok || err != nil {
		return err
	}
	losses, err := texts(ctx, conn, `SELECT detail FROM history_loss WHERE accepted = '' ORDER BY id LIMIT 20`)
	if err != nil {
		return err
	}
	if len(losses) > 0 {
		_ = h.refuse(Refusal{Kind: refusedLost, Text: strings.Join(losses, "; ") + ". " + wayOut})
		return nil
	}
	h.mu.Lock()
	seen := h.mark.Head
	h.mu.Unlock()
	broken, err := missingHead(ctx, conn, seen)
	if err != nil {
		return err
	}
	if broken != "" {
		h.noteLoss(ctx, conn, v, nil, broken)
		_ = h.refuse(Refusal{Kind: refusedLost, Text: broken + ". " + wayOut})
		return nil
	}
	head, err := headOf(ctx, conn)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mark.Head = head
	if r := h.refused.Load(); r != nil && r.Kind != refusedLost {
		h.refused.Store(nil)
	}
	return h.save(false)
}

// lookAtFile is look for SQLite: the file must be the one that was opened, and hold what was seen in it.
func (s *Store) lookAtFile(ctx context.Context) error {
	h := s.history
	h.meeting.Lock()
	defer h.meeting.Unlock()
	if is, err := os.Stat(s.path); err != nil || !os.SameFile(is, s.file) {
		_ = h.refuse(Refusal{Kind: refusedReplaced, Text: s.path + " is not the file any more that this server opened: stop it, and start it again."})
		return nil
	}
	var ids []string
	err := sqldb.ScanAll(ctx, s.base.Q, `SELECT id FROM history_acceptance ORDER BY id DESC LIMIT $1`, []any{keptAccepts}, func(rows *sql.Rows) error {
		ids = append(ids, "")
		return rows.Scan(&ids[len(ids)-1])
	})
	if err != nil {
		return err
	}
	head, err := s.AuditHead(ctx)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fresh := slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(h.mark.Accepted, id) })
	known := h.mark.Identity != ""
	h.mark.Accepted, h.mark.Identity = ids, string(sqldb.SQLite)
	if fresh && known {
		h.recent, h.mark.Head = nil, head
		if h.refused.Swap(nil) != nil {
			if tell := h.told.Load(); tell != nil {
				(*tell)(Refusal{Since: time.Now()})
			}
		}
		return h.save(true)
	}
	broken, err := s.brokenSince(ctx, h.mark.Head, head)
	if err != nil {
		return err
	}
	if broken != "" {
		_ = h.refuse(Refusal{Kind: refusedLost, Text: broken + ". " + wayOut})
		return nil
	}
	h.mark.Head = head
	return h.save(false)
}

func (s *Store) brokenSince(ctx context.Context, seen, head AuditHead) (string, error) {
	if seen.Seq == 0 {
		return "", nil
	}
	var hash string
	err := sqldb.ScanOne(ctx, s.base.Q, `SELECT chain_hash FROM audit_event WHERE chain_seq = $1`, []any{seen.Seq}, &hash)
	if err != nil && !errors.Is(err, sqldb.ErrNotFound) || err == nil && hash == seen.Hash {
		return "", err
	}
	return shortLog(seen, head), nil
}

// Loss is a range of acknowledged changes that the database has lost.
type Loss struct {
	ID       string `json:"id"`
	FoundAt  int64  `json:"found_at"` // µs
	Node     string `json:"node"`
	Timeline int64  `json:"timeline"`
	Detail   string `json:"detail"`
	Missing  int64  `json:"missing"`
	Accepted string `json:"accepted"` // the acceptance, "" while there is none
}

// Losses lists what nodes found missing, the newest first.
func (q Queries) Losses(ctx context.Context) (all []Loss, err error) {
	err = sqldb.ScanAll(ctx, q.base.Q, `SELECT id, found_at, node, timeline, detail, missing, accepted FROM history_loss ORDER BY id DESC LIMIT 100`, nil, func(rows *sql.Rows) error {
		var l Loss
		err := rows.Scan(&l.ID, &l.FoundAt, &l.Node, &l.Timeline, &l.Detail, &l.Missing, &l.Accepted)
		all = append(all, l)
		return err
	})
	return all, err
}

// AcceptLoss lets every node go on with what is here, and gives the id of that word.
func (tx *Tx) AcceptLoss(reason string) (string, error) {
	id := uuid.Must(uuid.NewV7()).String()
	err := tx.base.Exec(`INSERT INTO history_acceptance (id, at, reason) VALUES ($1, $2, $3)`, id, clock.Micros(tx.Now), reason)
	if err == nil {
		err = tx.base.Exec(`UPDATE history_loss SET accepted = $1 WHERE accepted = ''`, id)
	}
	return id, err
}
