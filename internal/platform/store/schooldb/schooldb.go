// Package schooldb has the rows of the school: notes and their units, questions, what is known of learners, their sessions.
package schooldb

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
