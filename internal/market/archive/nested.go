package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// Separator stands between the name of a nested archive and the names inside it.
const Separator = "!/"

// budget is what an archive and all nested in it may still hold.
type budget struct {
	mu       sync.Mutex
	limits   Limits
	unpacked int64
	entries  int
	charged  map[string]bool // by path; an archive opened again costs nothing
}

func newBudget(l Limits) *budget {
	return &budget{limits: l, unpacked: l.Unpacked, entries: l.Entries, charged: map[string]bool{}}
}

func (b *budget) take(a *Archive) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.charged[a.path]:
		return nil
	case len(a.entries) > b.entries:
		return refuse(TooManyEntries, "", b.limits.Entries)
	case a.Unpacked() > b.unpacked:
		return refuse(UnpackedTooLarge, "", size(b.limits.Unpacked))
	}
	b.charged[a.path] = true
	b.entries -= len(a.entries)
	b.unpacked -= a.Unpacked()
	return nil
}

// Depth is 0 for the archive that was given to Open, 1 for one inside it.
func (a *Archive) Depth() int { return a.depth }

// ListedOnly is true for an archive nested too deep to be read: Names and Size answer, Open, Read and Each refuse.
func (a *Archive) ListedOnly() bool { return a.depth > a.limits.NestedRead }

// Nested opens a zip inside the zip. It is unpacked into memory (at most Limits.File, and never more than
// 64 MiB); its files count against the limits of the outermost archive, once however often it is opened. Past
// NestedRead it is ListedOnly, past NestedList it is refused with NestedTooDeep.
func (a *Archive) Nested(name string) (*Archive, error) {
	if a.depth >= a.limits.NestedList {
		return nil, refuse(NestedTooDeep, name, a.limits.NestedList)
	}
	text, err := a.Read(name, min(a.limits.File, nestedBytes))
	if err != nil {
		return nil, err
	}
	inner, err := open(bytes.NewReader(text), int64(len(text)), a.limits)
	if err != nil {
		return nil, within(name, err)
	}
	inner.depth, inner.path, inner.budget = a.depth+1, a.path+Separator+name, a.budget
	if no := a.budget.take(inner); no != nil {
		return nil, within(name, no)
	}
	return inner, nil
}

// within puts the name of the nested archive before the entry of a refusal.
func within(name string, err error) error {
	var no *Refusal
	if !errors.As(err, &no) {
		return err
	}
	entry := name
	if no.Entry != "" {
		entry += Separator + no.Entry
	}
	return &Refusal{Reason: no.Reason, Entry: show(entry), Message: no.Message}
}

// Unread is an archive inside the archive whose files were not given to visit.
type Unread struct {
	// Path leads there, joined by Separator.
	Path string
	// Format is zip, or the kind of archive that is not opened at all: gzip, tar, 7z, rar, xz, bzip2, zstd.
	Format string
	// Names are its files when it was listed, nil when not.
	Names []string
	// Refusal says why it was not read: NestedUnread, NestedTooDeep, or what is wrong with it. It is nil for
	// the formats that are not opened.
	Refusal *Refusal
}

// Deep is Each through the zips inside the zip: visit gets every file that is read, under its path joined by
// Separator, and label every archive inside that is not read. A nested zip is told by its first bytes, not by
// its name, and is not given to visit itself; one that is refused is labelled and given to visit as a file,
// except for a bomb, which refuses the whole.
func (a *Archive) Deep(ctx context.Context, visit func(path string, r io.Reader) error, label func(Unread)) error {
	return a.walk(ctx, "", visit, label)
}

func (a *Archive) walk(ctx context.Context, prefix string, visit func(path string, r io.Reader) error, label func(Unread)) error {
	buffer := make([]byte, headBytes)
	whole := &peeked{}
	return a.Each(ctx, func(name string, r io.Reader) error {
		n, err := io.ReadFull(r, buffer)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		whole.head, whole.rest = buffer[:n], r
		path, format := prefix+name, Format(whole.head)
		if format == "" {
			return visit(path, whole)
		}
		if format != "zip" {
			label(Unread{Path: path, Format: format})
			return visit(path, whole)
		}
		inner, err := a.Nested(name)
		var no *Refusal
		switch {
		case errors.As(err, &no) && bomb[no.Reason]:
			return err
		case errors.As(err, &no):
			label(Unread{Path: path, Format: format, Refusal: no})
			return visit(path, whole)
		case err != nil:
			return err
		case inner.ListedOnly():
			label(Unread{Path: path, Format: format, Names: inner.Names(), Refusal: refuse(NestedUnread, path)})
			return nil
		}
		if err := inner.walk(ctx, path+Separator, visit, label); err != nil {
			return within(name, err)
		}
		return nil
	})
}

// peeked is a reader whose first bytes were looked at. Unlike io.MultiReader it copies with the stream's buffer.
type peeked struct {
	head []byte
	rest io.Reader
}

func (p *peeked) Read(b []byte) (int, error) {
	if len(p.head) > 0 {
		n := copy(b, p.head)
		p.head = p.head[n:]
		return n, nil
	}
	return p.rest.Read(b)
}

func (p *peeked) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(p.head)
	p.head = p.head[n:]
	if err != nil {
		return int64(n), err
	}
	m, err := io.Copy(w, p.rest)
	return int64(n) + m, err
}

// bomb holds the reasons of a nested archive that refuse the outer one with it.
var bomb = map[Reason]bool{
	OverlappingEntries: true, CompressionRatio: true, FileTooLarge: true, UnpackedTooLarge: true, TooManyEntries: true, DirectoryTooLarge: true,
}

// headBytes is enough for the magic of tar, which stands at 257.
const headBytes = 262

// Format tells an archive by its first bytes: zip, gzip, tar, 7z, rar, xz, bzip2, zstd, or "".
func Format(head []byte) string {
	for _, m := range []struct {
		at            int
		magic, format string
	}{
		{0, "PK\x03\x04", "zip"},
		{0, "PK\x05\x06", "zip"},
		{0, "PK\x07\x08", "zip"},
		{0, "\x1f\x8b", "gzip"},
		{0, "7z\xbc\xaf\x27\x1c", "7z"},
		{0, "Rar!\x1a\x07", "rar"},
		{0, "\xfd7zXZ\x00", "xz"},
		{0, "BZh", "bzip2"},
		{0, "\x28\xb5\x2f\xfd", "zstd"},
		{257, "ustar", "tar"},
	} {
		if len(head) >= m.at+len(m.magic) && string(head[m.at:m.at+len(m.magic)]) == m.magic {
			return m.format
		}
	}
	return ""
}
