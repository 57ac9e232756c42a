package blob_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"stoa/internal/platform/blob"
	"stoa/internal/s3test"
)

// each runs a test on both stores.
func each(t *testing.T, test func(t *testing.T, s blob.Store)) {
	t.Run("folder", func(t *testing.T) {
		f, err := blob.OpenFolder(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		test(t, f)
	})
	t.Run("s3", func(t *testing.T) { test(t, s3test.Start(t).Blobs(t, "", "a/prefix", t.TempDir(), 0)) })
}

func put(t *testing.T, s blob.Store, text string) string {
	t.Helper()
	digest, size, err := s.Put(t.Context(), strings.NewReader(text))
	if err != nil || size != int64(len(text)) {
		t.Fatalf("Put: %d bytes, %v", size, err)
	}
	return digest
}

func has(t *testing.T, s blob.Store, digest string) bool {
	t.Helper()
	there, err := s.Has(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	return there
}

func TestStoresKeepBytesByDigest(t *testing.T) {
	each(t, func(t *testing.T, s blob.Store) {
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		digest := put(t, s, "hello")
		if digest != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
			t.Errorf("digest %s", digest)
		}
		if again := put(t, s, "hello"); again != digest {
			t.Errorf("the second time %s", again)
		}
		if empty := put(t, s, ""); s.Verify(t.Context(), empty) != nil {
			t.Error("the empty blob")
		}
		file, err := s.Open(t.Context(), digest)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if got, err := io.ReadAll(file); err != nil || string(got) != "hello" || file.Size() != 5 {
			t.Errorf("read %q of %d: %v", got, file.Size(), err)
		}
		if !has(t, s, digest) || has(t, s, strings.Repeat("0", 64)) {
			t.Error("Has")
		}
		if err := s.Verify(t.Context(), digest); err != nil {
			t.Error(err)
		}
		if err := s.Remove(t.Context(), digest); err != nil || has(t, s, digest) {
			t.Errorf("Remove: %v", err)
		}
		if err := s.Remove(t.Context(), digest); err != nil {
			t.Errorf("Remove again: %v", err)
		}
		if _, err := s.Open(t.Context(), digest); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("Open of what is gone: %v", err)
		}
	})
}

func TestStoresReadFromAnyPlace(t *testing.T) {
	content := make([]byte, 3<<20+17)
	rand.Read(content)
	each(t, func(t *testing.T, s blob.Store) {
		digest := put(t, s, string(content))
		file, err := s.Open(t.Context(), digest)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := iotest.TestReader(io.NewSectionReader(file, 1<<20, 3000), content[1<<20:1<<20+3000]); err != nil {
			t.Error(err)
		}
		for _, at := range []int64{0, 1, 1 << 20, 3<<20 + 16, 5} {
			if now, err := file.Seek(at, io.SeekStart); err != nil || now != at {
				t.Fatalf("Seek(%d) = %d, %v", at, now, err)
			}
			part := make([]byte, min(70_000, int64(len(content))-at))
			if _, err := io.ReadFull(file, part); err != nil || !bytes.Equal(part, content[at:at+int64(len(part))]) {
				t.Errorf("other bytes from %d on: %v", at, err)
			}
		}
		if end, err := file.Seek(0, io.SeekEnd); err != nil || end != int64(len(content)) {
			t.Errorf("the end is at %d: %v", end, err)
		}
		if _, err := file.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %v", err)
		}
		if _, err := file.Seek(-1, io.SeekStart); err == nil {
			t.Error("a place before the start")
		}
	})
}

func TestStoresRefuseNamesThatAreNoDigests(t *testing.T) {
	each(t, func(t *testing.T, s blob.Store) {
		for _, name := range []string{"", "..", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("a", 63)} {
			if _, err := s.Open(t.Context(), name); !errors.Is(err, blob.ErrNotFound) {
				t.Errorf("Open(%q) = %v", name, err)
			}
			if has(t, s, name) {
				t.Errorf("Has(%q)", name)
			}
		}
	})
}

func TestStoresSweepByAge(t *testing.T) {
	each(t, func(t *testing.T, s blob.Store) {
		one, two := put(t, s, "one"), put(t, s, "two")
		seen := func(before time.Time) (all []string) {
			if err := s.Each(t.Context(), before, func(digest string) error {
				all = append(all, digest)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(all)
			return all
		}
		past, future := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
		if all := seen(past); len(all) != 0 {
			t.Errorf("new ones are shown: %v", all)
		}
		want := []string{one, two}
		slices.Sort(want)
		if all := seen(future); !slices.Equal(all, want) {
			t.Errorf("%v, want %v", all, want)
		}
		if removed, err := s.RemoveOld(t.Context(), one, past); removed || err != nil || !has(t, s, one) {
			t.Errorf("a new one: %v %v", removed, err)
		}
		// An object store sets it aside first and removes it when it is old there.
		for range 2 {
			if err := s.Each(t.Context(), future, func(digest string) error {
				if digest == one {
					_, err := s.RemoveOld(t.Context(), one, future)
					return err
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if has(t, s, one) || !has(t, s, two) {
			t.Error("not the old one alone is gone")
		}
		stop := errors.New("stop")
		if err := s.Each(t.Context(), future, func(string) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("Each goes on: %v", err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Each(ended, future, func(string) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("Each of a caller who has gone: %v", err)
		}
	})
}

func TestStoresLeaveNothingOfAFailedPut(t *testing.T) {
	dir := t.TempDir()
	s := s3test.Start(t).Blobs(t, "", "", dir, 0)
	if _, _, err := s.Put(t.Context(), iotest.ErrReader(errors.New("gone"))); err == nil {
		t.Fatal("Put succeeded")
	}
	digest := put(t, s, "hello")
	file, err := s.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.ReadAt(make([]byte, 2), 1); err != nil {
		t.Fatal(err)
	}
	file.Close()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	if _, err := s.Stage(); err != nil {
		t.Fatal(err)
	}
	if n, err := s.SweepTemporary(time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
}
