package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
)

const (
	movePage  = 20_000 // digests held at a time
	moveAside = 8      // blobs being moved at a time
)

// blobs reads every blob that the target's rows name on both sides, and copies what the target does not have, or not right.
func (m *moving) blobs(target *store.Store) error {
	total, err := target.CountNamedBlobs(m.ctx)
	if err != nil {
		return err
	}
	list := newListing()
	var done int64
	for after := ""; ; {
		page, err := target.NamedBlobs(m.ctx, after, movePage)
		if err != nil {
			return err
		}
		seen, err := m.page(page, func() {
			done++
			m.progress.tell("packages", done, max(done, total))
		})
		if err != nil {
			return err
		}
		for i, b := range seen {
			switch after = page[i]; b.is {
			case equal, copied:
				list.add(after, b.size)
			case gone:
				list.Gone = append(list.Gone, after)
			case missing:
				list.Missing = append(list.Missing, after)
			case rotten:
				list.Damaged = append(list.Damaged, after)
			}
		}
		if len(page) < movePage {
			break
		}
	}
	m.Moved.Blobs.BlobSum = list.done()
	if len(list.Gone) > 0 {
		return fmt.Errorf("%w: %d of them", ErrChanged, len(list.Gone))
	}
	return nil
}

// blobState is how a blob was found by the check.
type blobState struct {
	is   int
	size int64
}

const (
	none    = iota // a row without a package
	equal          // on both sides
	copied         // and was not, before
	gone           // its owner deleted it
	missing        // from the source
	rotten         // in the source
)

// page moves some blobs, several at a time.
func (m *moving) page(digests []string, tell func()) ([]blobState, error) {
	seen := make([]blobState, len(digests))
	var mu sync.Mutex
	all, ctx := errgroup.WithContext(m.ctx)
	all.SetLimit(moveAside)
	for i, digest := range digests {
		if len(digest) != 2*sha256.Size {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		all.Go(func() (err error) {
			seen[i], err = m.one(ctx, digest)
			mu.Lock()
			defer mu.Unlock()
			if seen[i].is == copied {
				m.Moved.Blobs.Copied++
			}
			tell()
			return err
		})
	}
	return seen, errors.Join(all.Wait(), m.ctx.Err())
}

// one compares a blob on both sides, after it was copied where that was needed.
func (m *moving) one(ctx context.Context, digest string) (blobState, error) {
	size, right, err := hashed(ctx, m.To, digest)
	if err != nil && !errors.Is(err, blob.ErrNotFound) {
		return blobState{}, err
	}
	if right {
		_, right, err := hashed(ctx, m.Move.Blobs, digest)
		switch {
		case errors.Is(err, blob.ErrNotFound):
			return m.lost(ctx, digest, blobState{equal, size})
		case err == nil && !right:
			return blobState{is: rotten}, nil
		}
		return blobState{equal, size}, err
	}
	size, right, err = blob.CopyOne(ctx, m.Move.Blobs, m.To, digest)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return m.lost(ctx, digest, blobState{is: gone})
	case err != nil:
		return blobState{}, err
	case !right:
		return blobState{is: rotten}, nil
	}
	if _, right, err = hashed(ctx, m.To, digest); err == nil && !right {
		err = fmt.Errorf("%w in the package %s", ErrDiffers, digest)
	}
	return blobState{copied, size}, err
}

// lost is a blob that the source does not have: deleted since the rows were read, or missing.
func (m *moving) lost(ctx context.Context, digest string, deleted blobState) (blobState, error) {
	used, err := m.Store.BlobInUse(ctx, digest)
	if used {
		return blobState{is: missing}, err
	}
	return deleted, err
}

// hashed reads a blob whole. size is in bytes.
func hashed(ctx context.Context, in blob.Store, digest string) (size int64, right bool, err error) {
	file, err := in.Open(ctx, digest)
	if err != nil {
		return 0, false, err
	}
	defer file.Close()
	sum := sha256.New()
	if size, err = io.Copy(sum, file); err != nil {
		return 0, false, fmt.Errorf("the package %s cannot be read: %w", digest, err)
	}
	return size, hex.EncodeToString(sum.Sum(nil)) == digest, nil
}
