package sqldb

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"
)

// Querier is what statements are run on: *sql.DB, *sql.Conn and *sql.Tx have it.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Queries are what the reads of a subject embed; they work on the store and inside a transaction alike.
type Queries struct{ Q Querier }

// Moment is when an operation takes place. All that one transaction consists of shares it.
type Moment struct {
	Now time.Time // the same throughout
}

// Tx is one transaction, which the writes of all subjects share.
type Tx struct {
	*Moment
	Q Querier
	// Ctx cannot be cancelled half-way: a transaction that has begun is short and runs to its end.
	Ctx     context.Context
	Tables  *Tables
	Commit  []func() // what runs once it is on disk
	Carried int64    // bytes that statements brought
	Wrote   bool     // a statement changed rows
	Proof   string   // the first audit event that it adds
	Change  int64    // the newest change of an item that it makes
	Journal *journal
	Grown   map[string]int64 // bytes of owners' questions that are not written down yet
}

// One runs a statement that must change exactly one row.
func (tx *Tx) One(query string, args ...any) error {
	n, err := tx.Changed(query, args...)
	if err == nil && n == 0 {
		return ErrNotFound
	}
	return err
}

// Changed runs a statement and tells how many rows it changed.
func (tx *Tx) Changed(query string, args ...any) (int64, error) {
	tx.carry(args)
	result, err := tx.Q.ExecContext(tx.Ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	tx.Wrote = tx.Wrote || n > 0
	return n, err
}

// Exec runs a statement.
func (tx *Tx) Exec(query string, args ...any) error {
	_, err := tx.Changed(query, args...)
	return err
}

// NewestID sorts after every UUID.
const NewestID = "g"

// LostCommit says that nobody knows what became of a COMMIT.
type LostCommit struct{ Cause error }

func (l *LostCommit) Error() string {
	return "the outcome of the commit is not known: " + l.Cause.Error()
}

func (l *LostCommit) Unwrap() error { return l.Cause }

// statementBytes is about what a statement writes beside its texts: the row's other columns and its entries in indexes.
const statementBytes = 128

// carry counts what a statement brings into the store.
func (tx *Tx) carry(args []any) {
	tx.Carried += statementBytes
	for _, arg := range args {
		switch v := arg.(type) {
		case string:
			tx.Carried += int64(len(v))
		case []byte:
			tx.Carried += int64(len(v))
		}
	}
}

// Placeholders gives "$from, $from+1, …", n of them.
func Placeholders(from, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(from+i))
	}
	return b.String()
}
