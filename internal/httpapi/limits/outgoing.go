package limits

import (
	"cmp"
	"container/list"
	"sync"
	"time"
)

// Bounds of answers on their way to clients that take them slowly.
const (
	// OutgoingBytes is how much answers may hold in memory together while they are sent.
	OutgoingBytes = 256 << 20
	// pieceTime is how long the client of an HTTP/2 stream may take for a piece.
	pieceTime = 32 * time.Second
)

// Outgoing bounds what answers that are being sent hold in memory. One too many has the longest of them cut off, first of
// addresses that hold more than a quarter: clients that read as slowly as they may drive out each other and not people.
type Outgoing struct {
	most int64
	Wait time.Duration // for a piece over HTTP/2

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

// NewOutgoing allows answers so many bytes together, and a piece over HTTP/2 so much time; 0 means 32 seconds.
func NewOutgoing(most int64, wait time.Duration) *Outgoing {
	return &Outgoing{most: most, Wait: cmp.Or(wait, pieceTime), of: map[string]int64{}}
}

// Enter notes that an answer of so many bytes is being sent; cut ends it.
func (o *Outgoing) Enter(address string, bytes int64, cut func()) *sending {
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

// Leave notes that an answer was sent.
func (o *Outgoing) Leave(s *sending) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.at != nil {
		o.drop(s)
	}
}

func (o *Outgoing) drop(s *sending) {
	o.line.Remove(s.at)
	s.at = nil
	o.all -= s.bytes
	if o.of[s.address] -= s.bytes; o.of[s.address] <= 0 {
		delete(o.of, s.address)
	}
}

func (o *Outgoing) longest() *sending {
	for e := o.line.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*sending); o.of[s.address] > o.most/4 {
			return s
		}
	}
	return o.line.Front().Value.(*sending)
}
