package fulltext

import (
	"context"
	"strings"

	"stoa/internal/platform/search"
	"stoa/internal/platform/store/sqldb"
)

// FTS5 is the search index of SQLite: an FTS5 table that keeps no text.
type FTS5 struct{}

// FTS5Schema creates the tables of FTS5, one statement each.
//
// The ascii tokenizer splits only at ASCII signs and keeps every other byte, so
// it takes our tokens as they are. contentless_delete lets a row be removed
// without its old text. detail=none drops columns and
// positions, which nothing asks for. There is no prefix index: beginnings of
// words are tokens of ours.
//
// Popular items stand in a second, small table as well: testing given rows of
// an FTS5 table costs one whole query per row.
var FTS5Schema = []string{
	ftsTable("item_search"),
	ftsTable("item_search_popular"),
	searchStateTable,
	searchPopularIndex,
}

func ftsTable(name string) string {
	return `CREATE VIRTUAL TABLE ` + name + ` USING fts5(
	tokens, content='', contentless_delete=1, detail=none, tokenize='ascii'
)`
}

// Fill implements Index. Within one transaction FTS5 collects what it writes.
func (FTS5) Fill(_ context.Context, _ sqldb.Querier, put func() error) error { return put() }

// Put implements Index.
func (s FTS5) Put(ctx context.Context, q sqldb.Querier, seq, revision int64, doc search.Document) error {
	tokens := doc.Tokens()
	if err := s.write(ctx, q, "item_search", seq, tokens); err != nil {
		return err
	}
	// No RETURNING: it makes SQLite open a savepoint, at which FTS5 writes out what it holds.
	if _, err := q.ExecContext(ctx, `INSERT INTO item_search_state (seq, revision, format) VALUES (?1, ?2, ?3)
ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision, format = excluded.format`,
		seq, revision, search.Format); err != nil {
		return err
	}
	popular, err := Seqs(ctx, q, `SELECT seq FROM item_search_state WHERE seq = ?1 AND popular`, seq)
	if err != nil || len(popular) == 0 {
		return err
	}
	return s.write(ctx, q, "item_search_popular", seq, tokens)
}

// write puts the tokens of an item into one of the FTS5 tables.
func (FTS5) write(ctx context.Context, q sqldb.Querier, table string, seq int64, tokens []string) error {
	_, err := q.ExecContext(ctx, `INSERT OR REPLACE INTO `+table+` (rowid, tokens) VALUES (?1, ?2)`,
		seq, strings.Join(tokens, " "))
	return err
}

// Delete implements Index.
func (FTS5) Delete(ctx context.Context, q sqldb.Querier, seq int64) error {
	for _, statement := range []string{
		`DELETE FROM item_search WHERE rowid = ?1`,
		`DELETE FROM item_search_popular WHERE rowid = ?1`,
		`DELETE FROM item_search_state WHERE seq = ?1`,
	} {
		if _, err := q.ExecContext(ctx, statement, seq); err != nil {
			return err
		}
	}
	return nil
}

// SetPopular implements Index.
func (s FTS5) SetPopular(ctx context.Context, q sqldb.Querier, seq int64, doc search.Document, popular bool) error {
	marked, err := Seqs(ctx, q, `UPDATE item_search_state SET popular = ?2 WHERE seq = ?1 RETURNING seq`, seq, popular)
	if err != nil {
		return err
	}
	if popular && len(marked) > 0 {
		return s.write(ctx, q, "item_search_popular", seq, doc.Tokens())
	}
	_, err = q.ExecContext(ctx, `DELETE FROM item_search_popular WHERE rowid = ?1`, seq)
	return err
}

// Match implements Index. Rows come in rowid order by themselves, so a
// limit ends the walk through a common word early, and so does from.
func (FTS5) Match(ctx context.Context, q sqldb.Querier, m search.Match, from int64, limit int) ([]int64, error) {
	return Seqs(ctx, q,
		`SELECT rowid FROM item_search WHERE item_search MATCH ?1 AND rowid >= ?2 ORDER BY rowid DESC LIMIT ?3`, m.FTS5(), from, limit)
}

// MatchPopular implements Index.
func (FTS5) MatchPopular(ctx context.Context, q sqldb.Querier, m search.Match) ([]int64, error) {
	return Seqs(ctx, q,
		`SELECT rowid FROM item_search_popular WHERE item_search_popular MATCH ?1 ORDER BY rowid DESC`, m.FTS5())
}

// Status implements Index.
func (FTS5) Status(ctx context.Context, q sqldb.Querier) (SearchStatus, error) {
	return searchStatus(ctx, q, `SELECT count(*), coalesce(max(seq), 0), coalesce(sum(revision), 0),
count(CASE WHEN format <> ?1 THEN 1 END) FROM item_search_state`)
}

// Maintain implements Index: it merges up to some megabytes of index
// segments, so that searches read fewer of them.
func (FTS5) Maintain(ctx context.Context, q sqldb.Querier) error {
	_, err := q.ExecContext(ctx, `INSERT INTO item_search (item_search, rank) VALUES ('merge', 500)`)
	return err
}
