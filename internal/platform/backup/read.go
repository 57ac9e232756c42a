package backup

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"

	"stoa/internal/platform/store/sqldb"
)

// Errors of whoever opens a backup.
var (
	ErrEncrypted   = errors.New("the backup is encrypted: give the key with --identity")
	ErrWrongKey    = errors.New("the backup is not encrypted to this key")
	ErrNoBackup    = errors.New("this is no backup of stoa")
	ErrNewerFormat = errors.New("the backup was made by a newer stoa: use that one")
)

// visitor is told what is in a backup, in order. What it is told is not yet proven: only when the reading ends without
// an error is the backup whole.
type visitor struct {
	head  func(Head) error
	table func(sqldb.Table) error
	row   func(line []byte) error
	blob  func(digest string, r io.Reader) error
	// end comes when everything was read and found whole.
	end func(Manifest) error
}

// Check reads a backup to its end and compares everything with the digests in it.
func Check(ctx context.Context, r io.Reader, keys []age.Identity) (Report, error) {
	return read(ctx, r, keys, visitor{})
}

func read(ctx context.Context, r io.Reader, keys []age.Identity, v visitor) (Report, error) {
	buffered := bufio.NewReaderSize(r, 1<<20)
	start, _ := buffered.Peek(32)
	var in io.Reader = buffered
	if bytes.HasPrefix(start, []byte("age-encryption.org/")) {
		if len(keys) == 0 {
			return Report{}, ErrEncrypted
		}
		plain, err := age.Decrypt(buffered, keys...)
		var none *age.NoIdentityMatchError
		if errors.As(err, &none) {
			return Report{}, ErrWrongKey
		}
		if err != nil {
			return Report{}, damaged("%v", err)
		}
		in = plain
	} else if !bytes.HasPrefix(start, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return Report{}, ErrNoBackup
	}
	z, err := zstd.NewReader(in, zstd.WithDecoderMaxMemory(128<<20))
	if err != nil {
		return Report{}, err
	}
	defer z.Close()
	reading := &reading{ctx: ctx, tar: tar.NewReader(z), v: v, list: newListing()}
	if err := reading.all(); err != nil {
		return reading.Report, reading.explain(err)
	}
	// What follows the tar: the end of the compression and of the encryption, which would tell of bytes cut off.
	if n, err := io.Copy(io.Discard, z); err != nil || n > 64<<10 {
		return reading.Report, damaged("it does not end where it should")
	}
	if v.end != nil {
		return reading.Report, v.end(reading.Manifest)
	}
	return reading.Report, nil
}

// reading is a backup being read.
type reading struct {
	Report
	ctx  context.Context
	tar  *tar.Reader
	v    visitor
	sums []TableSum
	now  *tableSum // the table whose parts are being read
	list *listing
	last string // blob

	visitor error // what a visitor said: not the backup's fault
}

// explain tells a damaged file from what a visitor could not do.
func (r *reading) explain(err error) error {
	switch {
	case r.visitor != nil:
		return r.visitor
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrNewerFormat), errors.Is(err, ErrNoBackup):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it ends too early")
	}
	return damaged("%v", err)
}

func (r *reading) told(err error) error {
	if err != nil {
		r.visitor = err
	}
	return err
}

