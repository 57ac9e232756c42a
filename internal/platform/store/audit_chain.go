package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// AuditHead is the end of the chain of audit events: how many there are and the hash of the last, in hex.
type AuditHead struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash"`
}

// BrokenChain says where the audit log does not follow from itself: the first such place.
type BrokenChain struct {
	Seq     int64  `json:"seq"`
	EventID string `json:"event_id,omitempty"`
	Problem string `json:"problem"`
}

// chainStart is the hash before the first event.
var chainStart = strings.Repeat("0", 2*sha256.Size)

// chainSchema is the schema from which on there is a chain.
const chainSchema = 8

// chainBy is how many events one statement gives their places, each with chainWidth values.
const (
	chainBy    = 50
	chainWidth = 4
)

var chainMany = `UPDATE audit_event SET chain_seq = v.seq, chain_hash = v.hash, detail_digest = v.digest FROM (` + chainValues() + `) v WHERE audit_event.event_id = v.id`

func chainValues() string {
	var b strings.Builder
	for i := range chainBy {
		if i == 0 {
			b.WriteString("SELECT CAST($1 AS TEXT) AS id, CAST($2 AS BIGINT) AS seq, CAST($3 AS TEXT) AS hash, CAST($4 AS TEXT) AS digest")
			continue
		}
		at := chainWidth * i
		fmt.Fprintf(&b, " UNION ALL SELECT CAST($%d AS TEXT), CAST($%d AS BIGINT), CAST($%d AS TEXT), CAST($%d AS TEXT)", at+1, at+2, at+3, at+4)
	}
	return b.String()
}

// ChainAudit gives up to limit events that have none their places in the chain, in the order of their ids, and tells
// how many. Whoever comes second waits for the row of the head, so no place is given twice.
func (tx *Tx) ChainAudit(limit int) (n int, err error) {
	head, err := tx.lockHead()
	if err != nil {
		return 0, err
	}
	var events []Event
	err = sqldb.ScanAll(tx.base.Ctx, tx.base.Q, `SELECT `+eventColumns+` FROM audit_event WHERE chain_seq IS NULL ORDER BY event_id LIMIT $1`, []any{limit},
		func(rows *sql.Rows) error {
			events = append(events, Event{})
			return rows.Scan(events[len(events)-1].fields()...)
		})
	if err != nil || len(events) == 0 {
		return 0, err
	}
	args := make([]any, 0, chainWidth*len(events))
	for i := range events {
		digest := digestOfDetail(events[i].Detail)
		head = AuditHead{head.Seq + 1, events[i].follow(head.Hash, digest)}
		args = append(args, events[i].EventID, head.Seq, head.Hash, digest)
	}
	const many = chainWidth * chainBy
	for ; len(args) >= many; args = args[many:] {
		if err := tx.base.Exec(chainMany, args[:many]...); err != nil {
			return 0, err
		}
	}
	for ; len(args) > 0; args = args[chainWidth:] {
		if err := tx.base.Exec(`UPDATE audit_event SET chain_seq = $2, chain_hash = $3, detail_digest = $4 WHERE event_id = $1`, args[:chainWidth]...); err != nil {
			return 0, err
		}
	}
	return len(events), tx.base.Exec(`UPDATE audit_head SET seq = $1, hash = $2 WHERE chain = 'audit'`, head.Seq, head.Hash)
}

func (tx *Tx) lockHead() (h AuditHead, err error) {
	err = sqldb.ScanOne(tx.base.Ctx, tx.base.Q, `INSERT INTO audit_head (chain, seq, hash) VALUES ('audit', 0, $1)
		ON CONFLICT (chain) DO UPDATE SET seq = audit_head.seq RETURNING seq, hash`, []any{chainStart}, &h.Seq, &h.Hash)
	return h, err
}

