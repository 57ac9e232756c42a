package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// SweepTemporary removes temporary files that have not been written to since before: what is left of
// uploads whose process ended. It tells how many.
func (f *Folder) SweepTemporary(before time.Time) (n int, err error) {
	return sweepTemporary(f.tmp(), before)
}

func sweepTemporary(dir string, before time.Time) (n int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("blob: %w", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.ModTime().Before(before) {
			continue // gone, or in use
		}
		if os.Remove(filepath.Join(dir, e.Name())) == nil {
			n++
		}
	}
	return n, nil
}

// Each hands the digest of every blob last written before a time to yield, in order.
func (f *Folder) Each(ctx context.Context, before time.Time, yield func(digest string) error) error {
	return filepath.WalkDir(f.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err != nil {
			return fmt.Errorf("blob: %w", err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if d.IsDir() {
			if path == f.tmp() {
				return filepath.SkipDir
			}
			return nil
		}
		if !digestPattern.MatchString(d.Name()) {
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.ModTime().Before(before) {
			return nil //nolint:nilerr // gone, or just written
		}
		return yield(d.Name())
	})
}

// Remove removes a blob; it is no error when it is not there.
func (f *Folder) Remove(_ context.Context, digest string) error {
	if !digestPattern.MatchString(digest) {
		return ErrNotFound
	}
	if err := os.Remove(f.path(digest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: %w", err)
	}
	return nil
}

// RemoveOld removes a blob last written before a time. One that is written again meanwhile stays: the file
// is taken aside first and looked at there, where no upload can put a new one in its place.
func (f *Folder) RemoveOld(_ context.Context, digest string, before time.Time) (removed bool, err error) {
	if !digestPattern.MatchString(digest) {
		return false, ErrNotFound
	}
	aside := filepath.Join(f.tmp(), "aside-"+rand.Text())
	if err := os.Rename(f.path(digest), aside); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("blob: %w", err)
	}
	info, err := os.Stat(aside)
	if err != nil {
		return false, fmt.Errorf("blob: %w", err)
	}
	if info.ModTime().Before(before) {
		if err := os.Remove(aside); err != nil {
			return false, fmt.Errorf("blob: %w", err)
		}
		return true, nil
	}
	return false, f.place(aside, digest) // the same bytes as whatever took the name meanwhile
}
