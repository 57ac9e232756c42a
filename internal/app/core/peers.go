package core

import (
	"context"
	"sync"
	"time"

	"stoa/internal/platform/store"
)

// How long a database is waited for that has a share of what is added up over all learners, and for how long one is not asked that did not answer.
const (
	peerPatience = 250 * time.Millisecond
	peerSilence  = 30 * time.Second
)

// peers are the other databases that have learners; the zero value is none.
type peers struct {
	list   func() []*store.Store
	mu     sync.Mutex
	silent map[*store.Store]time.Time // when it did not answer
}

// SetPeers says which other databases have learners.
func (a *Core) SetPeers(list func() []*store.Store) { a.peers.list = list }

// AskPeers asks every other database that has learners for its share of what is added up over all of them. A share only sharpens an
// estimate, so one that does not come soon is left out.
func (a *Core) AskPeers(ctx context.Context, ask func(ctx context.Context, q store.Queries) error) {
	p := &a.peers
	if p.list == nil {
		return
	}
	for _, s := range p.list() {
		p.mu.Lock()
		silent := time.Since(p.silent[s]) < peerSilence
		p.mu.Unlock()
		if silent {
			continue
		}
		within, cancel := context.WithTimeout(ctx, peerPatience)
		err := ask(within, s.Queries)
		cancel()
		if err == nil || ctx.Err() != nil {
			continue
		}
		a.Log.Warn("a database of learners is left out of what is added up over all of them", "error", err)
		p.mu.Lock()
		if p.silent == nil {
			p.silent = map[*store.Store]time.Time{}
		}
		p.silent[s] = time.Now()
		p.mu.Unlock()
	}
}
