package store

import (
	"context"

	"stoa/internal/platform/store/sqldb"
)

// FillSearch runs put in one transaction, in which it puts all items into a search index that has none.
func (s *Store) FillSearch(ctx context.Context, put func(tx *Tx) error) error {
	return s.Write(sqldb.Whole(ctx), func(tx *Tx) error {
		return s.search.Fill(tx.base.Ctx, tx.base.Q, func() error { return put(tx) })
	})
}
