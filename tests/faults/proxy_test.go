//go:build linux

package faults

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// wire is what a proxy does with what comes.
type wire int

const (
	whole  wire = iota
	cut         // connections are refused and those there are reset
	silent      // connections are taken and nothing more is heard on any
)

// proxy is the network between a node and the database.
type proxy struct {
	to       string
	listener net.Listener

	mu    sync.Mutex
	again *sync.Cond
	state wire
	ended bool
	open  map[net.Conn]bool
}

func startProxy(t *testing.T, port int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: fmt.Sprintf("127.0.0.1:%d", port), listener: l, open: map[net.Conn]bool{}}
	p.again = sync.NewCond(&p.mu)
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.set(cut)
		work.Wait()
	})
	return p
}

func (p *proxy) address(database string) string {
	return fmt.Sprintf("postgres://stoa@%s/%s?sslmode=disable", p.listener.Addr(), database)
}

// set changes the wire. What was silent and is whole again says what it had to say, as a healed network does.
func (p *proxy) set(w wire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = w
	if w == cut {
		for c := range p.open {
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		}
	}
	p.again.Broadcast()
}

// pass waits while the wire is silent and tells whether it is whole.
func (p *proxy) pass() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.state == silent && !p.ended {
		p.again.Wait()
	}
	return p.state == whole && !p.ended
}

func (p *proxy) keep(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[c] = true
}

func (p *proxy) serve(client net.Conn) {
	p.keep(client)
	defer p.drop(client)
	if !p.pass() {
		return
	}
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	p.keep(server)
	defer p.drop(server)
	var both sync.WaitGroup
	both.Go(func() { p.copy(server, client) })
	p.copy(client, server)
	both.Wait()
}

func (p *proxy) drop(c net.Conn) {
	c.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// copy carries bytes one way; at the end both ways are closed.
func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && (!p.pass() || writeAll(to, buf[:n]) != nil) {
			return
		}
		if err != nil {
			p.pass() // an end is news too, and does not get through either
			return
		}
	}
}

func writeAll(w io.Writer, b []byte) error {
	_, err := w.Write(b)
	return err
}
