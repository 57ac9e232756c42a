package fulltext

import (
	"context"
	"strings"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/sqldb"
)

// TSVector is the search index of PostgreSQL: a tsvector per item, put
// together from our tokens, so that no text search configuration is involved.
type TSVector struct{}

// TSVectorSchema creates the tables of TSVector, one statement each. Migrations 12 and 13 make of its index
// what it is today.
//
// fastupdate is off, so that no search has to read a list of pending words.
var TSVectorSchema = []string{
	`CREATE TABLE item_search (seq BIGINT PRIMARY KEY, doc TSVECTOR NOT NULL)`,
	`CREATE INDEX item_search_doc ON item_search USING gin (doc) WITH (fastupdate = off)`,
	`CREATE FUNCTION item_search_newest(question TSQUERY, oldest BIGINT, most BIGINT) RETURNS SETOF BIGINT
LANGUAGE sql STABLE
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off SET work_mem = '16MB'
AS $$ SELECT seq FROM item_search WHERE doc @@ question AND seq >= oldest ORDER BY seq DESC LIMIT most $$`,
	searchStateTable,
	searchPopularIndex,
}

// Fill implements Index. An item at a time, every word of it is a place in the GIN index to be found and written;
// made at once from all items it takes a quarter of the time.
func (TSVector) Fill(ctx context.Context, q sqldb.Querier, put func() error) error {
	var index string
	err := sqldb.ScanOne(ctx, q, `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'item_search_doc'`, nil, &index)
	if err != nil {
		return err
	}
	for _, statement := range []string{`DROP INDEX item_search_doc`, `SET LOCAL maintenance_work_mem = '256MB'`} {
		if _, err := q.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := put(); err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, index)
	return err
}

// Put implements Index.
func (TSVector) Put(ctx context.Context, q sqldb.Querier, seq, revision int64, doc search.Document) error {
	if _, err := q.ExecContext(ctx,
		`INSERT INTO item_search (seq, doc) VALUES ($1, $2::tsvector) ON CONFLICT (seq) DO UPDATE SET doc = excluded.doc`,
		seq, tsVector(doc.Tokens())); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx,
		`INSERT INTO item_search_state (seq, revision, format) VALUES ($1, $2, $3)
ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision, format = excluded.format`,
		seq, revision, search.Format)
	return err
}

// Delete implements Index.
func (TSVector) Delete(ctx context.Context, q sqldb.Querier, seq int64) error {
	if _, err := q.ExecContext(ctx, `DELETE FROM item_search WHERE seq = $1`, seq); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `DELETE FROM item_search_state WHERE seq = $1`, seq)
	return err
}

// SetPopular implements Index. The document is there already: a mark is all it takes, beside the item for whoever
// asks which are popular, and in the index for whoever asks what these have.
func (TSVector) SetPopular(ctx context.Context, q sqldb.Querier, seq int64, _ search.Document, popular bool) error {
	for _, statement := range []string{
		`UPDATE item_search_state SET popular = $2 WHERE seq = $1`, `UPDATE item_search SET popular = $2 WHERE seq = $1`,
	} {
		if _, err := q.ExecContext(ctx, statement, seq, popular); err != nil {
			return err
		}
	}
	return nil
}

// Match implements Index. What it reads follows what it answers: migration 13 says how. Where a word is much rarer
// among the newest items than among the older ones it reads up to four times too much.
func (TSVector) Match(ctx context.Context, q sqldb.Querier, m search.Match, from int64, limit int) ([]int64, error) {
	return Seqs(ctx, q, `SELECT item_search_newest($1::tsquery, $2, $3, (SELECT coalesce(max(seq), 0) FROM item_search))`,
		m.TSQuery(), from, limit)
}

// MatchPopular implements Index.
func (TSVector) MatchPopular(ctx context.Context, q sqldb.Querier, m search.Match) ([]int64, error) {
	return Seqs(ctx, q, `SELECT item_search_popular($1::tsquery)`, m.TSQuery())
}

// Status implements Index.
func (TSVector) Status(ctx context.Context, q sqldb.Querier) (SearchStatus, error) {
	return searchStatus(ctx, q, `SELECT count(*), coalesce(max(seq), 0), coalesce(sum(revision), 0)::bigint,
count(*) FILTER (WHERE format <> $1) FROM item_search_state`)
}

// Maintain implements Index: it refreshes the planner's statistics after
// many writes. Autovacuum does the rest.
func (TSVector) Maintain(ctx context.Context, q sqldb.Querier) error {
	_, err := q.ExecContext(ctx, `ANALYZE item_search`)
	return err
}

// tsVector spells tokens as a tsvector literal. It needs no positions.
func tsVector(tokens []string) string {
	if len(tokens) == 0 {
		return ""
	}
	return "'" + strings.Join(tokens, "' '") + "'"
}
