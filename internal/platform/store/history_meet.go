package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"stoa/internal/platform/clock"
)

// serverNow asks a PostgreSQL which it is. The log file that it writes to begins with the timeline, right after a promotion already; an
// ordinary role may ask all of this.
const serverNow = `SELECT s.system_identifier::text, pg_is_in_recovery(), pg_postmaster_start_time()::text, pg_backend_pid(),
	CASE WHEN pg_is_in_recovery() THEN '0' ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END
	FROM pg_control_system() s`

// server is what a PostgreSQL says of itself.
type server struct {
	identity string
	standby  bool
	started  string
	pid      uint32
	timeline int64
}

// incarnation names a server between two of its starts and promotions.
func (v server) incarnation() string {
	return fmt.Sprintf("%s/%d/%s", v.identity, v.timeline, v.started)
}

func askServer(ctx context.Context, conn *pgx.Conn) (v server, err error) {
	var timeline string
	err = conn.QueryRow(ctx, serverNow, pgx.QueryExecModeSimpleProtocol).Scan(&v.identity, &v.standby, &v.started, &v.pid, &timeline)
	if err == nil {
		_, err = fmt.Sscanf(timeline, "%x", &v.timeline)
	}
	return v, err
}

// errStandby refuses a server that only follows another: what was acknowledged may not be there yet.
var errStandby = &pgconn.PgError{Code: "25006", Severity: "ERROR", Message: "the server is a standby"}

// occasion is when a server is looked at.
type occasion int

const (
	connecting    occasion = iota
	inTransaction          // behind a pooler; nothing may be written
	watching               // and what was refused is looked at again
)

// meet looks at the server of a connection and tells whether it may be used. One that has not been seen since its last start or promotion
// must have everything that this node knows to be acknowledged. pooled tells that the server may be another for each transaction.
func (h *history) meet(ctx context.Context, conn *pgx.Conn, when occasion) (incarnation string, pooled bool, err error) {
	v, err := askServer(ctx, conn)
	if err != nil {
		var cannot *pgconn.PgError
		if errors.As(err, &cannot) && (strings.HasPrefix(cannot.Code, "42") || strings.HasPrefix(cannot.Code, "0A")) {
			return "", false, nil // no PostgreSQL, which has no such functions: not guarded
		}
		return "", false, err
	}
	pooled = v.pid != conn.PgConn().PID()
	if v.standby {
		return "", pooled, errStandby
	}
	incarnation = v.incarnation()
	if h.is(incarnation) {
		return incarnation, pooled, nil
	}
	h.meeting.Lock()
	defer h.meeting.Unlock()
	if h.is(incarnation) {
		return incarnation, pooled, nil
	}
	if r := h.refused.Load(); r != nil && r.server == incarnation && when != watching {
		return incarnation, pooled, r // Watch looks again
	}
	return incarnation, pooled, h.compare(ctx, conn, v, when != inTransaction)
}

func (h *history) is(incarnation string) bool {
	known := h.current.Load()
	return known != nil && *known == incarnation
}

// onlyPlausible lets connections be made only to servers whose cluster and timeline can be the database's, so that an address of
// several servers leads past an old primary.
func (h *history) onlyPlausible(config *pgx.ConnConfig) {
	before := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if before != nil {
			if err := before(ctx, conn); err != nil {
				return err
			}
		}
		rows, err := rowsOf(ctx, conn, serverNow)
		if err != nil || len(rows) != 1 || len(rows[0]) != 5 {
			return nil //nolint:nilerr // no PostgreSQL, or away again: whoever uses the connection finds out
		}
		var v server
		v.identity, v.standby = string(rows[0][0]), string(rows[0][1]) == "t"
		if v.standby {
			return errStandby
		}
		if _, err := fmt.Sscanf(string(rows[0][4]), "%x", &v.timeline); err != nil {
			return err
		}
		r := h.other(v)
		if r == nil {
			return nil
		}
		ids, err := rowsOf(ctx, conn, fmt.Sprintf(`SELECT id FROM history_acceptance ORDER BY id DESC LIMIT %d`, keptAccepts))
		if err != nil {
			return r
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, row := range ids {
			if !slices.Contains(h.mark.Accepted, string(row[0])) {
				return nil // an operator said that this one counts
			}
		}
		return r
	}
}

