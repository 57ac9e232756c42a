package blob

import (
	"bytes"
	"os"
	"sync"
	"testing"
	"time"
)

func has(t *testing.T, s Store, digest string) bool {
	t.Helper()
	there, err := s.Has(t.Context(), digest)
	if err != nil {
		t.Error(err)
	}
	return there
}

// A blob that is written again while it is swept stays, whichever comes first.
func TestRemoveOldSparesWhatIsWrittenAgain(t *testing.T) {
	f, err := OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("the same bytes again")
	put := func() string {
		digest, _, err := f.Put(t.Context(), bytes.NewReader(text))
		if err != nil {
			t.Error(err)
		}
		return digest
	}
	digest := put()
	now := time.Now()
	if removed, err := f.RemoveOld(t.Context(), digest, now.Add(-time.Hour)); removed || err != nil || !has(t, f, digest) {
		t.Fatalf("it is new: %v %v", removed, err)
	}
	for range 200 {
		old := now.Add(-2 * time.Hour)
		if err := os.Chtimes(f.path(digest), old, old); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		both.Go(func() { put() })
		both.Go(func() {
			if _, err := f.RemoveOld(t.Context(), digest, now.Add(-time.Hour)); err != nil {
				t.Error(err)
			}
		})
		both.Wait()
		if err := f.Verify(t.Context(), digest); err != nil {
			t.Fatal(err)
		}
	}
	old := now.Add(-2 * time.Hour)
	if err := os.Chtimes(f.path(digest), old, old); err != nil {
		t.Fatal(err)
	}
	if removed, err := f.RemoveOld(t.Context(), digest, now.Add(-time.Hour)); !removed || err != nil || has(t, f, digest) {
		t.Errorf("it is old: %v %v", removed, err)
	}
	if removed, err := f.RemoveOld(t.Context(), digest, now); removed || err != nil {
		t.Errorf("it is gone: %v %v", removed, err)
	}
	left, err := os.ReadDir(f.tmp())
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left behind, %v", len(left), err)
	}
}
