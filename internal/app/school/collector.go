package school

import (
	"runtime/debug"
	"sync"
)

// The garbage collector usually lets a heap grow to twice of what is in use. While so many bytes of notes are read it lets it
// grow by less, so that no member makes the process larger than it has to be. That costs some time of these requests.
const (
	largeNotes   = 4 << 20
	tightGarbage = 30 // per cent
)

// largeReads counts the requests that read many notes just now. The collector's setting is one for the process.
var largeReads struct {
	sync.Mutex
	running int
	usual   int
}

// collectOften has garbage collected sooner until done is called.
func collectOften() (done func()) {
	r := &largeReads
	r.Lock()
	defer r.Unlock()
	if r.running++; r.running == 1 {
		r.usual = debug.SetGCPercent(tightGarbage)
		if r.usual >= 0 && r.usual < tightGarbage {
			debug.SetGCPercent(r.usual)
		}
	}
	return func() {
		r.Lock()
		defer r.Unlock()
		if r.running--; r.running == 0 {
			debug.SetGCPercent(r.usual)
		}
	}
}
