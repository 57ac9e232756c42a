// Package memberdb has the rows of members: accounts and how they sign in, what they may do, what they are told.
package memberdb

import (
	"stoa/internal/platform/store/marketdb"
	"stoa/internal/platform/store/sqldb"
)

// Queries are the reads.
type Queries struct{ sqldb.Queries }

// Tx are the writes in one transaction.
type Tx struct {
	*sqldb.Tx
	Queries
	market marketdb.Tx // what an account decides of: whether its ratings count
}

// In gives the writes in a transaction.
func In(tx *sqldb.Tx) Tx { return Tx{tx, Queries{sqldb.Queries{Q: tx.Q}}, marketdb.In(tx)} }
