package schooldb

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// GovernanceKind is one of the two histories that are summed up.
type GovernanceKind string

// The histories.
const (
	Verifications GovernanceKind = "verification"
	Remediations  GovernanceKind = "remediation_event"
)

// GovernanceRecord is a verification of a check or an attempt to fix one. Ids sort by time. At in µs; Errors in
// millionths, P95 in µs and TopRisk are of verifications, Source is of attempts.
type GovernanceRecord struct {
	Kind                                           GovernanceKind
	UserID, ID, RequestID, CheckID, Source, Status string
	At, Errors, P95                                int64
	TopRisk                                        bool
	Record                                         []byte
}

// GovernanceSum is a sum over records of a check, a source and a status.
type GovernanceSum struct {
	CheckID, Source, Status       string
	Records, Errors, P95, TopRisk int64
}

// GovernanceFilter chooses records of a learner; empty fields choose all. From is an id: records that are not older.
type GovernanceFilter struct {
	UserID, CheckID, Source, Status string
	From                            string
}

// AddGovernance keeps a record and adds it to the sums; when the request has made one already, nothing changes and added
// is false.
func (tx *Tx) AddGovernance(r GovernanceRecord) (added bool, err error) {
	var n int64
	if r.Kind == Verifications {
		n, err = tx.Changed(`INSERT INTO verification (user_id, id, request_id, check_id, status, errors, p95_us, top_risk, at, record)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (user_id, request_id) DO NOTHING`,
			r.UserID, r.ID, r.RequestID, r.CheckID, r.Status, r.Errors, r.P95, r.TopRisk, r.At, string(r.Record))
	} else {
		n, err = tx.Changed(`INSERT INTO remediation_event (user_id, id, request_id, check_id, source, status, at, record)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (user_id, request_id) DO NOTHING`,
			r.UserID, r.ID, r.RequestID, r.CheckID, r.Source, r.Status, r.At, string(r.Record))
	}
	if err != nil || n == 0 {
		return false, err
	}
	return true, tx.sumGovernance(r, 1)
}

// sumGovernance adds a record to the sums, or takes it out with sign -1.
func (tx *Tx) sumGovernance(r GovernanceRecord, sign int64) error {
	top := int64(0)
	if r.TopRisk {
		top = sign
	}
	for _, width := range widths {
		args := []any{r.UserID, string(r.Kind), width, bucket(r.At, width), r.CheckID, r.Source, r.Status, sign, sign * r.Errors, sign * r.P95, top}
		if err := tx.Exec(`INSERT INTO governance_sum (user_id, kind, width, bucket, check_id, source, status, records, errors, p95_us, top_risk)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			ON CONFLICT (user_id, kind, width, bucket, check_id, source, status) DO UPDATE SET records = governance_sum.records + $8,
			errors = governance_sum.errors + $9, p95_us = governance_sum.p95_us + $10, top_risk = governance_sum.top_risk + $11`, args...); err != nil {
			return err
		}
		if sign > 0 {
			continue
		}
		if err := tx.Exec(`DELETE FROM governance_sum WHERE user_id = $1 AND kind = $2 AND width = $3 AND bucket = $4 AND check_id = $5 AND source = $6 AND status = $7
			AND records <= 0`, args[:7]...); err != nil {
			return err
		}
	}
	return nil
}

