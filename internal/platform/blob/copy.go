package blob

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Copied says what a Copy did.
type Copied struct {
	Blobs   int      `json:"blobs"`   // that there are
	There   int      `json:"there"`   // that the target had already
	Copied  int      `json:"copied"`  // that were copied now
	Bytes   int64    `json:"bytes"`   // of those
	Damaged []string `json:"damaged"` // that are not what their digest says, and were left out
}

// copiesAtOnce is how many blobs are on their way at a time: an object store answers many calls at once faster.
const copiesAtOnce = 8

// Copy copies every blob of one store into another. Each is read whole and compared with its digest on the way. What the
// target has already is passed over, so a copy that was interrupted goes on when it is begun again. progress, unless nil,
// is told of every blob; not at once with itself.
func Copy(ctx context.Context, from, to Store, progress func(Copied)) (Copied, error) {
	out := Copied{Damaged: []string{}}
	seen := map[string]bool{}
	var mu sync.Mutex
	note := func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		change()
		if progress != nil {
			progress(out)
		}
	}
	all, copying := errgroup.WithContext(ctx)
	all.SetLimit(copiesAtOnce)
	// Also what is written now: a day covers whatever clocks say.
	err := from.Each(copying, time.Now().Add(24*time.Hour), func(digest string) error {
		if seen[digest] {
			return nil
		}
		seen[digest] = true
		all.Go(func() error {
			there, err := to.Has(copying, digest)
			if err != nil {
				return err
			}
			if there {
				note(func() { out.Blobs, out.There = out.Blobs+1, out.There+1 })
				return nil
			}
			size, same, err := CopyOne(copying, from, to, digest)
			if err != nil {
				return err
			}
			note(func() {
				out.Blobs++
				if !same {
					out.Damaged = append(out.Damaged, digest)
					return
				}
				out.Copied, out.Bytes = out.Copied+1, out.Bytes+size
			})
			return nil
		})
		return copying.Err()
	})
	if stopped := all.Wait(); stopped != nil {
		err = stopped // what Each says then is only that it was stopped
	}
	return out, err
}

// CopyOne copies a blob unless its bytes are not those of its digest. size is in bytes.
func CopyOne(ctx context.Context, from, to Store, digest string) (size int64, same bool, err error) {
	source, err := from.Open(ctx, digest)
	if err != nil {
		return 0, false, err
	}
	defer source.Close()
	staged, err := to.Stage()
	if err != nil {
		return 0, false, err
	}
	defer staged.Discard()
	if _, err := io.Copy(staged, source); err != nil {
		return 0, false, fmt.Errorf("blob: copying %s: %w", digest, err)
	}
	if staged.Digest() != digest {
		return 0, false, nil
	}
	_, size, err = staged.Keep(ctx)
	return size, err == nil, err
}
