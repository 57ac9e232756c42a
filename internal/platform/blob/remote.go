package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
)

// remote reads a blob in an object store: in order by one streamed answer from wherever it is told to, which is begun again
// where it broke off, and at random places out of a copy on this machine, whose digest has been checked.
type remote struct {
	store  *S3
	ctx    context.Context
	digest string
	size   int64

	at     int64 // where the next Read begins
	body   io.ReadCloser
	cancel context.CancelFunc // of body

	once   sync.Once
	copied *os.File
	failed error // of the copy
}

// Size implements Reader.
func (r *remote) Size() int64 { return r.size }

// Read implements io.Reader. An answer that stands still for as long as a call may take is begun again.
func (r *remote) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if r.at >= r.size {
		return 0, io.EOF
	}
	var err error
	for range tries {
		if err = r.begin(); err != nil {
			return 0, err // the call was tried several times already
		}
		watch := time.AfterFunc(r.store.at.Timeout, r.cancel)
		var n int
		n, err = r.body.Read(p)
		watch.Stop()
		if n > 0 {
			r.at += int64(n)
			if err != nil {
				r.end()
			}
			return n, nil
		}
		if err == nil {
			continue
		}
		r.end()
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // there is more
		}
	}
	return 0, trouble(r.ctx, err)
}

// begin asks for the bytes from here on, unless they are on their way.
func (r *remote) begin() error {
	if r.body != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(r.ctx)
	watch := time.AfterFunc(r.store.at.Timeout, cancel)
	defer watch.Stop()
	var o minio.GetObjectOptions
	if r.at > 0 {
		if err := o.SetRange(r.at, r.size-1); err != nil {
			cancel()
			return err
		}
	}
	body, _, _, err := r.store.core.GetObject(ctx, r.store.at.Bucket, r.store.name(r.digest), o)
	if err != nil {
		cancel()
		return trouble(r.ctx, err)
	}
	r.body, r.cancel = body, cancel
	return nil
}

func (r *remote) end() {
	if r.body != nil {
		r.cancel()
		r.body.Close()
		r.body = nil
	}
}

// Seek implements io.Seeker.
func (r *remote) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	}
	if offset < 0 {
		return 0, errors.New("blob: a place before the first byte")
	}
	if offset != r.at {
		r.end()
		r.at = offset
	}
	return offset, nil
}

// ReadAt implements io.ReaderAt.
func (r *remote) ReadAt(p []byte, off int64) (int, error) {
	r.once.Do(func() { r.copied, r.failed = r.fetch() })
	if r.failed != nil {
		return 0, r.failed
	}
	return r.copied.ReadAt(p, off)
}

// fetch copies the blob to this machine.
func (r *remote) fetch() (*os.File, error) {
	file, err := os.CreateTemp(r.store.staging, "get-*")
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	sum := sha256.New()
	whole := &remote{store: r.store, ctx: r.ctx, digest: r.digest, size: r.size}
	_, err = io.Copy(io.MultiWriter(file, sum), whole)
	_ = whole.Close() // it was only read
	if err == nil && hex.EncodeToString(sum.Sum(nil)) != r.digest {
		err = fmt.Errorf("blob: %s holds bytes of another digest", r.digest)
	}
	if err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	return file, nil
}

// Close implements io.Closer.
func (r *remote) Close() error {
	r.end()
	if r.copied != nil {
		r.copied.Close()
		os.Remove(r.copied.Name())
	}
	return nil
}