// Governance lists records, newest first, older than the one before.
func (q Queries) Governance(ctx context.Context, kind GovernanceKind, f GovernanceFilter, before string, limit int) ([]GovernanceRecord, error) {
	columns := `id, request_id, check_id, '', status, at, errors, p95_us, top_risk, record`
	if kind == Remediations {
		columns = `id, request_id, check_id, source, status, at, 0, 0, FALSE, record`
	}
	if before == "" {
		before = sqldb.NewestID
	}
	args := []any{f.UserID, before, f.From}
	var where strings.Builder
	for _, c := range []struct{ column, value string }{{"check_id", f.CheckID}, {"source", f.Source}, {"status", f.Status}} {
		if c.value != "" {
			args = append(args, c.value)
			where.WriteString(` AND ` + c.column + ` = $` + strconv.Itoa(len(args)))
		}
	}
	args = append(args, limit)
	var all []GovernanceRecord
	err := sqldb.ScanAll(ctx, q.Q, `SELECT `+columns+` FROM `+string(kind)+` WHERE user_id = $1 AND id < $2 AND id >= $3`+where.String()+` ORDER BY id DESC LIMIT $`+strconv.Itoa(len(args)), args,
		func(rows *sql.Rows) error {
			r := GovernanceRecord{Kind: kind, UserID: f.UserID}
			err := rows.Scan(&r.ID, &r.RequestID, &r.CheckID, &r.Source, &r.Status, &r.At, &r.Errors, &r.P95, &r.TopRisk, &r.Record)
			all = append(all, r)
			return err
		})
	return all, err
}

// GovernanceOf gives the record that a request made; ErrNotFound when it made none.
func (q Queries) GovernanceOf(ctx context.Context, kind GovernanceKind, userID, requestID string) (r GovernanceRecord, err error) {
	r = GovernanceRecord{Kind: kind, UserID: userID, RequestID: requestID}
	err = sqldb.ScanOne(ctx, q.Q, `SELECT id, check_id, status, at, record FROM `+string(kind)+` WHERE user_id = $1 AND request_id = $2`, []any{userID, requestID},
		&r.ID, &r.CheckID, &r.Status, &r.At, &r.Record)
	return r, err
}

// GovernanceSums sums up a learner's records from a time in µs on, which is taken down to the minute; 0 is from the first.
// However many there are, it reads only the sums of whole days, hours and minutes.
func (q Queries) GovernanceSums(ctx context.Context, kind GovernanceKind, userID string, from int64) ([]GovernanceSum, error) {
	type key struct{ check, source, status string }
	total := map[key]*GovernanceSum{}
	var list []*GovernanceSum
	add := func(width, low, high int64) error {
		return sqldb.ScanAll(ctx, q.Q, `SELECT check_id, source, status, SUM(records), SUM(errors), SUM(p95_us), SUM(top_risk) FROM governance_sum
			WHERE user_id = $1 AND kind = $2 AND width = $3 AND bucket >= $4 AND bucket < $5 GROUP BY check_id, source, status ORDER BY check_id, source, status`,
			[]any{userID, string(kind), width, low, high}, func(rows *sql.Rows) error {
				var s GovernanceSum
				if err := rows.Scan(&s.CheckID, &s.Source, &s.Status, &s.Records, &s.Errors, &s.P95, &s.TopRisk); err != nil {
					return err
				}
				k := key{s.CheckID, s.Source, s.Status}
				if t := total[k]; t != nil {
					t.Records, t.Errors, t.P95, t.TopRisk = t.Records+s.Records, t.Errors+s.Errors, t.P95+s.P95, t.TopRisk+s.TopRisk
					return nil
				}
				total[k] = &s
				list = append(list, &s)
				return nil
			})
	}
	if from <= 0 {
		if err := add(0, 0, 1); err != nil {
			return nil, err
		}
	} else {
		// Minutes up to the next hour, hours up to the next day, days from then on.
		minute := from / micros
		hour := (minute + 59) / 60
		day := (hour + 23) / 24
		for _, part := range [][3]int64{{1, minute, hour * 60}, {60, hour, day * 24}, {1440, day, forever / (1440 * micros)}} {
			if err := add(part[0], part[1], part[2]); err != nil {
				return nil, err
			}
		}
	}
	out := make([]GovernanceSum, len(list))
	for i, s := range list {
		out[i] = *s
	}
	return out, nil
}

