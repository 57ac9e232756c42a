package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"time"

	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// Format is the version of the file's format that this package writes, and the newest that it reads.
const Format = 1

const (
	headName     = "stoa-backup.json"
	manifestName = "manifest.json"
	sealName     = "manifest.sha256"
)

const (
	partBytes  = 4 << 20   // about how much of a table is one member
	blobBuffer = 32 << 20  // up to what size a blob is held in memory on its way
	maxSmall   = 64 << 20  // bounds the head and the manifest
	maxLine    = 512 << 20 // bounds one row
)

// Head is the first member: what must be known before the rows are read.
type Head struct {
	Format  int           `json:"format"`
	Version string        `json:"stoa_version"`
	Engine  sqldb.Engine  `json:"engine"`
	Schema  int64         `json:"schema"`
	TakenAt time.Time     `json:"taken_at"`
	Tables  []sqldb.Table `json:"tables"`
}

// Manifest is the last member but one: what must be found in the others. Digests are SHA-256 in hex, sizes in bytes.
type Manifest struct {
	Head   string           `json:"head_sha256"`
	Tables []TableSum       `json:"tables"`
	Blobs  BlobSum          `json:"blobs"`
	Audit  *store.AuditHead `json:"audit_head,omitempty"`
}

// TableSum is what a backup has of a table; the digest is over all its parts.
type TableSum struct {
	Table  string `json:"table"`
	Rows   int64  `json:"rows"`
	Parts  int    `json:"parts"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// BlobSum is what a backup has of the blobs; the digest is over a line "DIGEST SIZE" for each.
type BlobSum struct {
	Count  int64  `json:"count"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Gone are drafts that their owners deleted while the backup was taken.
	Gone []string `json:"gone,omitempty"`
	// Missing and Damaged were so in the store already; a backup cannot have what is not there.
	Missing []string `json:"missing,omitempty"`
	Damaged []string `json:"damaged,omitempty"`
}

// rows is the number of rows over all tables.
func (m Manifest) rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// Report is what was written, checked or restored. Digest is that of the manifest: whoever keeps it elsewhere can tell
// that a backup is still the same.
type Report struct {
	Head     Head     `json:"head"`
	Manifest Manifest `json:"manifest"`
	Digest   string   `json:"manifest_sha256"`
	Rows     int64    `json:"rows"`
}

// ErrDamaged says that a backup is not what was written.
var ErrDamaged = errors.New("the backup is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Progress is told how far something is; total is 0 where it is not known. It may be nil.
type Progress func(what string, done, total int64)

func (p Progress) tell(what string, done, total int64) {
	if p != nil {
		p(what, done, total)
	}
}

func partName(table string, part int) string { return fmt.Sprintf("rows/%s/%06d.jsonl", table, part) }

func blobName(digest string) string { return path.Join("blobs", digest[:2], digest[2:4], digest) }

func digestOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// listing sums up blobs.
type listing struct {
	sum hash.Hash
	BlobSum
}

func newListing() *listing { return &listing{sum: sha256.New()} }

func (l *listing) add(digest string, size int64) {
	l.Count++
	l.Bytes += size
	fmt.Fprintf(l.sum, "%s %d\n", digest, size)
}

func (l *listing) done() BlobSum {
	l.SHA256 = hex.EncodeToString(l.sum.Sum(nil))
	return l.BlobSum
}

// tableSum sums up the parts of a table.
type tableSum struct {
	sum hash.Hash
	TableSum
}

func newTableSum(table string) *tableSum {
	return &tableSum{sum: sha256.New(), TableSum: TableSum{Table: table}}
}

func (t *tableSum) done() TableSum {
	t.SHA256 = hex.EncodeToString(t.sum.Sum(nil))
	return t.TableSum
}

// readSmall reads a member that is one JSON value.
func readSmall(r io.Reader, into any) (text []byte, err error) {
	if text, err = io.ReadAll(io.LimitReader(r, maxSmall+1)); err != nil {
		return nil, err
	}
	if len(text) > maxSmall {
		return nil, damaged("a member is too large")
	}
	if into == nil {
		return text, nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return nil, damaged("a member is no JSON")
	}
	return text, nil
}
