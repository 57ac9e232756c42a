package listen

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Connections are figures of a server's connections.
type Connections struct {
	Open    int    // at this moment
	Waiting int    // of them, those without a request: idle, or with a head that has not come whole
	Most    int    // that are held at a time
	Shed    uint64 // closed while they waited, to make room for others
	Refused uint64 // closed at once, since no other could be closed for them
}

// shareOfOne is the part of all connections, as a divisor, that one address may hold while others find no place.
const shareOfOne = 4

// guard bounds how many connections there are. One too many takes the place of the one that has waited longest: an
// idle connection costs its owner nothing to open again, and one whose head dribbles in is not worth keeping. A
// connection with a request is never closed for another. Addresses that hold more than their share give up theirs
// first, so that a single crowd does not drive out everybody else.
type guard struct {
	most int

	mu      sync.Mutex
	held    map[net.Conn]*place
	of      map[string]int // connections by address
	waiting list.List      // of *place, the longest waiting first
	shed    uint64
	refused uint64
}

type place struct {
	conn    net.Conn
	address string
	waits   *list.Element // nil while a request is served
}

func newGuard(most int) *guard {
	return &guard{most: most, held: map[net.Conn]*place{}, of: map[string]int{}}
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
		if p := g.held[c]; p != nil && p.waits != nil {
			g.waiting.Remove(p.waits)
			p.waits = nil
		}
	case http.StateIdle:
		if p := g.held[c]; p != nil && p.waits == nil {
			p.waits = g.waiting.PushBack(p)
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
	g.held[c], p.waits = p, g.waiting.PushBack(p)
	g.of[p.address]++
	return victim
}

func (g *guard) leave(c net.Conn) {
	p := g.held[c]
	if p == nil {
		return
	}
	delete(g.held, c)
	if p.waits != nil {
		g.waiting.Remove(p.waits)
	}
	if g.of[p.address]--; g.of[p.address] == 0 {
		delete(g.of, p.address)
	}
}

// longestWaiting finds who makes room for a newcomer from an address: of those that hold more than their share first.
func (g *guard) longestWaiting(address string) *place {
	for e := g.waiting.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*place); g.greedy(p.address) {
			return p
		}
	}
	if first := g.waiting.Front(); first != nil && !g.greedy(address) {
		return first.Value.(*place)
	}
	return nil
}

func (g *guard) greedy(address string) bool { return g.of[address] > g.most/shareOfOne }

func (g *guard) count() Connections {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Connections{Open: len(g.held), Waiting: g.waiting.Len(), Most: g.most, Shed: g.shed, Refused: g.refused}
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
	return host
}
