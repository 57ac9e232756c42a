package store

import (
	"context"
	"stoa/internal/platform/search"
	"strconv"
	"strings"
)

// SearchFTS5 is the search index of SQLite: an FTS5 table that keeps no text.
type SearchFTS5 struct{}

// SearchFTS5Schema creates the tables of SearchFTS5, one statement each.
//
// The ascii tokenizer splits only at ASCII signs and keeps every other byte, so
// it takes our tokens as they are. contentless_delete lets a row be removed
// without its old text. detail=column drops positions, which nothing asks for,
// and halves the index. There is no prefix index: beginnings of words are
// tokens of ours.
var SearchFTS5Schema = []string{
	`CREATE VIRTUAL TABLE item_search USING fts5(
	title, keywords, description, body,
	content='', contentless_delete=1, detail=column, tokenize='ascii'
)`,
	searchStateTable,
}

// Put implements SearchIndex.
func (SearchFTS5) Put(ctx context.Context, q Querier, seq, revision int64, doc search.Document) error {
	c := doc.Columns()
	if _, err := q.ExecContext(ctx,
		`INSERT OR REPLACE INTO item_search (rowid, title, keywords, description, body) VALUES (?1, ?2, ?3, ?4, ?5)`,
		seq, strings.Join(c.Title, " "), strings.Join(c.Keywords, " "),
		strings.Join(c.Description, " "), strings.Join(c.Body, " ")); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx,
		`INSERT INTO item_search_state (seq, revision, format) VALUES (?1, ?2, ?3)
ON CONFLICT (seq) DO UPDATE SET revision = excluded.revision, format = excluded.format`,
		seq, revision, search.Format)
	return err
}

// Delete implements SearchIndex.
func (SearchFTS5) Delete(ctx context.Context, q Querier, seq int64) error {
	if _, err := q.ExecContext(ctx, `DELETE FROM item_search WHERE rowid = ?1`, seq); err != nil {
		return err
	}
	_, err := q.ExecContext(ctx, `DELETE FROM item_search_state WHERE seq = ?1`, seq)
	return err
}

// Match implements SearchIndex. Rows come in rowid order by themselves, so a
// limit ends the walk through a common word early.
func (SearchFTS5) Match(ctx context.Context, q Querier, m search.Match, within []int64, limit int) ([]int64, error) {
	if within == nil {
		return searchSeqs(ctx, q,
			`SELECT rowid FROM item_search WHERE item_search MATCH ?1 ORDER BY rowid DESC LIMIT ?2`, m.FTS5(), limit)
	}
	return searchSeqs(ctx, q,
		`SELECT rowid FROM item_search WHERE item_search MATCH ?1
AND rowid IN (SELECT value FROM json_each(?2)) ORDER BY rowid DESC LIMIT ?3`,
		m.FTS5(), jsonInts(within), limit)
}

// Status implements SearchIndex.
func (SearchFTS5) Status(ctx context.Context, q Querier) (SearchStatus, error) {
	return searchStatus(ctx, q, `SELECT count(*), coalesce(max(seq), 0), coalesce(sum(revision), 0),
count(CASE WHEN format <> ?1 THEN 1 END) FROM item_search_state`)
}

// Maintain implements SearchIndex: it merges up to some megabytes of index
// segments, so that searches read fewer of them.
func (SearchFTS5) Maintain(ctx context.Context, q Querier) error {
	_, err := q.ExecContext(ctx, `INSERT INTO item_search (item_search, rank) VALUES ('merge', 500)`)
	return err
}

// jsonInts writes numbers as a JSON array, the one way to bind a list in SQLite.
func jsonInts(list []int64) string {
	text := make([]byte, 0, 8*len(list)+2)
	text = append(text, '[')
	for i, n := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, n, 10)
	}
	return string(append(text, ']'))
}
