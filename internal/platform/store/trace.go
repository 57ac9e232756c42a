package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"stoa/internal/platform/store/sqldb"
)

// TraceRecord is one finished request. Times in µs; sizes in bytes, -1 when not known.
type TraceRecord struct {
	TraceID      string
	RequestID    string
	UserID       string
	Method       string
	Path         string
	Status       int
	ErrorCode    string
	DurationUS   int64
	StartedAt    int64
	FinishedAt   int64
	ResponseType string
	ResponseSize int64
	RequestSize  int64
	Remote       string
	Agent        string
	// WarmUp marks the first request to its route since the process began: its time says little of the next.
	WarmUp bool
}

// TraceFilter narrows a trace listing; zero values do not. UserID nil means every member's.
type TraceFilter struct {
	UserID        *string
	RequestID     string
	PathPrefix    string
	StatusAtLeast int
	Method        string
	ErrorCode     string
	Before        string
	Limit         int
}

// Matches reports whether a filter lets a record through; Before and Limit are not looked at.
func (f TraceFilter) Matches(r TraceRecord) bool {
	return (f.UserID == nil || *f.UserID == r.UserID) && (f.RequestID == "" || f.RequestID == r.RequestID) && strings.HasPrefix(r.Path, f.PathPrefix) &&
		r.Status >= f.StatusAtLeast && (f.Method == "" || f.Method == r.Method) && (f.ErrorCode == "" || f.ErrorCode == r.ErrorCode)
}

const traceColumns = `trace_id, request_id, user_id, method, path, status, error_code, duration_us, started_at, finished_at, response_type, response_size, request_size, remote, agent, warm_up`

const (
	traceWidth = 16 // columns
	// traceBy is how many records one statement appends: most of what a statement costs is not the row.
	traceBy = 16
)

// AddTrace appends records; those that are there already stay as they are.
func (tx *Tx) AddTrace(records []TraceRecord) error {
	args := make([]any, 0, traceBy*traceWidth)
	for many := range slices.Chunk(records, traceBy) {
		args = args[:0]
		for _, r := range many {
			args = append(args, r.TraceID, r.RequestID, r.UserID, r.Method, r.Path, r.Status, r.ErrorCode, r.DurationUS, r.StartedAt, r.FinishedAt,
				r.ResponseType, r.ResponseSize, r.RequestSize, r.Remote, r.Agent, r.WarmUp)
		}
		if err := tx.base.Exec(addTraces[len(many)], args...); err != nil {
			return err
		}
	}
	return nil
}

// addTraces are the statements that append so many records.
var addTraces = func() (statements [traceBy + 1]string) {
	rows := ""
	for n := range traceBy {
		rows += ", (" + sqldb.Placeholders(n*traceWidth+1, traceWidth) + ")"
		statements[n+1] = `INSERT INTO request_trace (` + traceColumns + `) VALUES ` + rows[2:] + ` ON CONFLICT (trace_id) DO NOTHING`
	}
	return statements
}()

// Trace lists records, newest first.
func (q Queries) Trace(ctx context.Context, f TraceFilter) ([]TraceRecord, error) {
	var where []string
	var args []any
	add := func(condition string, value any) {
		args = append(args, value)
		where = append(where, fmt.Sprintf(condition, len(args)))
	}
	if f.UserID != nil {
		add(`user_id = $%d`, *f.UserID)
	}
	if f.RequestID != "" {
		add(`request_id = $%d`, f.RequestID)
	}
	if f.PathPrefix != "" {
		add(`substr(path, 1, length(CAST($%[1]d AS TEXT))) = $%[1]d`, f.PathPrefix)
	}
	if f.StatusAtLeast > 0 {
		add(`status >= $%d`, f.StatusAtLeast)
	}
	if f.Method != "" {
		add(`method = $%d`, f.Method)
	}
	if f.ErrorCode != "" {
		add(`error_code = $%d`, f.ErrorCode)
	}
	if f.Before == "" {
		f.Before = sqldb.NewestID
	}
	add(`trace_id < $%d`, f.Before)
	args = append(args, f.Limit)
	var all []TraceRecord
	err := sqldb.ScanAll(ctx, q.base.Q, `SELECT `+traceColumns+` FROM request_trace WHERE `+strings.Join(where, " AND ")+
		fmt.Sprintf(` ORDER BY trace_id DESC LIMIT $%d`, len(args)), args, func(rows *sql.Rows) error {
		var r TraceRecord
		if err := rows.Scan(&r.TraceID, &r.RequestID, &r.UserID, &r.Method, &r.Path, &r.Status, &r.ErrorCode, &r.DurationUS, &r.StartedAt,
			&r.FinishedAt, &r.ResponseType, &r.ResponseSize, &r.RequestSize, &r.Remote, &r.Agent, &r.WarmUp); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// CountTrace counts a member's records.
func (q Queries) CountTrace(ctx context.Context, userID string) (n int, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT COUNT(*) FROM request_trace WHERE user_id = $1`, []any{userID}, &n)
	return n, err
}

// CountTraces counts all records.
func (q Queries) CountTraces(ctx context.Context) (n int64, err error) {
	err = sqldb.ScanOne(ctx, q.base.Q, `SELECT COUNT(*) FROM request_trace`, nil, &n)
	return n, err
}

// SweepTrace removes up to limit records older than the id olderThan, oldest first, and tells how many.
func (tx *Tx) SweepTrace(olderThan string, limit int) (int64, error) {
	return tx.base.Changed(`DELETE FROM request_trace WHERE trace_id IN
		(SELECT trace_id FROM request_trace WHERE trace_id < $1 ORDER BY trace_id LIMIT $2)`, olderThan, limit)
}