// SweepGovernance removes up to limit records of each kind that are older than an id, and takes them out of the sums.
func (tx *Tx) SweepGovernance(olderThan string, limit int) (int64, error) {
	var swept int64
	for _, kind := range []GovernanceKind{Verifications, Remediations} {
		columns := `'', errors, p95_us, top_risk`
		if kind == Remediations {
			columns = `source, 0, 0, FALSE`
		}
		var old []GovernanceRecord
		err := sqldb.ScanAll(tx.Ctx, tx.Q, `SELECT user_id, id, check_id, status, at, `+columns+` FROM `+string(kind)+` WHERE id < $1 ORDER BY id LIMIT $2`, []any{olderThan, limit},
			func(rows *sql.Rows) error {
				r := GovernanceRecord{Kind: kind}
				err := rows.Scan(&r.UserID, &r.ID, &r.CheckID, &r.Status, &r.At, &r.Source, &r.Errors, &r.P95, &r.TopRisk)
				old = append(old, r)
				return err
			})
		if err != nil {
			return swept, err
		}
		for _, r := range old {
			if err := tx.Exec(`DELETE FROM `+string(kind)+` WHERE user_id = $1 AND id = $2`, r.UserID, r.ID); err != nil {
				return swept, err
			}
			if err := tx.sumGovernance(r, -1); err != nil {
				return swept, err
			}
		}
		swept += int64(len(old))
	}
	n, err := tx.Changed(`DELETE FROM quality_record WHERE id IN (SELECT id FROM quality_record WHERE id < $1 ORDER BY id LIMIT $2)`, olderThan, limit)
	return swept + n, err
}

// Quality is a snapshot of the quality of learning. Ids sort by time. At in µs.
type Quality struct {
	UserID, ID string
	At         int64
	Record     []byte
}

// QualityState is what is kept of a learner's snapshots beside them. Shares are summed up in millionths. The chart lives
// on when records are swept, and so do the sums: they are of all there ever were.
type QualityState struct {
	Records, Retest, Evidence, Recurrence, Fallback int64
	Chart                                           []byte
}

// AddQuality keeps a snapshot and the state after it.
func (tx *Tx) AddQuality(r Quality, s QualityState) error {
	if err := errors.Join(tx.Changes("quality_record", r.UserID, r.ID), tx.Changes("quality_state", r.UserID)); err != nil {
		return err
	}
	if err := tx.Exec(`INSERT INTO quality_record (user_id, id, at, record) VALUES ($1, $2, $3, $4)`, r.UserID, r.ID, r.At, string(r.Record)); err != nil {
		return err
	}
	return tx.PutQualityState(r.UserID, s)
}

// PutQualityState keeps the state.
func (tx *Tx) PutQualityState(userID string, s QualityState) error {
	return tx.Exec(`INSERT INTO quality_state (user_id, records, retest, evidence, recurrence, fallback, chart) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (user_id) DO UPDATE SET records = $2, retest = $3, evidence = $4, recurrence = $5, fallback = $6, chart = $7`,
		userID, s.Records, s.Retest, s.Evidence, s.Recurrence, s.Fallback, string(s.Chart))
}

// QualityState gives the state; the zero one without snapshots.
func (q Queries) QualityState(ctx context.Context, userID string) (s QualityState, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT records, retest, evidence, recurrence, fallback, chart FROM quality_state WHERE user_id = $1`, []any{userID},
		&s.Records, &s.Retest, &s.Evidence, &s.Recurrence, &s.Fallback, &s.Chart)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return s, err
}

// Qualities lists a learner's snapshots, newest first, older than the one before.
func (q Queries) Qualities(ctx context.Context, userID, before string, limit int) ([]Quality, error) {
	if before == "" {
		before = sqldb.NewestID
	}
	var all []Quality
	err := sqldb.ScanAll(ctx, q.Q, `SELECT id, at, record FROM quality_record WHERE user_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3`, []any{userID, before, limit},
		func(rows *sql.Rows) error {
			r := Quality{UserID: userID}
			err := rows.Scan(&r.ID, &r.At, &r.Record)
			all = append(all, r)
			return err
		})
	return all, err
}

// QualityBaseline gives a learner's baseline; nil without one.
func (q Queries) QualityBaseline(ctx context.Context, userID string) (snapshot []byte, storedAt int64, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT snapshot, stored_at FROM quality_baseline WHERE user_id = $1`, []any{userID}, &snapshot, &storedAt)
	if errors.Is(err, sqldb.ErrNotFound) {
		err = nil
	}
	return snapshot, storedAt, err
}

