// Package market puts together the operations on what members share, each group in its package and embedding the one below:
// browse (what is published), submit (what is not yet), review (who decides, and what changes the catalog).
package market

import (
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/app/market/review"
	"stoa/internal/app/market/submit"
)

// Market are the operations on what members share.
type Market struct {
	*review.Service
}

// New makes the operations of the market. Its catalog is empty until Follow.
func New(c *core.Core) *Market {
	return &Market{Service: review.New(submit.New(browse.New(c)))}
}
