package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// HAFinding is one thing that matters when a server of the database dies.
type HAFinding struct {
	OK     bool   `json:"ok"`
	Check  string `json:"check"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// CheckHA looks at every server that a PostgreSQL address names, and tells what would be lost with the primary. Of replicas it tells
// whether they can be read from.
func CheckHA(ctx context.Context, address string, replicas ...string) ([]HAFinding, error) {
	if !isAddress(address) {
		return []HAFinding{{OK: true, Check: "engine", Detail: "SQLite: one machine holds everything; what stands by is a backup"}}, nil
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("store: the PostgreSQL address cannot be read")
	}
	h := haCheck{}
	hosts := eachServer(config)
	for _, one := range hosts {
		h.server(ctx, one, serverName(one))
	}
	for _, address := range replicas {
		config, err := replicaConfig(address)
		if err != nil {
			return nil, err
		}
		for _, one := range eachServer(config) {
			h.replica(ctx, one, serverName(one))
		}
	}
	switch {
	case h.primaries == 0:
		h.add(false, "primary", "none of the servers takes writes", "Look at Patroni: patronictl list.")
	case h.primaries > 1:
		h.add(false, "primary", fmt.Sprintf("%d servers take writes", h.primaries), "Stop the one on the lower timeline at once. Patroni with a watchdog prevents this.")
	}
	if len(hosts) > 1 && !strings.Contains(address, "target_session_attrs") {
		h.add(false, "address", "it names several servers and not which is wanted", "Add target_session_attrs=read-write.")
	}
	return h.findings, nil
}

type haCheck struct {
	findings    []HAFinding
	primaries   int
	now         server // the primary, and how far it is
	lsn, change int64
}

func (h *haCheck) add(ok bool, check, detail, fix string) {
	if ok {
		fix = ""
	}
	h.findings = append(h.findings, HAFinding{ok, check, detail, fix})
}

func (h *haCheck) server(ctx context.Context, config *pgx.ConnConfig, name string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	alone := config.Copy()
	alone.ValidateConnect = nil
	conn, err := pgx.ConnectConfig(ctx, alone)
	if err != nil {
		h.add(false, "server", name+" does not answer", "Start it, or take it out of the address.")
		return
	}
	defer conn.Close(ctx)
	v, err := askServer(ctx, conn)
	if err != nil {
		h.add(false, "server", name+": "+err.Error(), "")
		return
	}
	if pooled := v.pid != conn.PgConn().PID(); pooled {
		h.pooler(ctx, alone, name)
	}
	if v.standby {
		h.standby(ctx, conn, name)
		return
	}
	h.primaries++
	h.now = v
	if err := conn.QueryRow(ctx, `SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint, (SELECT value FROM counter WHERE name = 'item_change')`,
		pgx.QueryExecModeSimpleProtocol).Scan(&h.lsn, &h.change); err != nil {
		h.add(false, "server", name+": "+err.Error(), "")
	}
	h.add(true, "server", fmt.Sprintf("%s is the primary, on timeline %d of cluster %s", name, v.timeline, v.identity), "")
	if err := h.primary(ctx, conn); err != nil {
		h.add(false, "server", name+": "+err.Error(), "")
	}
}

// mostRetryMs is how seldom a standby may look for a primary, in milliseconds.
const mostRetryMs = 1000

// primary looks at what the primary waits for before it answers a commit.
func (h *haCheck) primary(ctx context.Context, conn *pgx.Conn) error {
	var commit, names, fsync, timeout string
	var logHints bool
	var retry int
	err := conn.QueryRow(ctx, `SELECT current_setting('synchronous_commit'), current_setting('synchronous_standby_names'), current_setting('fsync'),
		current_setting('statement_timeout'), current_setting('wal_log_hints') = 'on' OR current_setting('data_checksums') = 'on',
		(SELECT setting::int FROM pg_settings WHERE name = 'wal_retrieve_retry_interval')`,
		pgx.QueryExecModeSimpleProtocol).Scan(&commit, &names, &fsync, &timeout, &logHints, &retry)
	if err != nil {
		return err
	}
	h.add(commit == "on" || commit == "remote_apply", "synchronous_commit", "is "+commit, "Set it to on: an acknowledged change is on the standby's disk then.")
	h.add(fsync == "on", "fsync", "is "+fsync, "Set it to on: without it a power cut loses what was acknowledged.")
	h.add(names != "", "standbys", "synchronous_standby_names is '"+names+"'", "A change is acknowledged that only the primary has. Turn synchronous_mode and synchronous_mode_strict on in Patroni.")
	h.add(timeout == "0", "statement_timeout", "is "+timeout, "Leave it off for Stoa's role: it cuts waits for standbys short. Stoa bounds its statements itself.")
	h.add(logHints, "pg_rewind", "wal_log_hints or data checksums are "+map[bool]string{true: "on", false: "off"}[logHints], "Turn one on, or an old primary must be copied again after a failover.")
	h.add(retry <= mostRetryMs, "wal_retrieve_retry_interval", fmt.Sprintf("is %d ms", retry), "Set it to 500ms on all servers: after a take-over the other standbys look for the new primary only this often, and commits wait for them.")
	rows, err := conn.Query(ctx, `SELECT application_name, state, sync_state, COALESCE(EXTRACT(EPOCH FROM flush_lag), 0)::float8, pg_wal_lsn_diff(pg_current_wal_lsn(), flush_lsn)::bigint
		FROM pg_stat_replication ORDER BY application_name`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	defer rows.Close()
	synchronous := 0
	for rows.Next() {
		var name, state, sync string
		var lag float64
		var behind *int64
		if err := rows.Scan(&name, &state, &sync, &lag, &behind); err != nil {
			return err
		}
		if sync == "sync" || sync == "quorum" {
			synchronous++
		}
		bytes := int64(-1) // hidden from roles that are not in pg_monitor
		if behind != nil {
			bytes = *behind
		}
		h.add(state == "streaming" && bytes < 16<<20, "standby", fmt.Sprintf("%s is %s, %s, %.3f s and %d bytes behind", name, state, sync, lag, bytes), "Look at its log.")
	}
	h.add(synchronous > 0, "standbys", fmt.Sprintf("%d of them confirm commits now", synchronous), "With none, commits are not answered, or only the primary has them. A role outside pg_monitor does not see them.")
	h.add(true, "watchdog", "cannot be seen from here", "")
	h.findings[len(h.findings)-1].Fix = "Let Patroni use one (/dev/watchdog): a paused Patroni otherwise leaves two primaries."
	return rows.Err()
}

func (h *haCheck) standby(ctx context.Context, conn *pgx.Conn, name string) {
	var lag float64
	var streaming int
	err := conn.QueryRow(ctx, `SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
		ELSE COALESCE(EXTRACT(EPOCH FROM now() - pg_last_xact_replay_timestamp()), 0) END::float8, (SELECT COUNT(*) FROM pg_stat_wal_receiver)::int`,
		pgx.QueryExecModeSimpleProtocol).Scan(&lag, &streaming)
	if err != nil {
		h.add(false, "server", name+": "+err.Error(), "")
		return
	}
	h.add(streaming > 0 && lag < 10, "server", fmt.Sprintf("%s is a standby, %.1f s behind, follows a primary: %t", name, lag, streaming > 0), "Look at its log.")
}

// replica tells whether a server can be read from, and how far it is behind.
func (h *haCheck) replica(ctx context.Context, config *pgx.ConnConfig, name string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	const advice = "Reads go to the primary meanwhile."
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		h.add(false, "replica", name+" does not answer", "Start it, or take it out of --database-replica. "+advice)
		return
	}
	defer conn.Close(ctx)
	var v server
	var lsn, change int64
	var age float64
	if is, err := askServer(ctx, conn); err == nil && h.primaries == 1 && is.incarnation() == h.now.incarnation() {
		h.add(true, "replica", name+" is the primary now, and not read from as a replica", "")
		return
	}
	if err = conn.QueryRow(ctx, replicaNow, pgx.QueryExecModeSimpleProtocol).Scan(&v.identity, &v.standby, &v.timeline, &lsn, &change); err == nil {
		err = conn.QueryRow(ctx, `SELECT COALESCE(EXTRACT(EPOCH FROM now() - pg_last_xact_replay_timestamp()), 0)::float8`, pgx.QueryExecModeSimpleProtocol).Scan(&age)
	}
	if err == nil && h.primaries > 0 {
		err = demand{identity: h.now.identity, timeline: h.now.timeline}.sameHistory(v)
	}
	if err != nil {
		h.add(false, "replica", name+" cannot be read from: "+err.Error(), advice)
		return
	}
	if lsn >= h.lsn {
		age = 0 // the primary has only been idle
	}
	h.add(age < 10, "replica", fmt.Sprintf("%s is %d changes of items, %d bytes and %.1f s behind", name, max(0, h.change-change), max(0, h.lsn-lsn), age),
		"Look at its log, and whether its replay is paused. Reads that need what it lacks go to the primary.")
}

// pooler asks PgBouncer, which is between, for its version.
func (h *haCheck) pooler(ctx context.Context, config *pgx.ConnConfig, name string) {
	admin := config.Copy()
	admin.Database, admin.DefaultQueryExecMode = "pgbouncer", pgx.QueryExecModeSimpleProtocol
	const advice = "Below 1.21 PgBouncer knows no prepared statements in transaction mode: add default_query_exec_mode=exec to the address."
	conn, err := pgx.ConnectConfig(ctx, admin)
	if err != nil {
		h.add(config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement, "pooler", name+" is a pooler whose version cannot be asked", advice)
		return
	}
	defer conn.Close(ctx)
	rows, err := rowsOf(ctx, conn.PgConn(), "SHOW VERSION")
	if err != nil || len(rows) == 0 {
		h.add(false, "pooler", name+" is a pooler whose version cannot be asked", advice)
		return
	}
	version := string(rows[0][0])
	var major, minor int
	_, _ = fmt.Sscanf(strings.TrimPrefix(version, "PgBouncer "), "%d.%d", &major, &minor)
	fine := major > 1 || minor >= 21 || config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement
	h.add(fine, "pooler", name+" is "+version, advice)
}
