package foreign

import (
	"flag"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/market/review"
)

var items = flag.Int("items", 300, "skills of the large ClawHub; 30000 is what a mirror takes, and prints what it cost")

// A large source whose line is cut again and again is read to its end: nothing that was done is done again but for what was
// under way, and what has not changed costs its list alone.
func TestManyItemsOverABadLine(t *testing.T) {
	n := *items
	c := claws(t, n)
	s := start(t, apitest.Engines(t)[0])
	var asked, downloads atomic.Int64
	var down atomic.Bool
	cutEvery := int64(n/3 + 20)
	inner := c.Config.Handler
	c.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%cutEvery == 0 {
			down.Store(true)
		}
		if down.Load() {
			panic(http.ErrAbortHandler)
		}
		if r.URL.Path == "/api/v1/download" {
			downloads.Add(1)
		}
		inner.ServeHTTP(w, r)
	})
	var m review.MirrorInput
	m.Name, m.URL, m.Private = "up", c.URL, true
	if _, err := s.App.AddMirror(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	peak, stop := watchHeap()
	began := time.Now()
	cut, v := 0, review.MirrorView{}
	for ; cut < 20; cut++ {
		var err error
		if v, err = s.App.SyncMirror(t.Context(), "up"); err == nil {
			break
		}
		down.Store(false)
	}
	first := time.Since(began)
	stop()
	if v.Published != n || v.Running || cut < 2 {
		t.Fatalf("after %d cuts: %+v", cut, v)
	}
	if extra := downloads.Load() - int64(n); extra > int64(40*cut) {
		t.Errorf("%d downloads too many, %d cuts", extra, cut)
	}
	cutEvery = 1 << 40
	asked.Store(1)
	began = time.Now()
	downloads.Store(0)
	again := synced(t, s)
	if again.Published != n || downloads.Load() != 0 {
		t.Errorf("nothing has changed: %+v, %d downloads", again, downloads.Load())
	}
	if n >= 10_000 {
		t.Logf("%d items over %d cuts: %v, at most %d MiB of heap; unchanged: %v, %d requests", n, cut, first.Round(time.Second), peak.Load()>>20, time.Since(began).Round(time.Millisecond), asked.Load()-1)
	}
}

// watchHeap notes the most that live and dead objects take together, until stop.
func watchHeap() (peak *atomic.Uint64, stop func()) {
	peak = &atomic.Uint64{}
	done, ended := make(chan struct{}), sync.WaitGroup{}
	ended.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			peak.Store(max(peak.Load(), s.HeapInuse))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return peak, func() { close(done); ended.Wait() }
}
