package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// Source is what is backed up. The store may be at an older schema and may be written meanwhile.
type Source struct {
	Store   *store.Store
	Blobs   blob.Store
	Clock   clock.Clock
	Version string // of this program
}

// Write writes a backup to w, encrypted when there are recipients. Rows are those of one moment, which is after the call
// began. scratch is a folder for a list of digests.
func (s Source) Write(ctx context.Context, w io.Writer, to []age.Recipient, scratch string, progress Progress) (Report, error) {
	if len(to) > 0 {
		sealed, err := age.Encrypt(w, to...)
		if err != nil {
			return Report{}, err
		}
		r, err := s.compressed(ctx, sealed, scratch, progress)
		if err != nil {
			return r, err
		}
		return r, sealed.Close()
	}
	return s.compressed(ctx, w, scratch, progress)
}

func (s Source) compressed(ctx context.Context, w io.Writer, scratch string, progress Progress) (Report, error) {
	z, err := zstd.NewWriter(w)
	if err != nil {
		return Report{}, err
	}
	writing := &writing{Source: s, ctx: ctx, tar: tar.NewWriter(z), progress: progress}
	err = writing.all(scratch)
	if err == nil {
		err = writing.tar.Close()
	}
	if closing := z.Close(); err == nil { // also ends its goroutines
		err = closing
	}
	return writing.Report, err
}

// writing is a backup on its way.
type writing struct {
	Source
	Report
	ctx      context.Context
	tar      *tar.Writer
	progress Progress
	buffer   bytes.Buffer
}

func (w *writing) all(scratch string) error {
	digests, err := os.CreateTemp(scratch, ".stoa-digests-*")
	if err != nil {
		return err
	}
	defer os.Remove(digests.Name())
	defer digests.Close()
	named, err := w.rowsOf(digests)
	if err != nil {
		return err
	}
	if _, err := digests.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.blobs(bufio.NewReader(digests), named); err != nil {
		return err
	}
	text, err := json.MarshalIndent(w.Manifest, "", " ")
	if err != nil {
		return err
	}
	w.Digest, w.Rows = digestOf(text), w.Manifest.rows()
	return errors.Join(w.member(manifestName, text), w.member(sealName, []byte(w.Digest+"\n")))
}

