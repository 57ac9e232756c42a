//go:build linux

package store_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// atCommit is what a proxy does when it sees a COMMIT.
type atCommit int

const (
	pass      atCommit = iota
	cutBefore          // the server never hears of it
	cutAfter           // the server has answered, and nobody hears that
	hush               // the server gets it, and its answer is held back until the proxy ends
)

// commitProxy stands between pgx and PostgreSQL and reads along.
type commitProxy struct {
	to       int
	listener net.Listener
	mu       sync.Mutex
	next     atCommit // for the next COMMIT alone
	cancels  int      // connections that asked the server to cancel something
	conns    []net.Conn
	work     sync.WaitGroup
}

func newCommitProxy(t *testing.T, port int) *commitProxy {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &commitProxy{to: port, listener: l}
	p.work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.work.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			c.Close()
		}
		p.mu.Unlock()
		p.work.Wait()
	})
	return p
}

func (p *commitProxy) address(database string) string {
	return fmt.Sprintf("postgres://stoa@%s/%s?sslmode=disable", p.listener.Addr(), database)
}

func (p *commitProxy) set(next atCommit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = next
}

func (p *commitProxy) cancelled() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancels
}

func (p *commitProxy) take() atCommit {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.next
	p.next = pass
	return now
}

// serve hands messages on one by one.
func (p *commitProxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", p.to))
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns = append(p.conns, client, server)
	p.mu.Unlock()
	answers := &gate{to: client}
	p.work.Go(func() {
		defer client.Close()
		_, _ = io.Copy(answers, server)
	})
	head := 4 // the first message has no type
	for {
		message, err := readMessage(client, head)
		if err != nil {
			return
		}
		if head == 4 && len(message) == 16 && binary.BigEndian.Uint32(message[4:]) == 80877102 {
			p.mu.Lock()
			p.cancels++
			p.mu.Unlock()
		}
		what := pass
		if head == 5 && message[0] == 'Q' && strings.HasPrefix(string(message[5:]), "commit") {
			what = p.take()
		}
		head = 5
		switch what {
		case cutBefore:
			return
		case cutAfter:
			answers.cut()
		case hush:
			answers.hold()
		case pass:
		}
		if _, err := server.Write(message); err != nil {
			return
		}
	}
}

func readMessage(from io.Reader, head int) ([]byte, error) {
	message := make([]byte, head)
	if _, err := io.ReadFull(from, message); err != nil {
		return nil, err
	}
	rest := make([]byte, int(binary.BigEndian.Uint32(message[head-4:]))-4)
	_, err := io.ReadFull(from, rest)
	return append(message, rest...), err
}

// gate lets the server's bytes through, or keeps them back, or ends with the next of them.
type gate struct {
	to    net.Conn
	mu    sync.Mutex
	state atCommit
}

func (g *gate) cut()  { g.set(cutAfter) }
func (g *gate) hold() { g.set(hush) }

func (g *gate) set(state atCommit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = state
}

func (g *gate) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch g.state {
	case cutAfter:
		return 0, io.ErrClosedPipe
	case hush:
		return len(b), nil
	}
	return g.to.Write(b)
}
