package blob

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFolderSeesChangedBytes(t *testing.T) {
	f, _ := OpenFolder(t.TempDir())
	digest, _, err := f.Put(t.Context(), strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path(digest), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(t.Context(), digest); err == nil {
		t.Error("Verify did not see changed bytes")
	}
}

func TestFolderLeavesNothingOfAFailedPut(t *testing.T) {
	f, _ := OpenFolder(t.TempDir())
	if _, _, err := f.Put(t.Context(), iotest.ErrReader(errors.New("gone"))); err == nil {
		t.Fatal("Put succeeded")
	}
	left, _ := os.ReadDir(f.tmp())
	if len(left) != 0 {
		t.Errorf("left %v", left)
	}
}
