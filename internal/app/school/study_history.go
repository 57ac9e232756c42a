package school

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/app/school/notebook"
	"stoa/internal/app/school/tutors"
	"stoa/internal/learning/path"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/schooldb"
)

// SessionHistoryInput chooses past sessions.
type SessionHistoryInput struct {
	UserID        string `json:"user_id"`
	Limit         int    `json:"limit"`
	SinceMinutes  int    `json:"sinceMinutes"`
	Strategy      string `json:"pathStrategy"`
	Source        string `json:"pathStrategySelectionSource"`
	RefreshSource string `json:"refreshSource"`
	Kinds         string `json:"executionKinds"`
	Offset        int    `json:"offset"`
	Cursor        string `json:"cursor"`
	From          string `json:"fromExecutedAt"`
	To            string `json:"toExecutedAt"`
}

// BySource is one figure for each source of a selection.
type BySource[T any] struct {
	Explicit T `json:"explicit_request"`
	Trend    T `json:"strategy_trend"`
	Fallback T `json:"mode_fallback"`
	Unknown  T `json:"unknown"`
}

// of is the place of a source.
func (b *BySource[T]) of(source string) *T {
	switch source {
	case sourceExplicit:
		return &b.Explicit
	case sourceTrend:
		return &b.Trend
	case sourceFallback:
		return &b.Fallback
	}
	return &b.Unknown
}

// StrategyOutcome is what the sessions of a strategy brought.
type StrategyOutcome struct {
	Strategy   string        `json:"strategy"`
	Executions int64         `json:"executions"`
	Delta      float64       `json:"averageMasteryDeltaPct"`
	Positive   float64       `json:"positiveRatioPct"`
	Negative   float64       `json:"negativeRatioPct"`
	Sources    BySource[int] `json:"selectionSourceCounts"`
}

// KindBreakdown is what the sessions of a kind brought.
type KindBreakdown struct {
	Kind    string  `json:"executionKind"`
	Records int64   `json:"recordCount"`
	Actions int64   `json:"totalExecutedActions"`
	Delta   float64 `json:"averageMasteryDelta"`
}

// HistoryFilters are the filters that were applied.
type HistoryFilters struct {
	Limit         int    `json:"limit"`
	SinceMinutes  int    `json:"sinceMinutes"`
	Strategy      string `json:"pathStrategy"`
	Source        string `json:"pathStrategySelectionSource"`
	RefreshSource string `json:"refreshSource"`
}

// SessionHistorySummary sums up all sessions that match, not only those on the page.
type SessionHistorySummary struct {
	Records    int64             `json:"totalRecords"`
	Actions    int64             `json:"totalExecutedActions"`
	Updated    int64             `json:"totalUpdatedMasteryCount"`
	Delta      float64           `json:"averageMasteryDelta"`
	Confidence float64           `json:"averageTutorConfidence"`
	Kinds      []KindBreakdown   `json:"executionKindBreakdown"`
	Promoted   int64             `json:"totalMemoryPromotionAppliedCount"`
	Promotions int64             `json:"totalMemoryPromotionCount"`
	Matched    int64             `json:"matchedRecordsBeforeLimit"`
	Filters    HistoryFilters    `json:"appliedFilters"`
	Counts     BySource[int]     `json:"pathStrategySelectionSourceCounts"`
	Deltas     BySource[float64] `json:"pathStrategySelectionSourceAverageMasteryDeltaPct"`
	Positive   BySource[float64] `json:"pathStrategySelectionSourcePositiveRatioPct"`
	Strategies []StrategyOutcome `json:"pathStrategyOutcomeByStrategy"`
}

// HistoryPage is where in the list the page stands.
type HistoryPage struct {
	Limit    int   `json:"limit"`
	Offset   int   `json:"offset"`
	Returned int   `json:"returnedRecords"`
	Total    int64 `json:"totalFilteredRecords"`
	More     bool  `json:"hasMore"`
	Next     *int  `json:"nextOffset"`
}

// SessionHistory is a page of past sessions, newest first.
type SessionHistory struct {
	UserID      string                `json:"userId"`
	GeneratedAt string                `json:"generatedAt"`
	Records     []ExecutionRecord     `json:"records"`
	Page        HistoryPage           `json:"page"`
	Summary     SessionHistorySummary `json:"summary"`
	NextCursor  string                `json:"next_cursor"`
}

var refreshSources = []string{"manual", "auto_refresh", "queued_replay", "visibility_resume", "workbench_refresh", "unknown"}