// rowsOf writes the head and the rows, and lists the blobs that they name. The snapshot ends with it: blobs never
// change, and copying them may take long.
func (w *writing) rowsOf(digests io.Writer) (named int64, err error) {
	v, err := w.Store.Snapshot(w.ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	w.Head = Head{Format: Format, Version: w.Version, Engine: v.Engine, Schema: v.Schema, TakenAt: w.Clock().UTC(), Tables: v.Tables}
	if v.Head.Seq > 0 {
		w.Manifest.Audit = &v.Head
	}
	text, err := json.MarshalIndent(w.Head, "", " ")
	if err != nil {
		return 0, err
	}
	w.Manifest.Head = digestOf(text)
	if err := w.member(headName, text); err != nil {
		return 0, err
	}
	for _, t := range v.Tables {
		if err := w.table(v, t); err != nil {
			return 0, err
		}
	}
	list := bufio.NewWriter(digests)
	err = v.Blobs(w.ctx, func(digest string) error {
		if len(digest) != 2*sha256.Size {
			return nil // a row without a package
		}
		named++
		_, err := list.WriteString(digest + "\n")
		return err
	})
	return named, errors.Join(err, list.Flush())
}

func (w *writing) table(v *store.Snapshot, t sqldb.Table) error {
	before := w.Manifest.rows()
	sum, err := eachPart(w.ctx, v, t, func(sum TableSum, part []byte) error {
		w.progress.tell("rows", before+sum.Rows, 0)
		return w.member(partName(t.Name, sum.Parts), part)
	})
	w.Manifest.Tables = append(w.Manifest.Tables, sum)
	return err
}

// eachPart hands the rows of a table to each, some at a time, with the sum so far; its digest is in the last sum alone.
func eachPart(ctx context.Context, v *store.Snapshot, t sqldb.Table, each func(soFar TableSum, part []byte) error) (TableSum, error) {
	sum := newTableSum(t.Name)
	var part bytes.Buffer
	flush := func() error {
		if part.Len() == 0 {
			return nil
		}
		sum.Parts++
		sum.Bytes += int64(part.Len())
		sum.sum.Write(part.Bytes())
		err := each(sum.TableSum, part.Bytes())
		part.Reset()
		return err
	}
	err := v.Rows(ctx, t, func(line []byte) error {
		part.Write(line)
		part.WriteByte('\n')
		sum.Rows++
		if part.Len() >= partBytes {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	return sum.done(), err
}

func (w *writing) member(name string, text []byte) error {
	if err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: int64(len(text)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := w.tar.Write(text)
	return err
}

func (w *writing) blobs(digests *bufio.Reader, named int64) error {
	list := newListing()
	for done := int64(1); ; done++ {
		line, err := digests.ReadString('\n')
		if errors.Is(err, io.EOF) {
			w.Manifest.Blobs = list.done()
			return nil
		}
		if err == nil {
			err = w.ctx.Err()
		}
		if err == nil {
			err = w.blob(strings.TrimSuffix(line, "\n"), list)
		}
		if err != nil {
			return err
		}
		w.progress.tell("packages", done, named)
	}
}

// blob copies a blob, or notes why it cannot be.
func (w *writing) blob(digest string, list *listing) error {
	file, err := w.Blobs.Open(w.ctx, digest)
	if errors.Is(err, blob.ErrNotFound) {
		used, err := w.Store.BlobStillInUse(w.ctx, digest)
		if err != nil {
			return err
		}
		if used {
			list.Missing = append(list.Missing, digest)
		} else {
			list.Gone = append(list.Gone, digest)
		}
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	size := file.Size()
	if size > blobBuffer {
		return w.largeBlob(digest, file, size, list)
	}
	w.buffer.Reset()
	if _, err := w.buffer.ReadFrom(io.LimitReader(file, blobBuffer+1)); err != nil {
		return err
	}
	if digestOf(w.buffer.Bytes()) != digest {
		list.Damaged = append(list.Damaged, digest)
		return nil
	}
	list.add(digest, size)
	return w.member(blobName(digest), w.buffer.Bytes())
}

// largeBlob reads a blob twice: a tar says before a member's bytes that they are there.
func (w *writing) largeBlob(digest string, file io.ReadSeeker, size int64, list *listing) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != digest {
		list.Damaged = append(list.Damaged, digest)
		return nil
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: blobName(digest), Mode: 0o600, Size: size, Format: tar.FormatPAX}); err != nil {
		return err
	}
	sum.Reset()
	if _, err := io.Copy(io.MultiWriter(w.tar, sum), file); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != digest {
		return fmt.Errorf("the blob %s changed while it was read", digest)
	}
	list.add(digest, size)
	return nil
}

// ErrThere says that a file is there already.
var ErrThere = errors.New("it is there already")

// ToFile writes a backup to a file that only its owner can read. The file is there when it is whole and on disk, or not
// at all; one that is there already is replaced only when that is asked for.
func (s Source) ToFile(ctx context.Context, path string, replace bool, to []age.Recipient, progress Progress) (r Report, err error) {
	if _, err := os.Lstat(path); err == nil && !replace {
		return r, fmt.Errorf("cannot write %s: %w", path, ErrThere)
	}
	dir := filepath.Dir(path)
	file, err := os.CreateTemp(dir, ".stoa-backup-*")
	if err != nil {
		return r, fmt.Errorf("cannot write in %s: %w", dir, err)
	}
	defer os.Remove(file.Name()) // nothing is there under this name when all went well
	defer file.Close()
	buffered := bufio.NewWriterSize(file, 1<<20)
	if r, err = s.Write(ctx, buffered, to, dir, progress); err != nil {
		return r, err
	}
	if err := errors.Join(buffered.Flush(), file.Sync(), file.Close()); err != nil {
		return r, err
	}
	if replace {
		err = os.Rename(file.Name(), path)
	} else if err = os.Link(file.Name(), path); errors.Is(err, os.ErrExist) { // unlike a rename it never replaces
		return r, fmt.Errorf("cannot write %s: %w", path, ErrThere)
	} else if err != nil { // a file system without links
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return r, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return r, err
	}
	defer d.Close()
	return r, d.Sync()
}
