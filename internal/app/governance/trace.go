package governance

import (
	"context"
	"math"
	"slices"
	"strings"

	"stoa/internal/app/core"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// traceSummarised is how many records a summary looks at.
const traceSummarised = 1000

// TraceInput narrows a trace listing.
type TraceInput struct {
	UserID        string `json:"user_id"`
	RequestID     string `json:"requestId"`
	PathPrefix    string `json:"pathPrefix"`
	StatusAtLeast int    `json:"statusAtLeast"`
	Method        string `json:"method"`
	ErrorCode     string `json:"errorCode"`
	Limit         int    `json:"limit"`
	Cursor        string `json:"cursor"`
}

// TraceRecord is one finished request as its member sees it.
type TraceRecord struct {
	RequestID    string  `json:"requestId"`
	Method       string  `json:"method"`
	Path         string  `json:"path"`
	StatusCode   int     `json:"statusCode"`
	ErrorCode    string  `json:"errorCode,omitempty"`
	DurationMs   float64 `json:"durationMs"`
	StartedAt    string  `json:"startedAt"`
	FinishedAt   string  `json:"finishedAt"`
	ResponseType string  `json:"responseContentType"`
	ResponseSize *int64  `json:"responseContentLength"`
	RequestSize  *int64  `json:"requestContentLength"`
	Remote       string  `json:"remoteAddress"`
	Agent        string  `json:"userAgent"`
	WarmUp       bool    `json:"warmUp,omitempty"`
}

// TraceSummary sums up the newest matching records.
type TraceSummary struct {
	RequestID         string           `json:"requestId"`
	TotalRequests     int              `json:"totalRequests"`
	ErrorRequests     int              `json:"errorRequests"`
	ErrorRatioPct     float64          `json:"errorRatioPct"`
	TrackedRecords    int              `json:"trackedRecords"`
	ReturnedRecords   int              `json:"returnedRecords"`
	StatusBuckets     map[string]int   `json:"statusBuckets"`
	AverageDurationMs float64          `json:"averageDurationMs"`
	P95DurationMs     float64          `json:"p95DurationMs"`
	LastErrorAt       string           `json:"lastErrorAt"`
	LastErrorPath     string           `json:"lastErrorPath"`
	LastErrorCode     string           `json:"lastErrorCode"`
	ErrorCodeCounts   map[string]int   `json:"errorCodeCounts"`
	TransientReturned int              `json:"transientReturnedRequests"`
	TransientRatioPct float64          `json:"transientReturnedRatioPct"`
	TransientTopPaths []core.PathCount `json:"transientTopPaths"`
	PathPrefix        string           `json:"pathPrefix"`
	StatusAtLeast     int              `json:"statusAtLeast"`
	Method            string           `json:"method"`
	ErrorCode         string           `json:"errorCode"`
}

// RequestTrace is a page of records and their summary.
type RequestTrace struct {
	Summary    TraceSummary  `json:"summary"`
	Records    []TraceRecord `json:"records"`
	NextCursor string        `json:"next_cursor"`
}

const defaultTraceLimit = 40

// GetRuntimeRequestTrace answers the caller's own requests, newest first.
func (a *Governance) GetRuntimeRequestTrace(ctx context.Context, c core.Caller, in TraceInput) (RequestTrace, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return RequestTrace{}, err
	}
	before, err := core.ParseIDCursor(in.Cursor)
	if err != nil {
		return RequestTrace{}, err
	}
	if in.Limit == 0 {
		in.Limit = defaultTraceLimit
	}
	a.FlushTrace(ctx)
	filter := store.TraceFilter{
		UserID: &userID, RequestID: in.RequestID, PathPrefix: in.PathPrefix, StatusAtLeast: in.StatusAtLeast,
		Method: strings.ToUpper(in.Method), ErrorCode: in.ErrorCode, Limit: traceSummarised,
	}
	matching, err := a.Traced(ctx, filter)
	if err != nil {
		return RequestTrace{}, err
	}
	tracked, err := a.Main.CountTrace(ctx, userID)
	if err != nil {
		return RequestTrace{}, err
	}
	page := matching
	if before != "" {
		filter.Before, filter.Limit = before, in.Limit+1
		if page, err = a.Traced(ctx, filter); err != nil {
			return RequestTrace{}, err
		}
	}
	out := RequestTrace{Summary: summarise(matching), Records: []TraceRecord{}}
	if len(page) > in.Limit {
		page = page[:in.Limit]
		out.NextCursor = page[in.Limit-1].TraceID
	}
	for _, r := range page {
		out.Records = append(out.Records, traceView(r))
	}
	s := &out.Summary
	s.TrackedRecords, s.ReturnedRecords = tracked, len(out.Records)
	s.RequestID, s.PathPrefix, s.StatusAtLeast, s.Method, s.ErrorCode = in.RequestID, in.PathPrefix, in.StatusAtLeast, filter.Method, in.ErrorCode
	return out, nil
}

func traceView(r store.TraceRecord) TraceRecord {
	return TraceRecord{
		RequestID: r.RequestID, Method: r.Method, Path: r.Path, StatusCode: r.Status, ErrorCode: r.ErrorCode, DurationMs: float64(r.DurationUS) / 1000,
		StartedAt: clock.Text(clock.FromMicros(r.StartedAt)), FinishedAt: clock.Text(clock.FromMicros(r.FinishedAt)), ResponseType: r.ResponseType,
		ResponseSize: known(r.ResponseSize), RequestSize: known(r.RequestSize), Remote: r.Remote, Agent: r.Agent, WarmUp: r.WarmUp,
	}
}

func known(size int64) *int64 {
	if size < 0 {
		return nil
	}
	return &size
}

// transient are the statuses after which the same request may succeed.
var transient = []int{408, 425, 429, 502, 503, 504}

func summarise(records []store.TraceRecord) TraceSummary {
	s := TraceSummary{
		TotalRequests: len(records), StatusBuckets: map[string]int{"2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0, "other": 0},
		ErrorCodeCounts: map[string]int{}, TransientTopPaths: []core.PathCount{},
	}
	durations := make([]float64, 0, len(records))
	paths := map[string]int{}
	sum := 0.0
	for _, r := range records {
		s.StatusBuckets[bucket(r.Status)]++
		durations = append(durations, float64(r.DurationUS)/1000)
		sum += float64(r.DurationUS) / 1000
		if r.ErrorCode != "" {
			s.ErrorCodeCounts[r.ErrorCode]++
		}
		if slices.Contains(transient, r.Status) {
			s.TransientReturned++
			paths[r.Path]++
		}
		if r.Status < 400 {
			continue
		}
		s.ErrorRequests++
		if s.LastErrorAt == "" { // newest first
			s.LastErrorAt, s.LastErrorPath, s.LastErrorCode = clock.Text(clock.FromMicros(r.FinishedAt)), r.Path, r.ErrorCode
		}
	}
	if n := float64(len(records)); n > 0 {
		slices.Sort(durations)
		s.AverageDurationMs, s.P95DurationMs = decimals(sum/n), durations[int(math.Ceil(0.95*n))-1]
		s.ErrorRatioPct, s.TransientRatioPct = decimals(100*float64(s.ErrorRequests)/n), decimals(100*float64(s.TransientReturned)/n)
	}
	s.TransientTopPaths = core.TopPaths(paths)
	return s
}

func bucket(status int) string {
	switch status / 100 {
	case 2, 3, 4, 5:
		return string(rune('0'+status/100)) + "xx"
	}
	return "other"
}

// decimals rounds to the four decimals of the contract's percentages.
func decimals(x float64) float64 { return math.Round(x*1e4) / 1e4 }
