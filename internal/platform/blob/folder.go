package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder keeps blobs as files in a folder, two levels deep by digest.
type Folder struct{ root string }

// OpenFolder makes the folder when it is not there and checks that it can be written.
func OpenFolder(root string) (*Folder, error) {
	f := &Folder{root: root}
	if err := os.MkdirAll(f.tmp(), 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	// A folder that was there may be open to others; one of another user stays as it is.
	if err := os.Chmod(root, 0o700); err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return f, f.Check(context.Background())
}

// Put reads r to its end and keeps it. When it returns, the bytes and their name are on disk.
// digest is the SHA-256 in lower-case hex, size in bytes.
func (f *Folder) Put(ctx context.Context, r io.Reader) (digest string, size int64, err error) {
	return put(ctx, f, r)
}

func put(ctx context.Context, f Store, r io.Reader) (digest string, size int64, err error) {
	staged, err := f.Stage()
	if err != nil {
		return "", 0, err
	}
	defer staged.Discard()
	if _, err := io.Copy(staged, r); err != nil {
		return "", 0, fmt.Errorf("blob: %w", err)
	}
	return staged.Keep(ctx)
}

// place gives a finished temporary file its name and makes the name durable.
func (f *Folder) place(tmp, digest string) error {
	path := f.path(digest)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	// The entry itself and the two folders above it may be new.
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path)), f.root} {
		if err := syncDir(dir); err != nil {
			return fmt.Errorf("blob: %w", err)
		}
	}
	return nil
}

// Open gives the bytes of a blob; the caller closes it.
func (f *Folder) Open(_ context.Context, digest string) (Reader, error) {
	if !digestPattern.MatchString(digest) {
		return nil, ErrNotFound
	}
	file, err := os.Open(f.path(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &local{file, info.Size()}, nil
}

// Has tells whether the blob is there.
func (f *Folder) Has(_ context.Context, digest string) (bool, error) {
	if !digestPattern.MatchString(digest) {
		return false, nil
	}
	_, err := os.Stat(f.path(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("blob: %w", err)
	}
	return true, nil
}

// Verify reads a blob whole and compares it with its digest.
func (f *Folder) Verify(ctx context.Context, digest string) error { return verify(ctx, f, digest) }

func verify(ctx context.Context, s Store, digest string) error {
	file, err := s.Open(ctx, digest)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != digest {
		return fmt.Errorf("blob: %s holds bytes of digest %s", digest, got)
	}
	return nil
}

// Check writes and removes a small file, to learn whether the folder can be written now.
func (f *Folder) Check(context.Context) error {
	tmp, err := os.CreateTemp(f.tmp(), "check-*")
	if err != nil {
		return fmt.Errorf("blob: the folder cannot be written: %w", err)
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	if _, err := tmp.Write([]byte("ok")); err != nil {
		return fmt.Errorf("blob: the folder cannot be written: %w", err)
	}
	return nil
}

func (f *Folder) tmp() string { return filepath.Join(f.root, "tmp") }

func (f *Folder) path(digest string) string {
	return filepath.Join(f.root, digest[:2], digest[2:4], digest)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
