// Package fulltext is the search index in the database: one for each engine, with the same answers, and how a query is answered from it.
package fulltext

import (
	"context"
	"database/sql"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/sqldb"
)

// Index keeps the tokens of items in a database engine and tells which
// items match. FTS5 and TSVector are its two implementations; both
// give the same answers.
type Index interface {
	// Put indexes an item, in place of what was indexed for it before. The
	// revision is the item's own counter; Status adds it up.
	Put(ctx context.Context, q sqldb.Querier, seq, revision int64, doc search.Document) error
	// Fill runs put, in which many items are put into an index that has none, in one transaction. Nobody can search
	// meanwhile. Call it through Store.FillSearch.
	Fill(ctx context.Context, q sqldb.Querier, put func() error) error
	// Delete takes an item out of the index; an unknown one is no error.
	Delete(ctx context.Context, q sqldb.Querier, seq int64) error
	// SetPopular marks an indexed item as popular or as no longer so. Call it
	// through RefreshPopular.
	SetPopular(ctx context.Context, q sqldb.Querier, seq int64, doc search.Document, popular bool) error
	// Match returns at most limit sequence numbers that match, newest first and none
	// below from.
	Match(ctx context.Context, q sqldb.Querier, m search.Match, from int64, limit int) ([]int64, error)
	// MatchPopular returns the popular items that match.
	MatchPopular(ctx context.Context, q sqldb.Querier, m search.Match) ([]int64, error)
	// Status sums up what is indexed. It reads one narrow row per item: some 16 ms
	// for 100,000 items.
	Status(ctx context.Context, q sqldb.Querier) (SearchStatus, error)
	// Maintain does a bounded piece of housekeeping in the index. Call it now
	// and then after many writes.
	Maintain(ctx context.Context, q sqldb.Querier) error
}

// SearchStatus says what an index holds. It is in step with the items if
// Documents, MaxSeq and Revisions equal count(*), max(seq) and sum(revision)
// of the items that shall be found, and Outdated is 0.
type SearchStatus struct {
	Documents int64 // items indexed
	MaxSeq    int64 // newest item indexed; 0 if none
	Revisions int64 // sum of the revisions indexed
	Outdated  int64 // items whose tokens are of another search.Format
}

// searchStateTable is the part of the schema that both engines share: one narrow
// row for each indexed item, written with it.
const searchStateTable = `CREATE TABLE item_search_state (
	seq BIGINT PRIMARY KEY,
	revision BIGINT NOT NULL,
	format BIGINT NOT NULL,
	popular BOOLEAN NOT NULL DEFAULT FALSE
)`

// searchPopularIndex finds the few popular items among all.
const searchPopularIndex = `CREATE INDEX item_search_state_popular ON item_search_state (seq) WHERE popular`

// searchPopular lists the popular items in order.
const searchPopular = `SELECT seq FROM item_search_state WHERE popular ORDER BY seq`

// searchStatus runs the engine's spelling of the status query.
func searchStatus(ctx context.Context, q sqldb.Querier, query string) (SearchStatus, error) {
	var s SearchStatus
	err := sqldb.ScanAll(ctx, q, query, []any{search.Format}, func(rows *sql.Rows) error {
		return rows.Scan(&s.Documents, &s.MaxSeq, &s.Revisions, &s.Outdated)
	})
	return s, err
}

// Seqs runs a query that returns sequence numbers.
func Seqs(ctx context.Context, q sqldb.Querier, query string, args ...any) ([]int64, error) {
	var seqs []int64
	err := sqldb.ScanAll(ctx, q, query, args, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	})
	return seqs, err
}
