package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"stoa/tests/load/rig"
	"stoa/tests/load/stores"
)

// contest is one operation that both servers can do.
type contest struct {
	item    string
	goal    float64
	clients int
	twin
	// before, if there, warms both servers up: neither reads from the disk what it can keep.
	before twin
}

// pair are both servers with the same templates.
type pair struct {
	*programme
	stoa *rig.Process
	peer *pocketBase
	// tokens of Stoa's members; PocketBase asks nobody who they are
	tokens []string
}

// beside measures both in turns.
func (p *programme) beside() error {
	kept, err := stores.Make(p.Ctx, p.cache, p.templates, p.making("SQLite"))
	if err != nil {
		return err
	}
	data, err := p.copied(kept, "beside")
	if err != nil {
		return err
	}
	peer, err := p.startPeer()
	if err != nil {
		return err
	}
	defer peer.Stop()
	stoa, err := rig.Start(p.Ctx, filepath.Join(p.Dir, "beside.log"), p.Binary, "serve", "--data", data, "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--limits.requests-per-second=0", "--quota.enforce=off")
	if err != nil {
		return err
	}
	defer stoa.Stop()
	if _, err := stoa.Healthy(time.Minute); err != nil {
		return err
	}
	if err := stoa.Loaded(); err != nil {
		return err
	}
	both := &pair{programme: p, stoa: stoa, peer: peer}
	for n := range stores.Members {
		token, err := rig.Login(stoa.Address, stores.Member(n))
		if err != nil {
			return err
		}
		both.tokens = append(both.tokens, token)
	}
	if strings.Contains("upload, download", p.only) {
		if err := both.uploads(); err != nil { // first: memory of servers that have done nothing else yet
			return err
		}
	}
	for _, c := range both.contests() {
		if !strings.Contains(c.item, p.only) {
			continue
		}
		if err := both.compare(c); err != nil {
			return err
		}
	}
	return nil
}

func (p *pair) contests() []contest {
	lists, withoutTotal, questions := newTwin(p.lists), newTwin(p.listsWithoutTotal), newTwin(p.searches)
	questionsWithoutTotal := newTwin(p.searchesWithoutTotal)
	var installs, creates atomic.Int64
	at := func(n int64) (member int, template string) { // no pair comes twice before all have come
		return int(n % stores.Members), stores.ID(1 + int(n/stores.Members*7919%int64(p.templates)))
	}
	details := p.each(func(n int) string { return "/api/templates/detail?template_id=" + url.QueryEscape(stores.ID(n)) })
	records := p.each(func(n int) string { return "/api/collections/templates/records/" + peerID(n) })
	return []contest{
		{item: "list of 30 to 70, filter and sort, with the total", goal: 15, clients: readers, twin: lists},
		{item: "list, PocketBase without its total", clients: readers, twin: withoutTotal},
		{
			item: "read one, uniformly random, after each was read once", goal: 5, clients: readers,
			before: twin{inTurn(details), inTurn(records)}, twin: twin{anyOf(details), anyOf(records)},
		},
		{
			item: "create, durable here (an installation: row, counter, event), not synced there (one row)", goal: 1, clients: stores.Members, twin: twin{
				func(int) []byte {
					member, template := at(installs.Add(1))
					return rig.Write("POST", "/api/templates/install", fmt.Sprintf(`{"template_id":%q}`, template), "Authorization: Bearer "+p.tokens[member])
				},
				func(int) []byte {
					member, template := at(creates.Add(1))
					return rig.Write("POST", "/api/collections/installs/records", fmt.Sprintf(`{"member":%q,"template":%q,"version":"1.0.0"}`, stores.Member(member), template))
				},
			},
		},
		{item: "search of one to four words (there: each word in a text, ~)", goal: 20, clients: 8, twin: questions},
		{item: "search, PocketBase without its total", clients: 8, twin: questionsWithoutTotal},
	}
}

// readers are enough connections to keep both processors busy.
const readers = 64

// each writes a request for every template beforehand.
func (p *pair) each(target func(n int) string) [][]byte {
	out := make([][]byte, p.templates)
	for i := range out {
		out[i] = rig.Get(target(i + 1))
	}
	return out
}

// inTurn sends every request once.
func inTurn(requests [][]byte) rig.Workload {
	var turn atomic.Int64
	return func(int) []byte {
		n := int(turn.Add(1))
		if n > len(requests) {
			return nil
		}
		return requests[n-1]
	}
}

func anyOf(requests [][]byte) rig.Workload {
	return func(int) []byte { return requests[rand.IntN(len(requests))] }
}

// twin is the same work for both servers.
type twin struct{ stoa, peer rig.Workload }

// newTwin puts the same questions, in the same order, to both servers, however far each of them gets.
func newTwin(make func(r *rand.Rand) (stoa, peer string)) twin {
	side := func(which int) rig.Workload {
		var mu sync.Mutex
		r := rand.New(rand.NewPCG(17, 17))
		return func(int) []byte {
			mu.Lock()
			defer mu.Unlock()
			a, b := make(r)
			return rig.Get([]string{a, b}[which])
		}
	}
	return twin{side(0), side(1)}
}

