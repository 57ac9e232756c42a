package notebook

import (
	"runtime/debug"
	"sync"
)

// The garbage collector usually lets a heap grow to twice of what is in use. While so many bytes of notes are read it lets it
// grow by less, so that no member makes the process larger than it has to be. That costs some time of these requests.
const (
	LargeNotes   = 4 << 20
	lineWeight   = 100 // bytes that count for a line beside its own
	TightGarbage = 30  // per cent, for notes
	AnkiGarbage  = 10  // for a package, of which one is read at a time
	// What is smaller is read with the collector as it is.
	SmallPackage = 256 << 10 // bytes of a package, packed
	FewNotes     = 1000
)

// largeReads counts the requests that read many notes just now. The collector's setting is one for the process.
var largeReads struct {
	sync.Mutex
	running int
	usual   int
	tight   int // the least that was asked for
}

// CollectOften has garbage collected when the heap has grown by so many per cent, until done is called.
func CollectOften(percent int) (done func()) {
	r := &largeReads
	r.Lock()
	defer r.Unlock()
	if r.running++; r.running == 1 {
		r.usual = debug.SetGCPercent(percent)
		if r.tight = percent; r.usual >= 0 && r.usual < percent {
			r.tight = r.usual
		}
		debug.SetGCPercent(r.tight)
	} else if percent < r.tight {
		r.tight = percent
		debug.SetGCPercent(percent)
	}
	return func() {
		r.Lock()
		defer r.Unlock()
		if r.running--; r.running == 0 {
			debug.FreeOSMemory() // before the heap may grow to twice of what these left behind
			debug.SetGCPercent(r.usual)
		}
	}
}
