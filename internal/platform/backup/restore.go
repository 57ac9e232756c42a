package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"

	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// Target is the empty store that is filled. Database is what store.Open is given; Blobs is asked for when the backup is
// found whole, and the database is made only then.
type Target struct {
	Database string
	Blobs    func() (blob.Store, error)
	Clock    clock.Clock
	// Digest is that of the manifest, where it is known; "" takes any.
	Digest string
}

// CheckFile checks a backup in a file.
func CheckFile(ctx context.Context, path string, keys []age.Identity, progress Progress) (r Report, err error) {
	err = open(path, func(file io.Reader) error {
		r, err = Check(ctx, file, keys)
		return err
	}, "checking", progress)
	return r, err
}

// FromFile fills an empty store from a backup. The file is read twice: nothing is touched before it is known to be whole,
// and the rows are committed only when it was the same the second time. The store is at the backup's schema
// afterwards and has no search index.
func (t Target) FromFile(ctx context.Context, path string, keys []age.Identity, progress Progress) (Report, error) {
	whole, err := CheckFile(ctx, path, keys, progress)
	if err != nil {
		return whole, err
	}
	if t.Digest != "" && t.Digest != whole.Digest {
		return whole, damaged("its manifest has the digest %s, not the one that was asked for", whole.Digest)
	}
	if newest := store.NewestSchema(); whole.Head.Schema > newest {
		return whole, fmt.Errorf("the backup is at schema %d and this binary knows %d: %w", whole.Head.Schema, newest, store.ErrTooNew)
	}
	loader, err := store.OpenEmpty(ctx, t.Database, whole.Head.Schema, t.Clock)
	if err != nil {
		return whole, err
	}
	blobs, err := t.Blobs()
	if err == nil {
		err = loader.Load(ctx, func(into *store.Loading) error {
			return open(path, func(file io.Reader) error { return t.load(ctx, file, keys, into, blobs, whole) }, "restoring", progress)
		})
	}
	return whole, errors.Join(err, loader.Close())
}

func (t Target) load(ctx context.Context, file io.Reader, keys []age.Identity, into *store.Loading, blobs blob.Store, whole Report) error {
	placing := newPlacer(ctx, blobs)
	defer placing.wait() //nolint:errcheck // whoever got here without waiting has an error already
	again, err := read(ctx, file, keys, visitor{
		table: into.Table,
		row:   into.Row,
		blob:  placing.put,
		end: func(m Manifest) error {
			if err := placing.wait(); err != nil {
				return err
			}
			for _, digest := range m.Blobs.Gone {
				if err := into.DropDrafts(digest); err != nil {
					return err
				}
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	return same(whole, again)
}

// open reads a file and tells how far it is.
func open(path string, f func(io.Reader) error, what string, progress Progress) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read %s", path)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return f(&measured{r: file, total: info.Size(), what: what, progress: progress})
}

// measured tells how much of a file is read.
type measured struct {
	r           io.Reader
	done, total int64
	what        string
	progress    Progress
}

// Read reads.
func (m *measured) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.done += int64(n)
	m.progress.tell(m.what, m.done, m.total)
	return n, err
}
