package submit

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"

	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
)

// A scan gives way to uploads, but not for ever.
func TestScansGiveWay(t *testing.T) {
	for name, c := range map[string]struct{ uploads, ended int }{
		"no upload": {0, 0}, "one that ends": {1, 1}, "two that end": {2, 2}, "one of two lasts": {2, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &Service{Service: &browse.Service{Inspections: core.NewFairQueue(1)}}
			patience, enough := context.WithTimeout(t.Context(), scanPatience)
			defer enough()
			for range c.uploads {
				a.uploadsInProgress.begin()
			}
			var read bytes.Buffer
			written := make(chan error, 1)
			go func() {
				_, err := (&yielding{a, t.Context(), patience, &read}).Write([]byte("block"))
				written <- err
			}()
			synctest.Wait()
			if waits := len(written) == 0; waits != (c.uploads > 0) {
				t.Fatalf("%s: waits %v", name, waits)
			}
			for range c.ended {
				a.uploadsInProgress.end()
			}
			synctest.Wait()
			if waits := len(written) == 0; waits != (c.ended < c.uploads) {
				t.Fatalf("%s: waits %v", name, waits)
			}
			if err := <-written; err != nil || read.String() != "block" { // time passes while everybody waits
				t.Errorf("%s: %q, %v", name, read.String(), err)
			}
		})
	}
}
