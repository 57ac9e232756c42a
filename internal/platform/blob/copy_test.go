package blob_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"stoa/internal/platform/blob"
	"stoa/internal/s3test"
)

// A copy into an object store and back gives the same blobs, goes on where it was interrupted, and leaves damaged ones out.
func TestCopy(t *testing.T) {
	dir := t.TempDir()
	here, err := blob.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	var digests []string
	for i := range 40 {
		digests = append(digests, put(t, here, fmt.Sprintf("blob number %d", i)))
	}
	server := s3test.Start(t)
	proxy := server.Proxy(t)
	there := server.Blobs(t, proxy.Endpoint, "copy", t.TempDir(), time.Second)
	var interrupted int
	_, err = blob.Copy(t.Context(), here, there, func(c blob.Copied) {
		if interrupted = c.Copied; c.Copied == 10 {
			proxy.Fail(s3test.Error, -1)
		}
	})
	unavailable(t, err)
	proxy.Fail(s3test.None, 0)
	if interrupted < 10 || interrupted == len(digests) {
		t.Fatalf("interrupted after %d", interrupted)
	}
	damaged := digests[0]
	if err := there.Remove(t.Context(), damaged); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, damaged[:2], damaged[2:4], damaged)
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := blob.Copy(t.Context(), here, there, nil)
	if err != nil || done.Blobs != len(digests) || done.There < 9 || done.There+done.Copied != len(digests)-1 || !slices.Equal(done.Damaged, []string{damaged}) {
		t.Errorf("%+v: %v", done, err)
	}
	if has(t, there, damaged) {
		t.Error("the damaged one was copied")
	}
	back, err := blob.OpenFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if done, err = blob.Copy(t.Context(), there, back, nil); err != nil || done.Copied != len(digests)-1 || len(done.Damaged) > 0 {
		t.Errorf("back: %+v: %v", done, err)
	}
	for _, digest := range digests[1:] {
		if err := back.Verify(t.Context(), digest); err != nil {
			t.Error(err)
		}
	}
}
