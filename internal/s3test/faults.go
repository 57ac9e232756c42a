package s3test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Fault is what a Proxy does to a call.
type Fault int

// The faults.
const (
	None   Fault = iota
	Error        // answers 500
	Hang         // takes the call and never answers
	Cut          // lets half of an answer through and closes the connection
	Alter        // changes a byte of what is sent
	Forget       // passes the call on and closes the connection instead of answering
)

// Proxy stands in front of a Server and fails as it is told.
type Proxy struct {
	Endpoint string

	mu    sync.Mutex
	fault Fault
	left  int // calls that it still concerns; below 0 all
	held  chan struct{}
	pass  int // calls before those
	seen  int // calls that failed
	began chan struct{}
}

// Proxy starts a proxy that passes everything on until it is told otherwise.
func (s *Server) Proxy(t testing.TB) *Proxy {
	t.Helper()
	p := &Proxy{held: make(chan struct{}), began: make(chan struct{})}
	to := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: s.Endpoint})
			r.Out.Host = r.In.Host // which is signed
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch p.next() {
		case Error:
			http.Error(w, "the object store is told to fail", http.StatusInternalServerError)
		case Hang:
			select {
			case <-p.held:
			case <-r.Context().Done():
			}
			panic(http.ErrAbortHandler)
		case Cut:
			to.ServeHTTP(&cut{ResponseWriter: w}, r)
		case Alter:
			body, _ := io.ReadAll(r.Body)
			body[len(body)/2] ^= 1
			r.Body = io.NopCloser(bytes.NewReader(body))
			to.ServeHTTP(w, r)
		case Forget:
			to.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case None:
			to.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		close(p.held)
		listening.Close()
	})
	p.Endpoint = strings.TrimPrefix(listening.URL, "http://")
	return p
}

// Fail makes the next n calls fail, or all when n is below 0.
func (p *Proxy) Fail(f Fault, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.left = f, n
}

// FailAfter lets n calls pass and makes all after them fail.
func (p *Proxy) FailAfter(n int, f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.left, p.pass = f, -1, n
}

// Failing is closed when the first call fails.
func (p *Proxy) Failing() <-chan struct{} { return p.began }

// Failed is how many calls have failed so far.
func (p *Proxy) Failed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func (p *Proxy) next() Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault == None || p.left == 0 {
		return None
	}
	if p.pass > 0 {
		p.pass--
		return None
	}
	p.left--
	if p.seen++; p.seen == 1 {
		close(p.began)
	}
	return p.fault
}

// cut passes half of an answer's bytes.
type cut struct {
	http.ResponseWriter
	sent int
}

// Write passes at most 64 KiB on.
func (c *cut) Write(b []byte) (int, error) {
	const most = 64 << 10
	if c.sent+len(b) > most {
		n, _ := c.ResponseWriter.Write(b[:most-c.sent])
		c.sent += n
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	n, err := c.ResponseWriter.Write(b)
	c.sent += n
	return n, err
}
