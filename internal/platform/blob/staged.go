package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
)

// Staged are bytes on their way in: a temporary file that can be read while it is not yet a blob.
// Whoever stages must Discard in the end; after Keep that does nothing.
type Staged struct {
	file *os.File
	sum  hash.Hash
	size int64
	keep func(ctx context.Context, s *Staged, digest string) error // makes a blob of the file
}

// Stage implements Store.
func (f *Folder) Stage() (*Staged, error) { return stage(f.tmp(), f.keep) }

func stage(dir string, keep func(context.Context, *Staged, string) error) (*Staged, error) {
	file, err := os.CreateTemp(dir, "put-*")
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &Staged{file: file, sum: sha256.New(), keep: keep}, nil
}

func (f *Folder) keep(_ context.Context, s *Staged, digest string) error {
	if err := s.file.Sync(); err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	return f.place(s.file.Name(), digest)
}

// Write appends.
func (s *Staged) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	s.sum.Write(p[:n])
	s.size += int64(n)
	return n, err
}

// ReadAt reads what has been written.
func (s *Staged) ReadAt(p []byte, off int64) (int, error) { return s.file.ReadAt(p, off) }

// Size is how much has been written, in bytes.
func (s *Staged) Size() int64 { return s.size }

// Digest is the SHA-256 of what has been written, in lower-case hex.
func (s *Staged) Digest() string { return hex.EncodeToString(s.sum.Sum(nil)) }

// Keep makes a blob of the bytes. When it returns without an error, they and their name are durable.
func (s *Staged) Keep(ctx context.Context) (digest string, size int64, err error) {
	digest = s.Digest()
	return digest, s.size, s.keep(ctx, s, digest)
}

// Discard closes and removes the temporary file, if it is still there.
func (s *Staged) Discard() {
	s.file.Close()
	os.Remove(s.file.Name()) // gone already when it was kept
}
