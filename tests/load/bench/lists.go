package main

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// readers is how many connections load a read.
const readers = 32

// fillUp is how long lists are asked for before anything is measured, for the server to have read the
// texts that it can keep.
const fillUp = 5 * time.Second

// page is the one list that the repeated reads ask for.
const page = "/api/templates?category=programming&sort_by=installs&limit=50"

func (b *bench) lists(p *rig.Process) error {
	queries, err := rig.NewQueries(p.Address)
	if err != nil {
		return err
	}
	unrepeated := func(int) []byte { return rig.Get(queries.Next()) }
	if _, err := rig.Load(p.Address, readers, fillUp, 200, unrepeated); err != nil {
		return err
	}
	if err := b.against("list of 50, unrepeated filters", 0.30, p, 200, unrepeated); err != nil {
		return err
	}
	zipped := func(int) []byte { return rig.Get(queries.Next(), "Accept-Encoding: gzip") }
	if err := b.against("list of 50, unrepeated filters, gzip", 0, p, 200, zipped); err != nil {
		return err
	}
	if err := b.against("list of 50, repeated", 0.70, p, 200, always(rig.Get(page))); err != nil {
		return err
	}
	if err := b.against("list of 50, repeated, gzip", 0.70, p, 200, always(rig.Get(page, "Accept-Encoding: gzip"))); err != nil {
		return err
	}
	_, header, _, err := rig.Whole(p.Address, rig.Get(page))
	if err != nil {
		return err
	}
	return b.against("list of 50, repeated, 304", 0.85, p, 304, always(rig.Get(page, "If-None-Match: "+header.Get("Etag"))))
}

func always(request []byte) rig.Workload { return func(int) []byte { return request } }

// details measures single templates: drawn like visits are, few of them often, and all alike.
func (b *bench) details(p *rig.Process, n int) error {
	detail := func(i int) []byte {
		return rig.Get("/api/templates/detail?template_id=" + url.QueryEscape(stores.ID(i)))
	}
	popular := rig.Zipf(n)
	warm := func(int) []byte { return detail(popular()) }
	if _, err := rig.Load(p.Address, readers, slice, 200, warm); err != nil {
		return err
	}
	if err := b.against("template detail, visited by popularity (Zipf 1.2)", 0.50, p, 200, warm); err != nil {
		return err
	}
	return b.against(fmt.Sprintf("template detail, uniformly random of %d", n), 0, p, 200, func(int) []byte { return detail(1 + rand.IntN(n)) })
}
