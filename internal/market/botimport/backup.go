package botimport

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"time"

	"stoa/internal/market/pack"
)

// Bounds of a backup's manifest.
const (
	maxBackupManifest = 8 << 20
	maxChecked        = 512 << 20 // bytes whose checksums are verified
	maxOdd            = 100
)

// backupManifest reads a backup's manifest.json and holds the checksums in it against the files. A file that does not
// fit is reported and used nevertheless: backups are edited by hand, and what is in them is shown before anything leaves.
func (b *builder) backupManifest(l *layout) *BackupManifest {
	name := l.first("manifest.json")
	if name == "" {
		return nil
	}
	l.used[name] = true
	body, err := b.files.Read(name, maxBackupManifest)
	var v any
	if err == nil {
		v, err = parse(body)
	}
	m := object(v)
	if err != nil || m == nil {
		b.unreadable(l.show(name), err)
		return nil
	}
	out := &BackupManifest{
		Version: clip(text(m["version"]), 40), HostVersion: clip(text(m["astrbot_version"]), 40), ExportedAt: contractTime(text(m["exported_at"])),
		Origin: clip(text(m["origin"]), 40), Directories: some(texts(m["directories"])), ChecksumsOdd: []string{},
	}
	sums := object(m["checksums"])
	budget := int64(maxChecked)
	for _, file := range sortedKeys(sums) {
		want, ok := strings.CutPrefix(strings.ToLower(text(sums[file])), "sha256:")
		if !ok {
			continue
		}
		out.ChecksumsTotal++
		size := b.files.Size(l.base + file)
		if budget -= max(size, 0); budget < 0 || b.ctx.Err() != nil {
			out.ChecksumsSkip++
			continue
		}
		if size >= 0 && b.digest(l.base+file) == want {
			out.ChecksumsFit++
			continue
		}
		if len(out.ChecksumsOdd) < maxOdd {
			out.ChecksumsOdd = append(out.ChecksumsOdd, pack.Clean(file))
		}
		note := "this file does not fit the checksum in the backup's manifest: it was changed or damaged after the backup was made; look through it before you share it"
		if size < 0 {
			note = "the backup's manifest names this file, but it is missing"
		}
		b.rep.add(Field{SourcePath: file, Outcome: NeedsAPerson, IssueCode: pack.IssueChecksumMismatch, Note: note})
	}
	return out
}

// backupTimes are the forms in which bots write when a backup was made. One without a zone is taken for UTC, which is
// what AstrBot means by it.
var backupTimes = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"}

// contractTime writes a time as the contract does, RFC 3339 in UTC with milliseconds; "" when it cannot be read.
func contractTime(text string) string {
	for _, form := range backupTimes {
		if t, err := time.Parse(form, text); err == nil && t.UTC().Year() >= 1 && t.UTC().Year() <= 9999 {
			return t.UTC().Format("2006-01-02T15:04:05.000Z")
		}
	}
	return ""
}

// digest is a file's SHA-256 in hex, "" when it cannot be read.
func (b *builder) digest(name string) string {
	r, err := b.files.Open(name)
	if err != nil {
		return ""
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, contextReader{b.ctx, r}); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// contextReader stops a long reading when nobody waits for it any more.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
