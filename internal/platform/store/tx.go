package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"
)

// one runs a statement that must change exactly one row.
func (tx *Tx) one(query string, args ...any) error {
	n, err := tx.changed(query, args...)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// changed runs a statement and tells how many rows it changed.
func (tx *Tx) changed(query string, args ...any) (int64, error) {
	tx.carry(args)
	result, err := tx.q.ExecContext(tx.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	tx.wrote = tx.wrote || n > 0
	return n, err
}

func (tx *Tx) exec(query string, args ...any) error {
	_, err := tx.changed(query, args...)
	return err
}

// newestID sorts after every UUID.
const newestID = "g"

// lostCommit says that nobody knows what became of a COMMIT.
type lostCommit struct{ cause error }

func (l *lostCommit) Error() string {
	return "the outcome of the commit is not known: " + l.cause.Error()
}

func (l *lostCommit) Unwrap() error { return l.cause }

// statementBytes is about what a statement writes beside its texts: the row's other columns and its entries in indexes.
const statementBytes = 128

// carry counts what a statement brings into the store.
func (tx *Tx) carry(args []any) {
	tx.carried += statementBytes
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			tx.carried += int64(len(v))
		case []byte:
			tx.carried += int64(len(v))
		}
	}
}

// Querier is what the search index needs of a connection: *sql.DB, *sql.Conn
// and *sql.Tx have it.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Queries are the reads; they work on the store and inside a transaction alike.
type Queries struct{ q Querier }

// Tx is one transaction. Its context cannot be cancelled half-way: a transaction that has begun is
// short and runs to its end.
type Tx struct {
	Queries
	// Now is the time of the operation, the same throughout.
	Now     time.Time
	store   *Store
	tables  *Tables
	ctx     context.Context
	commit  []func()
	carried int64  // bytes that statements brought
	wrote   bool   // a statement changed rows
	proof   string // the first audit event that it adds
	change  int64  // the newest change of an item that it makes
	journal *journal
	grown   map[string]int64 // bytes of owners' questions that are not written down yet
}

// OnCommit runs f after the transaction is on disk and before Write returns.
func (tx *Tx) OnCommit(f func()) { tx.commit = append(tx.commit, f) }

// Querier is what the queries ask, for the search.
func (q Queries) Querier() Querier { return q.q }

// placeholders gives "$from, $from+1, …", n of them.
func placeholders(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(from+i))
	}
	return b.String()
}
