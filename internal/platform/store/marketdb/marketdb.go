// Package marketdb has the rows of the market: items and their versions, drafts, submissions, reviews, ratings, installations.
package marketdb

import "stoa/internal/platform/store/sqldb"

// Queries are the reads.
type Queries struct{ sqldb.Queries }

// Tx are the writes in one transaction.
type Tx struct {
	*sqldb.Tx
	Queries
}

// In gives the writes in a transaction.
func In(tx *sqldb.Tx) Tx { return Tx{tx, Queries{sqldb.Queries{Q: tx.Q}}} }
