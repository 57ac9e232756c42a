package httpapi

import (
	"cmp"
	"container/list"
	"io"
	"net/http"
	"sync"
	"time"

	"stoa/internal/platform/listen"
)

// Bounds of answers on their way to clients that take them slowly.
const (
	// outgoingBytes is how much answers may hold in memory together while they are sent.
	outgoingBytes = 256 << 20
	// outgoingLeast is from which size on an answer over HTTP/1 counts: of these there are no more than connections.
	outgoingLeast = 16 << 10
	// Over HTTP/2 a piece must be taken within the time. Over HTTP/1 package listen sees to that; here a client that takes nothing
	// blocks its streams alone, which no write of the connection shows.
	pieceBytes = 256 << 10
	pieceTime  = 32 * time.Second
)

// outgoing bounds what answers that are being sent hold in memory. One too many has the longest of them cut off, first of
// addresses that hold more than a quarter: clients that read as slowly as they may drive out each other and not people.
type outgoing struct {
	most int64
	wait time.Duration // for a piece over HTTP/2

	mu   sync.Mutex
	all  int64
	of   map[string]int64 // by address
	line list.List        // of *sending, the longest first
}

type sending struct {
	address string
	bytes   int64
	cut     func()
	at      *list.Element // nil once it was cut off
}

func newOutgoing(most int64, wait time.Duration) *outgoing {
	return &outgoing{most: most, wait: cmp.Or(wait, pieceTime), of: map[string]int64{}}
}

// enter notes that an answer of so many bytes is being sent; cut ends it.
func (o *outgoing) enter(address string, bytes int64, cut func()) *sending {
	s := &sending{address: address, bytes: bytes, cut: cut}
	var ended []*sending
	o.mu.Lock()
	o.all += bytes
	o.of[address] += bytes
	for o.all > o.most && o.line.Len() > 0 {
		out := o.longest()
		o.drop(out)
		ended = append(ended, out)
	}
	s.at = o.line.PushBack(s)
	o.mu.Unlock()
	for _, out := range ended {
		out.cut()
	}
	return s
}

// leave notes that an answer was sent.
func (o *outgoing) leave(s *sending) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.at != nil {
		o.drop(s)
	}
}

func (o *outgoing) drop(s *sending) {
	o.line.Remove(s.at)
	s.at = nil
	o.all -= s.bytes
	if o.of[s.address] -= s.bytes; o.of[s.address] <= 0 {
		delete(o.of, s.address)
	}
}

func (o *outgoing) longest() *sending {
	for e := o.line.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*sending); o.of[s.address] > o.most/4 {
			return s
		}
	}
	return o.line.Front().Value.(*sending)
}

// holds notes that so many bytes of memory are held while an answer is sent; done is to be called when it was.
func (r *recorder) holds(bytes int64) (done func()) {
	if r.out == nil {
		return func() {}
	}
	control := http.NewResponseController(r.ResponseWriter)
	s := r.out.enter(listen.Source(r.remote), bytes, func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) })
	return func() { r.out.leave(s) }
}

// send writes a part of an answer that is in memory.
func (r *recorder) send(b []byte) (n int, err error) {
	if !r.streams && len(b) < outgoingLeast {
		return r.ResponseWriter.Write(b)
	}
	defer r.holds(int64(len(b)))()
	if !r.streams {
		return r.ResponseWriter.Write(b)
	}
	defer r.patience(false)
	for {
		r.patience(true)
		m, err := r.ResponseWriter.Write(b[n:min(len(b), n+pieceBytes)])
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// patience bounds, or bounds no longer, how long the client of an HTTP/2 stream may take for what is written next.
func (r *recorder) patience(bounded bool) {
	if !r.streams || r.out == nil {
		return
	}
	until := time.Time{}
	if bounded {
		until = time.Now().Add(r.out.wait)
	}
	_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(until) // where there is no connection, as in tests, nothing waits
}

// FlushError sends what was written, for http.ResponseController.
func (r *recorder) FlushError() error {
	r.patience(true)
	defer r.patience(false)
	return http.NewResponseController(r.ResponseWriter).Flush()
}

// piecewise has a file sent through Write, where each piece has its time.
type piecewise struct{ io.Writer }