// lists draws filters, an order and a length, so that hardly any two lists are alike.
func (p *pair) lists(r *rand.Rand) (stoa, peer string) {
	limit := fmt.Sprint(30 + r.IntN(41))
	a, b := url.Values{"limit": {limit}}, url.Values{"perPage": {limit}}
	var filter []string
	put := func(name, there, value string) {
		a.Set(name, value)
		filter = append(filter, fmt.Sprintf("%s='%s'", there, value))
	}
	put("category", "category", stores.Categories.Draw(r))
	if r.IntN(2) == 0 {
		put("source_channel", "channel", []string{"operator_import", "community_submission", "bundled_official"}[r.IntN(3)])
	}
	if r.IntN(2) == 0 {
		put("risk_level", "risk", []string{"low", "low", "low", "medium", "high"}[r.IntN(5)])
	}
	sort, order := []string{"installs", "template_id"}[r.IntN(2)], r.IntN(2)
	a.Set("sort_by", sort)
	a.Set("sort_order", []string{"asc", "desc"}[order])
	b.Set("sort", []string{"", "-"}[order]+sort)
	b.Set("filter", strings.Join(filter, " && "))
	return "/api/templates?" + a.Encode(), "/api/collections/templates/records?" + b.Encode()
}

func (p *pair) listsWithoutTotal(r *rand.Rand) (stoa, peer string) {
	stoa, peer = p.lists(r)
	return stoa, peer + "&skipTotal=1"
}

// searches looks for every word of a question in every text.
func (p *pair) searches(r *rand.Rand) (stoa, peer string) {
	question := rig.Question(r)
	var filter []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(question, "'", " ")) {
		filter = append(filter, fmt.Sprintf("(title~'%[1]s' || description~'%[1]s' || prompt~'%[1]s' || tags~'%[1]s')", word))
	}
	return "/api/templates?limit=50&query=" + url.QueryEscape(question),
		"/api/collections/templates/records?perPage=50&filter=" + url.QueryEscape(strings.Join(filter, " && "))
}

func (p *pair) searchesWithoutTotal(r *rand.Rand) (stoa, peer string) {
	stoa, peer = p.searches(r)
	return stoa, peer + "&skipTotal=1"
}

// compare lets both take turns and keeps the middle of the ratios.
func (p *pair) compare(c contest) error {
	var ratios []float64
	var rates, p99 [2][]float64
	for turn := range p.slices + 1 {
		var got [2]float64
		for i, side := range []struct {
			*rig.Process
			next, before rig.Workload
		}{{p.stoa, c.stoa, c.before.stoa}, {p.peer.Process, c.peer, c.before.peer}} {
			next, lasting := side.next, p.slice
			if turn == 0 {
				lasting = min(p.slice, time.Second) // warms up
				if side.before != nil {
					next, lasting = side.before, time.Hour
				}
			}
			r, err := rig.Load(side.Address, c.clients, lasting, 200, next)
			if err == nil && (r.Done == 0 || r.Wrong > 0) {
				err = fmt.Errorf("%d answers, %d of them not 200; the next asks %.300q", r.Done, r.Wrong, side.next(0))
			}
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.item, side.Address, err)
			}
			if err := p.settle(side.Process); err != nil { // requests that it still has to write down must not run beside the other's turn
				return err
			}
			got[i] = r.PerSecond()
			if turn > 0 {
				rates[i], p99[i] = append(rates[i], got[i]), append(p99[i], rig.MS(r.Quantile(0.99)))
			}
		}
		if turn > 0 {
			ratios = append(ratios, got[0]/got[1])
		}
		if err := p.Ctx.Err(); err != nil {
			return err
		}
	}
	text := func(i int) string {
		return fmt.Sprintf("%.0f/s, p99 %.1f ms", rig.Median(rates[i]), rig.Median(p99[i]))
	}
	p.add(ratio{c.item, text(0), text(1), rig.Median(ratios), c.goal})
	return nil
}

func (p *pair) add(r ratio) {
	p.report.Ratios = append(p.report.Ratios, r)
	p.Progress("%s: %s against %s: %.2f × (goal %g) %s", r.Item, r.Stoa, r.Peer, r.Ratio, r.Goal, r.verdict())
}

// Times of settle.
const (
	quietFor   = 500 * time.Millisecond
	settleTime = 5 * time.Minute
)

// settle waits until a server has nothing left to do, and the disk nothing that it left to the kernel: who does not sync
// would have it written in the other's turn.
func (p *programme) settle(server *rig.Process) error {
	defer syscall.Sync()
	for began := time.Now(); time.Since(began) < settleTime && p.Ctx.Err() == nil; {
		before := server.CPU()
		time.Sleep(quietFor)
		if server.CPU()-before <= quietFor/10 {
			return nil
		}
	}
	return errors.New("a server does not come to rest after uploads")
}
