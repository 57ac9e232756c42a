package submit

import (
	"io"
	"sync"
	"sync/atomic"
)

// parallelScanners let several readers of the same bytes work beside the goroutine that unpacks them, each in a
// goroutine of its own with a short queue, in order.
type parallelScanners struct {
	queue []chan piece
	wait  sync.WaitGroup
}

// piece is one entry of a queue: a block for its reader, or a function to call.
type piece struct {
	to   io.Writer
	data *block
	call func()
}

// block is a copy of some bytes that some readers still have to read.
type block struct {
	bytes []byte
	left  atomic.Int32
}

const (
	blockBytes = 64 << 10
	queueDepth = 4
)

var blocks = sync.Pool{New: func() any { return &block{bytes: make([]byte, 0, blockBytes)} }}

func newParallelScanners(n int) *parallelScanners {
	l := &parallelScanners{queue: make([]chan piece, n)}
	for i := range l.queue {
		l.queue[i] = make(chan piece, queueDepth)
		l.wait.Go(func() {
			for p := range l.queue[i] {
				if p.call != nil {
					p.call()
					continue
				}
				_, _ = p.to.Write(p.data.bytes) // the readers of an inspection never fail
				if p.data.left.Add(-1) == 0 {
					blocks.Put(p.data)
				}
			}
		})
	}
	return l
}

// writer gives a writer whose bytes go to one reader of each queue.
func (l *parallelScanners) writer(to ...io.Writer) io.Writer { return &parallelWriter{l, to} }

// call runs f after everything written to queue i before.
func (l *parallelScanners) call(i int, f func()) { l.queue[i] <- piece{call: f} }

// end waits until every queue is empty and its goroutine has ended.
func (l *parallelScanners) end() {
	for _, c := range l.queue {
		close(c)
	}
	l.wait.Wait()
}

type parallelWriter struct {
	scanners *parallelScanners
	to       []io.Writer
}

// Write hands copies of p on, in blocks.
func (w *parallelWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), blockBytes)
		b := blocks.Get().(*block)
		b.bytes = append(b.bytes[:0], rest[:n]...)
		b.left.Store(int32(len(w.to)))
		for i, to := range w.to {
			w.scanners.queue[i] <- piece{to: to, data: b}
		}
		rest = rest[n:]
	}
	return len(p), nil
}
