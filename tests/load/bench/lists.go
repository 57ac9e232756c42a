package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"stoa/tests/load/stores"
)

// readers is how many connections load a read.
const readers = 32

// fillUp is how long lists are asked for before anything is measured, for the server to have read the
// texts that it can keep.
const fillUp = 5 * time.Second

// page is the one list that the repeated reads ask for.
const page = "/api/templates?category=programming&sort_by=installs&limit=50"

func (b *bench) lists(p *process) error {
	queries, err := newQueries(p.address)
	if err != nil {
		return err
	}
	unrepeated := func(int) []byte { return get(queries.next()) }
	if _, err := load(p.address, readers, fillUp, 200, unrepeated); err != nil {
		return err
	}
	if err := b.against("list of 50, unrepeated filters", 0.30, p, 200, unrepeated); err != nil {
		return err
	}
	zipped := func(int) []byte { return get(queries.next(), "Accept-Encoding: gzip") }
	if err := b.against("list of 50, unrepeated filters, gzip", 0, p, 200, zipped); err != nil {
		return err
	}
	if err := b.against("list of 50, repeated", 0.70, p, 200, always(get(page))); err != nil {
		return err
	}
	if err := b.against("list of 50, repeated, gzip", 0.70, p, 200, always(get(page, "Accept-Encoding: gzip"))); err != nil {
		return err
	}
	_, header, _, err := fetchWhole(p.address, get(page))
	if err != nil {
		return err
	}
	return b.against("list of 50, repeated, 304", 0.85, p, 304, always(get(page, "If-None-Match: "+header.Get("Etag"))))
}

func always(request []byte) workload { return func(int) []byte { return request } }

// details measures single templates: drawn like visits are, few of them often, and all alike.
func (b *bench) details(p *process, n int) error {
	detail := func(i int) []byte { return get("/api/templates/detail?template_id=" + url.QueryEscape(stores.ID(i))) }
	popular := zipf(n)
	warm := func(int) []byte { return detail(popular()) }
	if _, err := load(p.address, readers, slice, 200, warm); err != nil {
		return err
	}
	if err := b.against("template detail, visited by popularity (Zipf 1.2)", 0.50, p, 200, warm); err != nil {
		return err
	}
	return b.against(fmt.Sprintf("template detail, uniformly random of %d", n), 0, p, 200, func(int) []byte { return detail(1 + rand.IntN(n)) })
}

// zipf draws the numbers from 1 to n by popularity, ranks being spread over the numbers.
func zipf(n int) func() int {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(r, 1.2, 1, uint64(n-1))
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return 1 + int(z.Uint64()*2654435761%uint64(n))
	}
}

// queries makes list requests of which no two are alike.
type queries struct {
	list []string
	turn atomic.Uint64
}

func (q *queries) next() string { return q.list[q.turn.Add(1)%uint64(len(q.list))] }

var sorts = []string{"", "template_id", "recent_activity", "trial_requests", "installs", "newest"}

// prepared is how many different list requests are made: more than a run can ask.
const prepared = 250_000

// newQueries combines filters, orders and, for half of the requests, places deep in the list.
func newQueries(address string) (*queries, error) {
	r := rand.New(rand.NewPCG(7, 7))
	cursors := map[string][]string{}
	for _, sort := range sorts[1:] {
		for _, order := range []string{"asc", "desc"} {
			found, err := walk(address, "sort_by="+sort+"&sort_order="+order, 40)
			if err != nil {
				return nil, err
			}
			cursors[sort+order] = found
		}
	}
	q := &queries{list: make([]string, 0, prepared)}
	seen := map[string]bool{}
	for len(q.list) < prepared {
		v := url.Values{"limit": {"50"}}
		sort, order := sorts[r.IntN(len(sorts))], []string{"", "asc", "desc"}[r.IntN(3)]
		put(v, "sort_by", sort)
		put(v, "sort_order", order)
		if r.IntN(2) == 0 {
			put(v, "category", stores.Categories.Draw(r))
		}
		if r.IntN(2) == 0 {
			put(v, "tag", stores.Tags.Draw(r))
		}
		if r.IntN(2) == 0 {
			put(v, "source_channel", []string{"operator_import", "community_submission", "bundled_official"}[r.IntN(3)])
		}
		if r.IntN(2) == 0 {
			put(v, "risk_level", []string{"low", "low", "low", "medium", "high"}[r.IntN(5)])
		}
		if sort != "" && order != "" && r.IntN(2) == 0 {
			v.Set("cursor", cursors[sort+order][r.IntN(40)])
		}
		if text := "/api/templates?" + v.Encode(); !seen[text] {
			seen[text] = true
			q.list = append(q.list, text)
		}
	}
	return q, nil
}

func put(v url.Values, name, text string) {
	if text != "" {
		v.Set(name, text)
	}
}

// walk follows a list for n pages of 200 and gives the cursors it met.
func walk(address, query string, n int) (cursors []string, err error) {
	cursor := ""
	for range n {
		_, _, body, err := fetchWhole(address, get("/api/templates?limit=200&"+query+"&cursor="+cursor))
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				Next string `json:"next_cursor"`
			} `json:"data"`
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return nil, err
		}
		cursor = answer.Data.Next
		cursors = append(cursors, cursor)
	}
	return cursors, nil
}
