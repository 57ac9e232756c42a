package store

import (
	"context"
	"database/sql"

	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/sqldb"
)

// Event is one line of the audit log. At in µs. Task marks what a member sees as their own doing.
type Event struct {
	EventID   string
	At        int64
	Actor     string
	Owner     string
	Task      bool
	Action    string
	Kind      string
	ItemID    string
	TargetID  string
	OK        bool
	Status    string
	Detail    string
	RequestID string
}

const eventColumns = `event_id, at, actor, owner, task, action, kind, item_id, target_id, ok, status, detail, request_id`

func (e *Event) fields() []any {
	return []any{&e.EventID, &e.At, &e.Actor, &e.Owner, &e.Task, &e.Action, &e.Kind, &e.ItemID, &e.TargetID, &e.OK, &e.Status, &e.Detail, &e.RequestID}
}

func (e Event) values() []any {
	return []any{e.EventID, e.At, e.Actor, e.Owner, e.Task, e.Action, e.Kind, e.ItemID, e.TargetID, e.OK, e.Status, e.Detail, e.RequestID}
}

const insertEvent = `INSERT INTO audit_event (` + eventColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

// AddEvent appends to the audit log.
func (tx *Tx) AddEvent(e Event) error {
	if tx.base.Proof == "" {
		tx.base.Proof = e.EventID
	}
	return tx.base.Exec(insertEvent, e.values()...)
}

// Tasks lists a member's own task events, newest first, older than the event before ("" for the newest).
func (q Queries) Tasks(ctx context.Context, owner, before string, limit int) ([]Event, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	var all []Event
	err := sqldb.ScanAll(ctx, q.base.Q, `SELECT `+eventColumns+` FROM audit_event
		WHERE owner = $1 AND task = $4 AND event_id < $2 ORDER BY event_id DESC LIMIT $3`,
		[]any{owner, before, limit, true}, func(rows *sql.Rows) error {
			all = append(all, Event{})
			return rows.Scan(all[len(all)-1].fields()...)
		})
	return all, err
}

// LastBackup tells when a backup was taken last, in µs; 0 for never. Its index knows the action by name.
func (q Queries) LastBackup(ctx context.Context) (at int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT COALESCE(MAX(at), 0) FROM audit_event WHERE action = 'store.backed_up'`, nil, &at)
	return at, err
}

// CountEvents counts the events of one action, for checks by an operator or a test.
func (q Queries) CountEvents(ctx context.Context, action string) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT COUNT(*) FROM audit_event WHERE action = $1`, []any{action}, &n)
	return n, err
}

// Acts lists what people in charge did, newest first, older than the event before ("" for the newest).
func (q Queries) Acts(ctx context.Context, before string, limit int) ([]Event, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	all := []Event{}
	err := sqldb.ScanAll(ctx, q.base.Q, `SELECT `+eventColumns+` FROM audit_event WHERE action IN (`+memberdb.Acts+`) AND event_id < $1 ORDER BY event_id DESC LIMIT $2`,
		[]any{before, limit}, func(rows *sql.Rows) error {
			all = append(all, Event{})
			return rows.Scan(all[len(all)-1].fields()...)
		})
	return all, err
}
