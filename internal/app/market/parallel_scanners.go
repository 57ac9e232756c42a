package market

import (
	"io"
	"sync"
	"sync/atomic"
)

// parallelScanners let several readers of the same bytes work beside the one who unpacks them, each in a goroutine of
// its own, in order, with little in between.
type parallelScanners struct {
	lane []chan piece
	wait sync.WaitGroup
}

// piece is the next thing that a lane does: a block for its reader, or something to call.
type piece struct {
	to   io.Writer
	data *block
	call func()
}

// block is a copy of some bytes that as many lanes still have to read.
type block struct {
	bytes []byte
	left  atomic.Int32
}

const (
	blockBytes = 64 << 10
	laneDepth  = 4
)

var blocks = sync.Pool{New: func() any { return &block{bytes: make([]byte, 0, blockBytes)} }}

func newParallelScanners(n int) *parallelScanners {
	l := &parallelScanners{lane: make([]chan piece, n)}
	for i := range l.lane {
		l.lane[i] = make(chan piece, laneDepth)
		l.wait.Go(func() {
			for p := range l.lane[i] {
				if p.call != nil {
					p.call()
					continue
				}
				_, _ = p.to.Write(p.data.bytes) // the readers of a look never fail
				if p.data.left.Add(-1) == 0 {
					blocks.Put(p.data)
				}
			}
		})
	}
	return l
}

// writer gives a writer whose bytes go to one reader in each lane.
func (l *parallelScanners) writer(to ...io.Writer) io.Writer { return &parallelWriter{l, to} }

// call runs f in a lane after everything written before.
func (l *parallelScanners) call(lane int, f func()) { l.lane[lane] <- piece{call: f} }

// end waits until every lane is through.
func (l *parallelScanners) end() {
	for _, c := range l.lane {
		close(c)
	}
	l.wait.Wait()
}

type parallelWriter struct {
	lanes *parallelScanners
	to    []io.Writer
}

// Write hands copies of p on, in blocks.
func (w *parallelWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), blockBytes)
		b := blocks.Get().(*block)
		b.bytes = append(b.bytes[:0], rest[:n]...)
		b.left.Store(int32(len(w.to)))
		for i, to := range w.to {
			w.lanes.lane[i] <- piece{to: to, data: b}
		}
		rest = rest[n:]
	}
	return len(p), nil
}
