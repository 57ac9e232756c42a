package notebook

import (
	"runtime/debug"
	"strings"
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
	first := CollectOften(TightGarbage)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { CollectOften(TightGarbage)() })
	}
	all.Wait()
	if p := now(); p != TightGarbage {
		t.Errorf("%d per cent while notes are read", p)
	}
	CollectOften(AnkiGarbage)()
	if p := now(); p != AnkiGarbage {
		t.Errorf("%d per cent after a package was read meanwhile", p)
	}
	first()
	if p := now(); p != usual {
		t.Errorf("%d per cent afterwards", p)
	}
}

// A request of a MiB with nothing but short sections took 350 MiB: what it needs follows from its sections more than from its letters.
func TestManyShortSectionsAreALargeRequest(t *testing.T) {
	section := "# a\n\n"
	in := IngestInput{Documents: []IngestDocument{{Content: strings.Repeat(section, 25_000)}}}
	in.Operations = []IngestOperation{{Document: in.Documents[0]}}
	if w := in.Weight(); w < LargeNotes {
		t.Errorf("50,000 sections weigh %d", w)
	}
	in = IngestInput{Documents: []IngestDocument{{Content: strings.Repeat("A line that somebody wrote, as long as most.\n", 20_000)}}}
	if w := in.Weight(); w >= LargeNotes {
		t.Errorf("a MiB of prose weighs %d", w)
	}
}
