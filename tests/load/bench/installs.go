package main

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// writers is how many members install at the same time, each on a connection of its own.
const writers = stores.Members

// installs measures durable installs over HTTP against raw group commits of the same rows.
func (b *bench) installs(data string) error {
	p, err := b.serve(data)
	if err != nil {
		return err
	}
	defer p.Stop()
	var tokens [writers]string
	for i := range tokens {
		if tokens[i], err = rig.Login(p.Address, stores.Member(i)); err != nil {
			return err
		}
	}
	raw, err := openRaw(b.Ctx, b.Dir, small)
	if err != nil {
		return err
	}
	defer raw.close()
	popular, uniform := newBaskets(rig.Zipf(small)), newBaskets(func() int { return 1 + rand.IntN(small) })
	for _, w := range []struct {
		item    string
		goal    float64
		baskets *baskets
	}{
		{"install, durable, 64 members, items by popularity", 0.30, popular},
		{"install, durable, 64 members, items uniformly random", 0, uniform},
	} {
		next := func(member int) []byte {
			body := fmt.Sprintf(`{"template_id":%q}`, stores.ID(w.baskets.next(member)))
			return rig.Write("POST", "/api/templates/install", body, "Authorization: Bearer "+tokens[member])
		}
		ceiling := func(lasting time.Duration) (rig.Result, time.Duration, error) {
			r, err := raw.load(lasting)
			return r, 0, err
		}
		if err := b.duel(duel{w.item, w.goal, b.http(p, writers, 200, next), ceiling}); err != nil {
			return err
		}
	}
	return nil
}

// baskets hand every member items that this member has not had.
type baskets struct {
	draw func() int
	had  [writers]map[int]bool
}

func newBaskets(draw func() int) *baskets {
	b := &baskets{draw: draw}
	for i := range b.had {
		b.had[i] = map[int]bool{}
	}
	return b
}

// next is called by one goroutine for each member.
func (b *baskets) next(member int) int {
	for {
		if n := b.draw(); !b.had[member][n] {
			b.had[member][n] = true
			return n
		}
	}
}

// logins measures what signing in costs: password hashing is meant to be slow.
func (b *bench) logins(data string) error {
	p, err := b.serve(data)
	if err != nil {
		return err
	}
	defer p.Stop()
	var turn atomic.Int64
	next := func(int) []byte { return rig.LoginRequest(stores.Member(int(turn.Add(1)) % stores.Members)) }
	if err := b.duel(duel{"login, one at a time", 0, b.http(p, 1, 200, next), nil}); err != nil {
		return err
	}
	return b.duel(duel{"login, 8 connections", 0, b.http(p, 8, 200, next), nil})
}
