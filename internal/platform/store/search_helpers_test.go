package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"stoa/internal/dbtest"
	"stoa/internal/platform/search"
	"stoa/internal/platform/store/fulltext"
)

// testEngine is one search index on an open, empty database.
type testEngine struct {
	name  string
	db    *sql.DB
	index fulltext.Index
}

// engines opens SQLite and, when STOA_TEST_POSTGRES is set, PostgreSQL.
func engines(t testing.TB) []testEngine {
	t.Helper()
	list := []testEngine{{"sqlite", openSQLite(t), fulltext.FTS5{}}}
	if dsn := os.Getenv("STOA_TEST_POSTGRES"); dsn != "" {
		list = append(list, testEngine{"postgres", openPostgres(t, dsn), fulltext.TSVector{}})
	}
	return list
}

func openSQLite(t testing.TB) *sql.DB {
	t.Helper()
	file := filepath.Join(t.TempDir(), "search.db")
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	create(t, db, fulltext.FTS5Schema)
	return db
}

// openPostgres works in a database of its own.
func openPostgres(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dbtest.Fresh(t, dsn, dbtest.Empty))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	var later []string
	files, err := filepath.Glob("migrations/*.postgres.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		later = append(later, string(text))
	}
	create(t, db, slices.Concat(fulltext.TSVectorSchema, later))
	return db
}

func create(t testing.TB, db *sql.DB, statements []string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// corpus is a set of documents with what ranking knows of them, numbered from 1.
type corpus struct {
	docs       []search.Document
	candidates []search.Candidate
	words      *search.Vocabulary
}

// vocabulary is what the application makes of the catalog in memory.
func (c *corpus) vocabulary() *search.Vocabulary {
	if c.words == nil {
		c.words = search.NewVocabulary(func(visit func(string) bool) {
			for _, doc := range c.docs {
				for _, text := range slices.Concat([]string{doc.ID}, doc.Titles, doc.Keywords) {
					if !visit(text) {
						return
					}
				}
			}
		})
	}
	return c.words
}

func (c *corpus) add(doc search.Document, installs int64) {
	candidate := search.Candidate{ID: doc.ID, Installs: installs}
	for _, title := range doc.Titles {
		candidate.FoldedTitles = append(candidate.FoldedTitles, search.FoldTitle(title))
	}
	c.docs = append(c.docs, doc)
	c.candidates = append(c.candidates, candidate)
}

func (c *corpus) lookup(seq int64) (search.Candidate, bool) {
	if seq < 1 || seq > int64(len(c.candidates)) {
		return search.Candidate{}, false
	}
	return c.candidates[seq-1], true
}

// fill indexes the corpus in one transaction.
func (c *corpus) fill(t testing.TB, e testEngine) {
	t.Helper()
	tx, err := e.db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	for i, doc := range c.docs {
		if err := e.index.Put(context.Background(), tx, int64(i+1), 1, doc); err != nil {
			t.Fatalf("%s: put %s: %v", e.name, doc.ID, err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := e.index.Maintain(context.Background(), e.db); err != nil {
		t.Fatal(err)
	}
}

// catalog reads the real templates; the test is skipped where they are absent.
func catalog(t testing.TB) *corpus {
	t.Helper()
	file, err := os.Open(filepath.Join(dataDir(t), "catalog", "agents.jsonl"))
	if err != nil {
		t.Skipf("real catalog not readable: %v", err)
	}
	defer file.Close()
	c := &corpus{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var item struct {
			ID, Author, Category string
			Tags                 []string
			Locales              map[string]struct{ Title, Description, Prompt string }
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			t.Fatal(err)
		}
		doc := search.Document{
			Kind: search.Template, ID: item.ID,
			Keywords: append([]string{item.Author, item.Category}, item.Tags...),
		}
		for _, locale := range []string{"en-US", "zh-CN", "ja-JP"} {
			text := item.Locales[locale]
			doc.Titles = append(doc.Titles, text.Title)
			doc.Descriptions = append(doc.Descriptions, text.Description)
			doc.Bodies = append(doc.Bodies, text.Prompt)
		}
		c.add(doc, 0)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return c
}

// dataDir is STOA_DATA_DIR, else the nearest shared/data upward from here.
func dataDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("STOA_DATA_DIR"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		data := filepath.Join(dir, "shared", "data")
		if _, err := os.Stat(data); err == nil {
			return data
		}
		if dir == filepath.Dir(dir) {
			t.Skip("no shared/data above the package and STOA_DATA_DIR is not set: the real catalog is not part of the repository")
		}
		dir = filepath.Dir(dir)
	}
}