// GetSessionHistory answers past sessions and what they brought.
func (a *School) GetSessionHistory(ctx context.Context, c core.Caller, in SessionHistoryInput) (SessionHistory, error) {
	userID, err := c.Member(in.UserID)
	if err != nil {
		return SessionHistory{}, err
	}
	now := a.Clock()
	f := in.filter(userID, now)
	before, id, err := studyCursor(in.Cursor)
	if err != nil {
		return SessionHistory{}, err
	}
	limit := cmp.Or(in.Limit, tutors.UsualHistory)
	sums, err := a.Store.StudySums(ctx, f)
	if err != nil {
		return SessionHistory{}, err
	}
	rows, err := a.Store.Studies(ctx, f, before, id, in.Offset, limit+1)
	if err != nil {
		return SessionHistory{}, err
	}
	out := SessionHistory{UserID: userID, GeneratedAt: clock.Text(now), Records: []ExecutionRecord{}, Summary: historySummary(sums)}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		out.NextCursor = base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(last.ExecutedAt, 10) + " " + last.ID))
		next := in.Offset + limit
		out.Page.More, out.Page.Next = true, &next
	}
	for _, r := range rows {
		var record ExecutionRecord
		if err := json.Unmarshal(r.Record, &record); err != nil {
			return SessionHistory{}, err
		}
		out.Records = append(out.Records, record)
	}
	out.Page.Limit, out.Page.Offset, out.Page.Returned, out.Page.Total = limit, in.Offset, len(rows), out.Summary.Matched
	out.Summary.Filters = HistoryFilters{limit, in.SinceMinutes, f.Strategy, f.Source, ""}
	if slices.Contains(refreshSources, in.RefreshSource) {
		out.Summary.Filters.RefreshSource = in.RefreshSource
	}
	return out, nil
}

// filter keeps the filters that mean something; an unknown word is no filter.
func (in *SessionHistoryInput) filter(userID string, now time.Time) schooldb.StudyFilter {
	f := schooldb.StudyFilter{UserID: userID}
	if word := strings.ReplaceAll(strings.ToLower(in.Strategy), "-", "_"); path.Strategy(word).Valid() {
		f.Strategy = word
	}
	if word := strings.ReplaceAll(strings.ToLower(in.Source), "-", "_"); slices.Contains([]string{sourceExplicit, sourceTrend, sourceFallback, sourceUnknown}, word) {
		f.Source = word
	}
	for kind := range strings.SplitSeq(in.Kinds, ",") {
		if k := executionKinds[strings.ToLower(strings.TrimSpace(kind))]; k != "" && strings.TrimSpace(kind) != "" && !slices.Contains(f.Kinds, k) {
			f.Kinds = append(f.Kinds, k)
		}
	}
	if in.SinceMinutes > 0 {
		f.From = max(1, clock.Micros(now.Add(-time.Duration(in.SinceMinutes)*time.Minute)))
	}
	if from := notebook.TimeOr(in.From, time.Time{}); !from.IsZero() {
		f.From = max(f.From, clock.Micros(from))
	}
	if to := notebook.TimeOr(in.To, time.Time{}); !to.IsZero() {
		f.To = clock.Micros(to) + 1
	}
	return f
}

// studyCursor reads the place of the last session of the page before.
func studyCursor(cursor string) (at int64, id string, err error) {
	if cursor == "" {
		return 0, "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, "", core.ErrCursor
	}
	number, id, ok := strings.Cut(string(text), " ")
	at, err = strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return 0, "", core.ErrCursor
	}
	if _, err := core.ParseIDCursor(id); err != nil || id == "" {
		return 0, "", core.ErrCursor
	}
	return at, id, nil
}

// historySummary adds up the sums of sessions in the ways that are shown.
func historySummary(sums []schooldb.StudySum) SessionHistorySummary {
	out := SessionHistorySummary{Kinds: []KindBreakdown{}, Strategies: []StrategyOutcome{}}
	var all schooldb.StudySum
	bySource, byKind, byStrategy := map[string]schooldb.StudySum{}, map[string]schooldb.StudySum{}, map[string]schooldb.StudySum{}
	sources := map[string]*BySource[int]{}
	for _, s := range sums {
		all = all.Plus(s)
		bySource[s.Source] = bySource[s.Source].Plus(s)
		byKind[s.Kind] = byKind[s.Kind].Plus(s)
		if s.Strategy == "" {
			continue
		}
		byStrategy[s.Strategy] = byStrategy[s.Strategy].Plus(s)
		if sources[s.Strategy] == nil {
			sources[s.Strategy] = &BySource[int]{}
		}
		*sources[s.Strategy].of(s.Source) += int(s.Sessions)
	}
	out.Records, out.Matched, out.Actions, out.Updated, out.Promoted, out.Promotions = all.Sessions, all.Sessions, all.Actions, all.Updated, all.Promoted, all.Promotions
	out.Delta, out.Confidence = core.Rounded(core.Mean(all.Delta, all.Sessions), 6), core.Rounded(core.Mean(all.Confidence, all.Sessions), 6)
	for source, s := range bySource {
		*out.Counts.of(source) = int(s.Sessions)
		*out.Deltas.of(source) = core.Rounded(100*core.Mean(s.Delta, s.Sessions), 4)
		*out.Positive.of(source) = core.Percent(s.Positive, s.Sessions)
	}
	for _, kind := range []string{"session", "retest", "custom"} {
		if s, ok := byKind[kind]; ok {
			out.Kinds = append(out.Kinds, KindBreakdown{kind, s.Sessions, s.Actions, core.Rounded(core.Mean(s.Delta, s.Sessions), 6)})
		}
	}
	for _, strategy := range path.Strategies {
		if s, ok := byStrategy[string(strategy)]; ok {
			out.Strategies = append(out.Strategies, StrategyOutcome{
				string(strategy), s.Sessions, core.Rounded(100*core.Mean(s.Delta, s.Sessions), 4), core.Percent(s.Positive, s.Sessions), core.Percent(s.Negative, s.Sessions), *sources[string(strategy)],
			})
		}
	}
	return out
}