// SetQualityBaseline keeps a learner's baseline; nil takes it away.
func (tx *Tx) SetQualityBaseline(userID string, snapshot []byte, storedAt int64) error {
	if snapshot == nil {
		return tx.Exec(`DELETE FROM quality_baseline WHERE user_id = $1`, userID)
	}
	if storedAt == 0 {
		storedAt = clock.Micros(tx.Now)
	}
	return tx.Exec(`INSERT INTO quality_baseline (user_id, snapshot, stored_at) VALUES ($1, $2, $3) ON CONFLICT (user_id) DO UPDATE SET snapshot = $2, stored_at = $3`,
		userID, string(snapshot), storedAt)
}

// MemoryHealth counts what a learner's tutor keeps in mind: all, expired, not renewed since a time, and unsure entries.
type MemoryHealth struct{ Entries, Expired, Stale, Unsure int64 }

// MemoryHealth looks at what a learner's tutor keeps in mind.
func (q Queries) MemoryHealth(ctx context.Context, userID string, now, staleBefore int64, sure float64) (m MemoryHealth, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT COUNT(*), COALESCE(SUM(CASE WHEN expires_at > 0 AND expires_at <= $2 THEN 1 ELSE 0 END), 0),
		COALESCE(SUM(CASE WHEN updated_at < $3 THEN 1 ELSE 0 END), 0), COALESCE(SUM(CASE WHEN confidence < $4 THEN 1 ELSE 0 END), 0)
		FROM memory_entry WHERE user_id = $1`, []any{userID, now, staleBefore, sure}, &m.Entries, &m.Expired, &m.Stale, &m.Unsure)
	return m, err
}

// Verdicts lists the newest verdicts on a check without their records; an index alone answers it.
func (q Queries) Verdicts(ctx context.Context, userID, checkID, from string, limit int) ([]GovernanceRecord, error) {
	var all []GovernanceRecord
	err := sqldb.ScanAll(ctx, q.Q, `SELECT id, status, errors, p95_us, at FROM verification WHERE user_id = $1 AND check_id = $2 AND id >= $3 ORDER BY id DESC LIMIT $4`,
		[]any{userID, checkID, from, limit}, func(rows *sql.Rows) error {
			r := GovernanceRecord{Kind: Verifications, UserID: userID, CheckID: checkID}
			err := rows.Scan(&r.ID, &r.Status, &r.Errors, &r.P95, &r.At)
			all = append(all, r)
			return err
		})
	return all, err
}

// Attempts gives the newest attempts to fix a check that are not older than an id: their status and time alone.
func (q Queries) Attempts(ctx context.Context, userID, checkID, from string, limit int) ([]GovernanceRecord, error) {
	var all []GovernanceRecord
	err := sqldb.ScanAll(ctx, q.Q, `SELECT status, at FROM remediation_event WHERE user_id = $1 AND check_id = $2 AND id >= $3 ORDER BY id DESC LIMIT $4`,
		[]any{userID, checkID, from, limit}, func(rows *sql.Rows) error {
			r := GovernanceRecord{Kind: Remediations, UserID: userID, CheckID: checkID}
			err := rows.Scan(&r.Status, &r.At)
			all = append(all, r)
			return err
		})
	return all, err
}
