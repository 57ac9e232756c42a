package backup

import (
	"bytes"
	"context"
	"io"
	"sync"

	"stoa/internal/platform/blob"
)

const (
	placers   = 16      // blobs being synced at a time: a disk syncs many for little more than one
	smallBlob = 1 << 20 // larger ones are written as they are read
)

// placer puts blobs into their place, the small ones side by side.
type placer struct {
	ctx   context.Context // of the restore: what is placed side by side ends with it
	blobs blob.Store
	room  chan struct{}
	all   sync.WaitGroup

	mu  sync.Mutex
	err error // the first
}

func newPlacer(ctx context.Context, blobs blob.Store) *placer {
	return &placer{ctx: ctx, blobs: blobs, room: make(chan struct{}, placers)}
}

// put takes the bytes of a blob. They are on disk when wait has answered nil.
func (p *placer) put(digest string, r io.Reader) error {
	if err := p.failed(nil); err != nil {
		return err
	}
	start, err := io.ReadAll(io.LimitReader(r, smallBlob+1))
	if err != nil {
		return err
	}
	if len(start) > smallBlob {
		return p.place(digest, io.MultiReader(bytes.NewReader(start), r))
	}
	p.room <- struct{}{}
	p.all.Go(func() {
		defer func() { <-p.room }()
		_ = p.failed(p.place(digest, bytes.NewReader(start)))
	})
	return nil
}

func (p *placer) place(digest string, r io.Reader) error {
	kept, _, err := p.blobs.Put(p.ctx, r)
	if err == nil && kept != digest {
		return damaged("the package %s is not what was written", digest)
	}
	return err
}

// failed keeps the first error and gives it.
func (p *placer) failed(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	return p.err
}

// wait ends when everything is on disk, or something is not.
func (p *placer) wait() error {
	p.all.Wait()
	return p.failed(nil)
}