// other tells whether a server cannot be the database, by its cluster and timeline.
func (h *history) other(v server) *Refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.mark
	switch {
	case m.Identity != "" && m.Identity != v.identity:
		return &Refusal{Kind: refusedIdentity, Text: fmt.Sprintf("this server's cluster is %s, and this node's database was %s. %s", v.identity, m.Identity, wayOut)}
	case m.Timeline > v.timeline:
		return &Refusal{Kind: refusedTimeline, Text: fmt.Sprintf("this server is on timeline %d, and timeline %d was seen: it was the primary before the last failover. %s", v.timeline, m.Timeline, wayOut)}
	}
	return nil
}

func rowsOf(ctx context.Context, conn *pgconn.PgConn, query string) ([][][]byte, error) {
	results, err := conn.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	return results[0].Rows, results[0].Err
}

// compare looks for what this node remembers on a server, and takes it for the database when all of it is there. h.meeting is held.
func (h *history) compare(ctx context.Context, conn *pgx.Conn, v server, note bool) error {
	if ok, err := h.accepted(ctx, conn, v); ok || err != nil {
		return err
	}
	if r := h.other(v); r != nil {
		return r
	}
	h.mu.Lock()
	recent, turn, seen := slices.Clone(h.recent), h.turn, h.mark.Head
	h.mu.Unlock()
	missing, err := missingEvents(ctx, conn, recent)
	if err != nil {
		return err
	}
	broken, err := missingHead(ctx, conn, seen)
	if err != nil {
		return err
	}
	if len(missing) > 0 || broken != "" {
		text := lostText(missing, broken)
		if note {
			h.noteLoss(ctx, conn, v, missing, text)
		}
		return h.refuse(Refusal{Kind: refusedLost, server: v.incarnation(), Text: fmt.Sprintf("on timeline %d of cluster %s %s. %s", v.timeline, v.identity, text, wayOut)})
	}
	return h.adopt(ctx, conn, v, turn)
}

const wayOut = "If what this database has shall count, run stoa accept-loss."

// adopt takes a server for the database, when nothing was acknowledged under another meanwhile.
func (h *history) adopt(ctx context.Context, conn *pgx.Conn, v server, turn int64) error {
	head, err := headOf(ctx, conn)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.turn != turn {
		return errors.New("store: the database changed while it was looked at")
	}
	h.turn++
	h.mark.Identity, h.mark.Timeline, h.mark.Head = v.identity, v.timeline, head
	name := v.incarnation()
	h.current.Store(&name)
	if r := h.refused.Load(); r != nil && r.Kind != refusedLost {
		h.refused.Store(nil)
	}
	return h.save(true)
}

// accepted follows the word of an operator that is given on this server and that this node has not followed yet.
func (h *history) accepted(ctx context.Context, conn *pgx.Conn, v server) (bool, error) {
	ids, err := texts(ctx, conn, `SELECT id FROM history_acceptance ORDER BY id DESC LIMIT $1`, keptAccepts)
	if noTable(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	h.mu.Lock()
	fresh := slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(h.mark.Accepted, id) })
	known := h.mark.Identity != "" // a node that knows nothing yet has nothing to accept
	refused := h.refused.Load()
	if fresh {
		h.mark.Accepted = ids
	}
	if !fresh || !known {
		h.mu.Unlock()
		return false, nil
	}
	h.recent, h.mark.Head, h.mark.Identity, h.mark.Timeline = nil, AuditHead{}, v.identity, v.timeline
	turn := h.turn
	h.mu.Unlock()
	if h.forget != nil {
		h.forget()
	}
	h.refused.Store(nil)
	if refused != nil {
		if tell := h.told.Load(); tell != nil {
			(*tell)(Refusal{Since: time.Now()})
		}
	}
	return true, h.adopt(ctx, conn, v, turn)
}

