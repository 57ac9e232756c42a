package listen

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections are figures of a server's connections.
type Connections struct {
	Open    int    // at this moment
	Waiting int    // of them, those without a whole request: idle, or with a head or a body that has not come whole
	Most    int    // that are held at a time
	Shed    uint64 // closed to make room for others
	Refused uint64 // closed at once, since no other could be closed for them
}

// shareOfOne is the part of all connections, as a divisor, that one address may hold while others find no place.
const shareOfOne = 4

// guard bounds how many connections there are. One too many takes the place of the one that has waited longest: an
// idle connection costs its owner nothing to open again, and one whose head dribbles in is not worth keeping. Where none
// waits, the request whose body has been coming for longest gives up its place, and then the one that has been served for
// longest, which is that of a client who takes the answer as slowly as it may; what has come whole just now is not closed for
// another. Addresses that hold more than their share give up theirs first, so that a single crowd does not drive out
// everybody else.
type guard struct {
	most    int
	settled time.Duration // how long a request is served at the least before its connection may go

	mu      sync.Mutex
	held    map[net.Conn]*place
	of      map[string]int // connections by address
	waiting lines
	shed    uint64
	refused uint64
}

// lines are the places, those without a request, those whose body is coming and those whose request is served, of *place, the
// longest in it first.
type lines [3]list.List

const (
	idle = iota
	receiving
	serving
)

type place struct {
	conn    net.Conn
	address string
	line    *list.List    // which it is in
	waits   *list.Element // there
	since   time.Time
}

// join puts a place into a line, at its end; nil takes it out of the one it is in.
func (p *place) join(line *list.List) {
	if p.line == line {
		return
	}
	if p.line != nil {
		p.line.Remove(p.waits)
	}
	if p.line = line; line != nil {
		p.waits, p.since = line.PushBack(p), time.Now()
	}
}

func newGuard(most int, settled time.Duration) *guard {
	return &guard{most: most, settled: settled, held: map[net.Conn]*place{}, of: map[string]int{}}
}

// changed is the server's ConnState hook. A connection is StateNew or StateIdle until the head of a request has been
// read, and StateActive until that request is answered.
func (g *guard) changed(c net.Conn, state http.ConnState) {
	var victim net.Conn
	g.mu.Lock()
	switch state {
	case http.StateNew:
		victim = g.enter(c)
	case http.StateActive:
		if p := g.held[c]; p != nil {
			p.join(&g.waiting[serving])
		}
	case http.StateIdle:
		if p := g.held[c]; p != nil {
			p.join(&g.waiting[idle])
		}
	case http.StateClosed, http.StateHijacked:
		g.leave(c)
	}
	g.mu.Unlock()
	if victim != nil {
		_ = raw(victim).Close() // the server learns of it by reading
	}
}

// enter gives a connection a place, and says which one has to go for it: perhaps itself.
func (g *guard) enter(c net.Conn) (victim net.Conn) {
	p := &place{conn: c, address: addressOf(c)}
	if len(g.held) >= g.most {
		out := g.longestWaiting(p.address)
		if out == nil {
			g.refused++
			return c
		}
		g.shed++
		victim = out.conn
		g.leave(out.conn)
	}
	g.held[c] = p
	p.join(&g.waiting[idle])
	g.of[p.address]++
	return victim
}

func (g *guard) leave(c net.Conn) {
	p := g.held[c]
	if p == nil {
		return
	}
	delete(g.held, c)
	p.join(nil)
	if g.of[p.address]--; g.of[p.address] == 0 {
		delete(g.of, p.address)
	}
}

// longestWaiting finds who makes room for a newcomer from an address: of those that hold more than their share first.
func (g *guard) longestWaiting(address string) *place {
	young := time.Now().Add(-g.settled)
	spared := func(i int, p *place) bool { return i == serving && p.since.After(young) }
	for i := range g.waiting {
		for e := g.waiting[i].Front(); e != nil; e = e.Next() {
			p := e.Value.(*place)
			if spared(i, p) {
				break
			}
			if g.greedy(p.address) {
				return p
			}
		}
	}
	if g.greedy(address) {
		return nil
	}
	for i := range g.waiting {
		if first := g.waiting[i].Front(); first != nil && !spared(i, first.Value.(*place)) {
			return first.Value.(*place)
		}
	}
	return nil
}

// receives notes that the body of a connection's request is coming, or has come.
func (g *guard) receives(c net.Conn, on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.held[c]
	switch {
	case p == nil:
	case on && p.line == &g.waiting[serving]:
		p.join(&g.waiting[receiving])
	case !on && p.line == &g.waiting[receiving]:
		p.join(&g.waiting[serving])
	}
}

type connKey struct{}

type guarded struct {
	guard *guard
	conn  net.Conn
}

// Receiving tells the Server of a request's context that its body is coming, or that it has come. Meanwhile the
// connection may be closed to make room. It does nothing for HTTP/2, where a connection has many requests.
func Receiving(ctx context.Context, on bool) {
	if g, ok := ctx.Value(connKey{}).(guarded); ok {
		g.guard.receives(g.conn, on)
	}
}

func (g *guard) greedy(address string) bool { return g.of[address] > g.most/shareOfOne }

func (g *guard) count() Connections {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Connections{Open: len(g.held), Waiting: g.waiting[idle].Len() + g.waiting[receiving].Len(), Most: g.most, Shed: g.shed, Refused: g.refused}
}

// raw is the connection below TLS: closing that one does not wait for the other side.
func raw(c net.Conn) net.Conn {
	if t, ok := c.(*tls.Conn); ok {
		return t.NetConn()
	}
	return c
}

func addressOf(c net.Conn) string {
	host, _, err := net.SplitHostPort(c.RemoteAddr().String())
	if err != nil {
		return c.RemoteAddr().String()
	}
	return Source(host)
}
