package store

import "context"

// FillSearch runs put in one transaction, in which it puts all items into a search index that has none.
func (s *Store) FillSearch(ctx context.Context, put func(tx *Tx) error) error {
	return s.Write(whole(ctx), func(tx *Tx) error {
		return s.search.Fill(tx.ctx, tx.q, func() error { return put(tx) })
	})
}
