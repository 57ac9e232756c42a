package school

import (
	"runtime/debug"
	"sync"
	"testing"
)

// Requests that overlap leave the collector as it was before the first.
func TestCollectorIsSetBack(t *testing.T) {
	const usual = 123
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	now := func() int {
		p := debug.SetGCPercent(usual)
		debug.SetGCPercent(p)
		return p
	}
	first := collectOften(tightGarbage)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { collectOften(tightGarbage)() })
	}
	all.Wait()
	if p := now(); p != tightGarbage {
		t.Errorf("%d per cent while notes are read", p)
	}
	collectOften(ankiGarbage)()
	if p := now(); p != ankiGarbage {
		t.Errorf("%d per cent after a package was read meanwhile", p)
	}
	first()
	if p := now(); p != usual {
		t.Errorf("%d per cent afterwards", p)
	}
}
