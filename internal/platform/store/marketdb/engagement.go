package marketdb

import (
	"context"
	"database/sql"

	"stoa/internal/market/catalog"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store/sqldb"
)

// Counter names one engagement counter.
type Counter string

// The counters; their values are columns.
const (
	TrialRequests        Counter = "trial_requests"
	Installs             Counter = "installs"
	PromptGenerations    Counter = "prompt_generations"
	PackageGenerations   Counter = "package_generations"
	CommunitySubmissions Counter = "community_submissions"
)

func engagementFields(e *catalog.Engagement) []any {
	return []any{&e.TrialRequests, &e.Installs, &e.PromptGenerations, &e.PackageGenerations, &e.CommunitySubmissions, &e.LastActivityAt}
}

// Engage adds one to a counter of an item, sets its last activity and answers all counters as they
// are now. Uses of public items count for the market too. Call it last in a transaction: on PostgreSQL it
// holds the rows' locks until the commit.
func (tx *Tx) Engage(kind catalog.Kind, seq int64, public bool, c Counter) (catalog.Engagement, error) {
	var e catalog.Engagement
	now := clock.Micros(tx.Now)
	err := sqldb.ScanOne(tx.Ctx, tx.Q, `UPDATE engagement SET `+string(c)+` = `+string(c)+` + 1,
		last_activity_at = CASE WHEN last_activity_at > $2 THEN last_activity_at ELSE $2 END, changed_at = $2
		WHERE seq = $1 RETURNING trial_requests, installs, prompt_generations, package_generations, community_submissions, last_activity_at`,
		[]any{seq, now}, engagementFields(&e)...)
	if err == nil {
		err = tx.countUse(kind, seq, public, c, now)
	}
	return e, err
}

// EngagementChangedSince hands the counters changed at or after since (µs) to yield.
func (q Queries) EngagementChangedSince(ctx context.Context, since int64, yield func(seq int64, e catalog.Engagement)) error {
	return sqldb.ScanAll(ctx, q.Q, `SELECT seq, trial_requests, installs, prompt_generations, package_generations, community_submissions, last_activity_at
		FROM engagement WHERE changed_at >= $1`, []any{since}, func(rows *sql.Rows) error {
		var seq int64
		var e catalog.Engagement
		if err := rows.Scan(append([]any{&seq}, engagementFields(&e)...)...); err != nil {
			return err
		}
		yield(seq, e)
		return nil
	})
}

// Engagement gives the stored counters of one item, or ErrNotFound.
func (q Queries) Engagement(ctx context.Context, seq int64) (e catalog.Engagement, err error) {
	err = sqldb.ScanOne(ctx, q.Q, `SELECT trial_requests, installs, prompt_generations, package_generations, community_submissions, last_activity_at
		FROM engagement WHERE seq = $1`, []any{seq}, engagementFields(&e)...)
	return e, err
}
