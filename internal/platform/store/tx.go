package store

import (
	"context"
	"time"

	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/memberdb"
	"stoa/internal/platform/store/schooldb"
	"stoa/internal/platform/store/sqldb"
)

// Names of their own for what is embedded.
type (
	marketQueries = marketdb.Queries
	memberQueries = memberdb.Queries
	schoolQueries = schooldb.Queries
	marketTx      = marketdb.Tx
	memberTx      = memberdb.Tx
	schoolTx      = schooldb.Tx
)

// Queries are the reads of all subjects; they work on the store and inside a transaction alike. What runs SQL in them is reached
// here alone: outside of this package it is ambiguous, so that the compiler keeps statements in the packages of the store.
type Queries struct {
	marketQueries
	memberQueries
	schoolQueries
	base sqldb.Queries
}

func queriesOf(q sqldb.Querier) Queries {
	base := sqldb.Queries{Q: q}
	return Queries{marketQueries{Queries: base}, memberQueries{Queries: base}, schoolQueries{Queries: base}, base}
}

// Querier is what the queries ask, for the search.
func (q Queries) Querier() sqldb.Querier { return q.base.Q }

// Tx is one transaction, with the reads and writes of all subjects.
type Tx struct {
	Queries
	subjects
	*sqldb.Moment
	base  *sqldb.Tx
	store *Store
}

// subjects are the writes; the reads in them stand one level deeper than those of Tx, so that there is one of each.
type subjects struct {
	marketTx
	memberTx
	schoolTx
}

// begin makes a transaction of what the engine began.
func (s *Store) begin(ctx context.Context, q sqldb.Querier, now time.Time) *Tx {
	base := &sqldb.Tx{Moment: &sqldb.Moment{Now: now}, Q: q, Ctx: ctx, Tables: s.described}
	return &Tx{Queries: queriesOf(q), subjects: subjects{marketdb.In(base), memberdb.In(base), schooldb.In(base)}, Moment: base.Moment, base: base, store: s}
}

// OnCommit runs f after the transaction is on disk and before Write returns.
func (tx *Tx) OnCommit(f func()) { tx.base.Commit = append(tx.base.Commit, f) }

// BeginJournal notes the rows that the transaction changes from here on, as they were before, so that TakeBack can undo it.
func (tx *Tx) BeginJournal() { tx.base.BeginJournal() }

// EndJournal gives what was noted.
func (tx *Tx) EndJournal() ([]byte, error) { return tx.base.EndJournal() }