// follow returns the hash of an event after another's: SHA-256 over that hash and every field with its length before it.
// The digest stands for the detail; events that were chained before schema 14 have none and are hashed with the detail itself.
func (e *Event) follow(before, digest string) string {
	detail := e.Detail
	if digest != "" {
		detail = "sha256:" + digest
	}
	sum := sha256.New()
	for _, field := range []any{
		before, e.EventID, e.At, e.Actor, e.Owner, e.Task, e.Action, e.Kind, e.ItemID, e.TargetID, e.OK, e.Status, detail, e.RequestID,
	} {
		hashField(sum, field)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func digestOfDetail(detail string) string {
	sum := sha256.Sum256([]byte(detail))
	return hex.EncodeToString(sum[:])
}

func hashField(sum hash.Hash, field any) {
	var text []byte
	switch v := field.(type) {
	case string:
		text = []byte(v)
	case int64:
		text = binary.BigEndian.AppendUint64(nil, uint64(v))
	case bool:
		text = []byte{0}
		if v {
			text[0] = 1
		}
	}
	sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
	sum.Write(text)
}

// AuditHead gives the end of the chain; no event has a place when its Seq is 0.
func (q Queries) AuditHead(ctx context.Context) (AuditHead, error) {
	h := AuditHead{Hash: chainStart}
	err := sqldb.ScanOne(ctx, q.base.Q, `SELECT seq, hash FROM audit_head WHERE chain = 'audit'`, nil, &h.Seq, &h.Hash)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return h, err
}

// AuditWaiting counts the events without a place in the chain and tells when the first of them was, in µs; 0 for none.
func (q Queries) AuditWaiting(ctx context.Context) (n, oldest int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT (SELECT COUNT(*) FROM audit_event WHERE chain_seq IS NULL),
		COALESCE((SELECT at FROM audit_event WHERE chain_seq IS NULL ORDER BY event_id LIMIT 1), 0)`, nil, &n, &oldest)
	return n, oldest, err
}

// CheckAudit follows the chain from its beginning to the head and gives the first place where it is broken, or nil.
// A known head of earlier, such as a backup has, must still be part of it. Progress may be nil.
func (q Queries) CheckAudit(ctx context.Context, known []AuditHead, progress func(done, total int64)) (head AuditHead, broken *BrokenChain, err error) {
	if head, err = q.AuditHead(ctx); err != nil {
		return head, nil, err
	}
	expect := map[int64]string{}
	for _, k := range known {
		if k.Seq > head.Seq {
			return head, &BrokenChain{Seq: head.Seq + 1, Problem: fmt.Sprintf("the log ends at event %d and once had %d", head.Seq, k.Seq)}, nil
		}
		if k.Seq > 0 {
			expect[k.Seq] = k.Hash
		}
	}
	dropped, err := q.detailsDropped(ctx)
	if err != nil {
		return head, nil, err
	}
	const page = 1000
	at := AuditHead{Hash: chainStart}
	for at.Seq < head.Seq && broken == nil {
		n := 0
		err = sqldb.ScanAll(ctx, q.base.Q, `SELECT chain_seq, chain_hash, COALESCE(detail_digest, ''), `+eventColumns+` FROM audit_event
			WHERE chain_seq > $1 AND chain_seq <= $2 ORDER BY chain_seq LIMIT $3`, []any{at.Seq, head.Seq, page}, func(rows *sql.Rows) error {
			n++
			var e Event
			var is AuditHead
			var digest string
			if err := rows.Scan(append([]any{&is.Seq, &is.Hash, &digest}, e.fields()...)...); err != nil || broken != nil {
				return err
			}
			next := AuditHead{at.Seq + 1, e.follow(at.Hash, digest)}
			detailKept := digest == "" || digest == digestOfDetail(e.Detail) || e.Detail == "" && is.Seq <= dropped
			switch known, has := expect[next.Seq]; {
			case is.Seq != next.Seq:
				broken = &BrokenChain{Seq: next.Seq, Problem: fmt.Sprintf("event %d is missing", next.Seq)}
			case is.Hash != next.Hash || !detailKept:
				broken = &BrokenChain{Seq: is.Seq, EventID: e.EventID, Problem: fmt.Sprintf("event %d (%s) is not what was written, or does not follow the one before", is.Seq, e.EventID)}
			case has && known != is.Hash:
				broken = &BrokenChain{Seq: is.Seq, EventID: e.EventID, Problem: fmt.Sprintf("event %d or one before it is another than it once was", is.Seq)}
			}
			at = next
			return nil
		})
		if err != nil {
			return head, nil, err
		}
		if n == 0 && broken == nil {
			broken = &BrokenChain{Seq: at.Seq + 1, Problem: fmt.Sprintf("event %d is missing", at.Seq+1)}
		}
		if progress != nil {
			progress(at.Seq, head.Seq)
		}
	}
	if broken == nil && at.Hash != head.Hash {
		broken = &BrokenChain{Seq: head.Seq, Problem: fmt.Sprintf("the log does not end at event %d as it was written", head.Seq)}
	}
	return head, broken, nil
}