// noteLoss tells the other nodes, through the database itself, unless an operator has accepted what is there while this node looked: their
// word would come before the row, and no node would go on. The lock keeps one from the other: an acceptance is written before it closes
// the rows that are open.
func (h *history) noteLoss(ctx context.Context, conn *pgx.Conn, v server, missing []acknowledged, text string) {
	first, last := "", ""
	if len(missing) > 0 {
		first, last = missing[0].id, missing[len(missing)-1].id
	}
	h.mu.Lock()
	seen := slices.Clone(h.mark.Accepted)
	h.mu.Unlock()
	oldest := ""
	if len(seen) > 0 {
		oldest = seen[len(seen)-1] // of those that are kept; they come with the newest first
	}
	// What fails is tried again with the next look.
	_ = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE history_acceptance IN SHARE MODE`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO history_loss (id, found_at, node, identity, timeline, detail, missing, first_id, last_id, accepted)
			SELECT $1, $2::bigint, $3, $4, $5::bigint, $6, $7::bigint, $8, $9, ''
			WHERE NOT EXISTS (SELECT 1 FROM history_acceptance WHERE id > $10 AND id <> ALL(string_to_array($11, ',')))
			AND NOT EXISTS (SELECT 1 FROM history_loss WHERE node = $3 AND detail = $6 AND accepted = '')`,
			uuid.Must(uuid.NewV7()).String(), clock.Micros(time.Now()), h.node, v.identity, v.timeline, text, int64(len(missing)), first, last, oldest, strings.Join(seen, ","))
		return err
	})
}

// lostText names what is missing.
func lostText(missing []acknowledged, broken string) string {
	var parts []string
	if n := len(missing); n > 0 {
		parts = append(parts, fmt.Sprintf("%d acknowledged changes are missing, made between %s (event %s) and %s (event %s)", n,
			clock.Text(timeOf(missing[0])), missing[0].id, clock.Text(timeOf(missing[n-1])), missing[n-1].id))
	}
	if broken != "" {
		parts = append(parts, broken)
	}
	return strings.Join(parts, ", and ")
}

// timeOf is when an event was made, by its id.
func timeOf(a acknowledged) time.Time {
	if id, err := uuid.Parse(a.id); err == nil && id.Version() == 7 {
		sec, ns := id.Time().UnixTime()
		return time.Unix(sec, ns)
	}
	return a.at
}

// missingEvents gives those of the acknowledged events that a server has not.
func missingEvents(ctx context.Context, conn *pgx.Conn, all []acknowledged) (missing []acknowledged, err error) {
	const page = 5000
	for part := range slices.Chunk(all, page) {
		ids := make([]string, len(part))
		for i, a := range part {
			ids[i] = a.id
		}
		there, err := texts(ctx, conn, `SELECT event_id FROM audit_event WHERE event_id = ANY(string_to_array($1, ','))`, strings.Join(ids, ","))
		if err != nil {
			return nil, err
		}
		has := make(map[string]bool, len(there))
		for _, id := range there {
			has[id] = true
		}
		for _, a := range part {
			if !has[a.id] {
				missing = append(missing, a)
			}
		}
	}
	return missing, nil
}

// missingHead tells in words how a server's audit log falls short of the one that was seen; "" when it does not.
func missingHead(ctx context.Context, conn *pgx.Conn, seen AuditHead) (string, error) {
	if seen.Seq == 0 {
		return "", nil
	}
	hash, err := texts(ctx, conn, `SELECT chain_hash FROM audit_event WHERE chain_seq = $1`, seen.Seq)
	if err != nil || len(hash) == 1 && hash[0] == seen.Hash {
		return "", err
	}
	head, err := headOf(ctx, conn)
	return shortLog(seen, head), err
}

func shortLog(seen, head AuditHead) string {
	if head.Seq >= seen.Seq {
		return fmt.Sprintf("event %d of the audit log is another than the one that was seen", seen.Seq)
	}
	return fmt.Sprintf("the audit log ends at event %d and was seen up to %d", head.Seq, seen.Seq)
}

func headOf(ctx context.Context, conn *pgx.Conn) (AuditHead, error) {
	h := AuditHead{Hash: chainStart}
	err := conn.QueryRow(ctx, `SELECT seq, hash FROM audit_head WHERE chain = 'audit'`).Scan(&h.Seq, &h.Hash)
	if errors.Is(err, pgx.ErrNoRows) || noTable(err) {
		err = nil
	}
	return h, err
}

func texts(ctx context.Context, conn *pgx.Conn, query string, args ...any) ([]string, error) {
	rows, err := conn.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func noTable(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "42P01"
}
