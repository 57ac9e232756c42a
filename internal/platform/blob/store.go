package blob

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"time"
)

// Store keeps bytes by digest. Folder keeps them on this machine, S3 in an object store that several nodes share.
// A digest is a SHA-256 in lower-case hex. Where a store cannot be reached the error is service_unavailable and says
// when to try again; nothing that was answered without an error is lost.
type Store interface {
	// Stage begins an empty temporary file on this machine; Staged.Keep makes a blob of it.
	Stage() (*Staged, error)
	// Put reads r to its end and keeps it. When it returns, the bytes and their name are durable. size is in bytes.
	Put(ctx context.Context, r io.Reader) (digest string, size int64, err error)
	// Open gives the bytes of a blob, or ErrNotFound; the caller closes it. ctx bounds the reading too.
	Open(ctx context.Context, digest string) (Reader, error)
	// Has tells whether the blob is there.
	Has(ctx context.Context, digest string) (bool, error)
	// Verify reads a blob whole and compares it with its digest.
	Verify(ctx context.Context, digest string) error
	// Check learns whether the store can be written now.
	Check(ctx context.Context) error
	// Each hands the digest of every blob last written before a time to yield, in no order worth relying on; one may
	// come twice.
	Each(ctx context.Context, before time.Time, yield func(digest string) error) error
	// Remove removes a blob that nobody else can have named; it is no error when it is not there.
	Remove(ctx context.Context, digest string) error
	// RemoveOld removes a blob last written before a time. One that is written again meanwhile stays.
	RemoveOld(ctx context.Context, digest string, before time.Time) (removed bool, err error)
	// SweepTemporary removes temporary files of this machine that have not been written to since before: what is
	// left of uploads whose process ended. It tells how many.
	SweepTemporary(before time.Time) (n int, err error)
}

// Reader is an open blob.
type Reader interface {
	io.ReadSeekCloser
	io.ReaderAt
	// Size is how many bytes there are.
	Size() int64
}

// ErrNotFound says that no blob has this digest.
var ErrNotFound = errors.New("blob: not found")

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// OnDisk gives the file that a Reader reads, which the kernel can send without copying; nil when it is none.
func OnDisk(r Reader) *os.File {
	if l, ok := r.(*local); ok {
		return l.File
	}
	return nil
}

// local is a blob in a Folder.
type local struct {
	*os.File
	size int64
}

// Size implements Reader.
func (l *local) Size() int64 { return l.size }