func (r *reading) all() error {
	h, err := r.tar.Next()
	if err != nil || h.Name != headName {
		if err == nil || errors.Is(err, tar.ErrHeader) {
			return ErrNoBackup
		}
		return err
	}
	text, err := readSmall(r.tar, &r.Head)
	if err != nil {
		return err
	}
	if r.Head.Format > Format {
		return ErrNewerFormat
	}
	head := digestOf(text)
	if r.v.head != nil {
		if err := r.told(r.v.head(r.Head)); err != nil {
			return err
		}
	}
	for {
		if h, err = r.tar.Next(); err != nil {
			return err
		}
		if h.Name == manifestName {
			break
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if strings.HasPrefix(h.Name, "rows/") {
			err = r.part(h)
		} else {
			err = r.blob(h)
		}
		if err != nil {
			return err
		}
	}
	return r.manifest(head)
}

func (r *reading) manifest(head string) error {
	text, err := readSmall(r.tar, &r.Manifest)
	if err != nil {
		return err
	}
	r.Digest, r.Rows = digestOf(text), r.Manifest.rows()
	h, err := r.tar.Next()
	if err != nil {
		return err
	}
	seal, err := readSmall(r.tar, nil)
	if err != nil {
		return err
	}
	if h.Name != sealName || string(seal) != r.Digest+"\n" {
		return damaged("the manifest is not what was written")
	}
	if _, err := r.tar.Next(); err != io.EOF {
		return damaged("there is something after the manifest")
	}
	return r.compare(head)
}

// compare holds what was read against the manifest.
func (r *reading) compare(head string) error {
	if head != r.Manifest.Head {
		return damaged("its head is not what was written")
	}
	r.endTable()
	for i, want := range r.Manifest.Tables {
		got := newTableSum(want.Table).done() // one without rows has no part
		if len(r.sums) > 0 && r.sums[0].Table == want.Table {
			got, r.sums = r.sums[0], r.sums[1:]
		}
		if got != want || i >= len(r.Head.Tables) || r.Head.Tables[i].Name != want.Table {
			return damaged("the rows of table %s are not what was written", want.Table)
		}
	}
	if len(r.sums) > 0 || len(r.Manifest.Tables) != len(r.Head.Tables) {
		return damaged("it has rows of tables that it should not have")
	}
	want, got := r.Manifest.Blobs, r.list.done()
	if want.Count != got.Count || want.Bytes != got.Bytes || want.SHA256 != got.SHA256 {
		return damaged("it has other packages than were written")
	}
	return nil
}

func (r *reading) endTable() {
	if r.now != nil {
		r.sums = append(r.sums, r.now.done())
		r.now = nil
	}
}

// part reads some rows of a table.
func (r *reading) part(h *tar.Header) error {
	table := strings.Split(h.Name, "/")[1]
	if r.now == nil || r.now.Table != table {
		r.endTable()
		r.now = newTableSum(table)
		if err := r.begin(table); err != nil {
			return err
		}
	}
	r.now.Parts++
	r.now.Bytes += h.Size
	if h.Name != partName(table, r.now.Parts) {
		return damaged("%s is out of place", h.Name)
	}
	lines := bufio.NewReaderSize(io.TeeReader(r.tar, r.now.sum), 64<<10)
	var line []byte
	for {
		some, err := lines.ReadSlice('\n')
		line = append(line, some...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(line) > maxLine {
				return damaged("a row of table %s is too large", table)
			}
			continue
		case err == io.EOF && len(line) == 0:
			return nil
		case err != nil:
			return err
		}
		r.now.Rows++
		if r.v.row != nil {
			if err := r.told(r.v.row(line[:len(line)-1])); err != nil {
				return err
			}
		}
		line = line[:0]
	}
}

func (r *reading) begin(table string) error {
	for _, t := range r.Head.Tables {
		if t.Name == table {
			if r.v.table == nil {
				return nil
			}
			return r.told(r.v.table(t))
		}
	}
	return damaged("it has rows of a table %s that is not in its head", table)
}

// blob reads a blob.
func (r *reading) blob(h *tar.Header) error {
	digest := h.Name[strings.LastIndexByte(h.Name, '/')+1:]
	if len(digest) != 2*sha256.Size || h.Name != blobName(digest) || digest <= r.last {
		return damaged("%.100q is out of place", h.Name)
	}
	r.last = digest
	sum := sha256.New()
	in := io.TeeReader(r.tar, sum)
	if r.v.blob != nil {
		if err := r.told(r.v.blob(digest, in)); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != digest {
		return damaged("the package %s is not what was written", digest)
	}
	r.list.add(digest, h.Size)
	return nil
}

// same tells whether two readings found the same backup.
func same(a, b Report) error {
	if !reflect.DeepEqual(a, b) {
		return fmt.Errorf("the backup changed while it was read")
	}
	return nil
}
