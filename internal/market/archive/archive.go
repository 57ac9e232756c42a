package archive

import (
	"context"
	"fmt"
	"io"
)

// Archive is a zip whose structure was checked. Its methods may be called from several goroutines.
type Archive struct {
	r       io.ReaderAt
	limits  Limits
	entries []entry
	byName  map[string]int // regular files
	depth   int            // 0 for the zip that was given to Open
	path    string         // where it is nested, "" at depth 0
	budget  *budget        // shared with the nested archives
}

// Open checks the records of a zip of size bytes. It reads the directory and the headers and unpacks
// nothing. The error is a *Refusal, or that of r.
func Open(r io.ReaderAt, size int64, l Limits) (*Archive, error) {
	a, err := open(r, size, l)
	if err != nil {
		return nil, err
	}
	a.budget = newBudget(l)
	if no := a.budget.take(a); no != nil {
		return nil, no
	}
	return a, nil
}

func open(r io.ReaderAt, size int64, l Limits) (*Archive, error) {
	d, err := findDirectory(r, size, &l)
	if err != nil {
		return nil, err
	}
	records := make([]byte, d.size)
	if err := read(r, records, d.offset); err != nil {
		return nil, err
	}
	entries, no := parseCentral(records, d.count, &l)
	if no == nil {
		no = checkCollisions(entries)
	}
	if no != nil {
		return nil, no
	}
	if err := checkLayout(r, entries, d.offset); err != nil {
		return nil, err
	}
	if no := checkSizes(entries, &l); no != nil {
		return nil, no
	}
	a := &Archive{r: r, limits: l, entries: entries, byName: make(map[string]int, len(entries))}
	for i := range entries {
		if !entries[i].dir {
			a.byName[entries[i].name] = i
		}
	}
	return a, nil
}

// checkSizes holds the declared sizes against the limits. Streams are held to the declared sizes later.
func checkSizes(entries []entry, l *Limits) *Refusal {
	var packed, unpacked int64
	for i := range entries {
		e := &entries[i]
		switch {
		case e.dir && (e.size != 0 || e.crc != 0 || e.packed != 0 && (e.method != deflated || e.packed != 2)):
			return refuse(DirectoryNotEmpty, e.name) // two bytes are an empty deflate stream
		case e.method == stored && e.packed != e.size:
			return refuse(SizeMismatch, e.name)
		case tooDense(e.packed, e.size, l):
			return refuse(CompressionRatio, e.name, l.Ratio)
		case e.size > l.File:
			return refuse(FileTooLarge, e.name, size(l.File))
		case e.size > l.Unpacked-unpacked:
			return refuse(UnpackedTooLarge, "", size(l.Unpacked))
		}
		packed += e.packed
		unpacked += e.size
	}
	if tooDense(packed, unpacked, l) {
		return refuse(CompressionRatio, "", l.Ratio)
	}
	return nil
}

func tooDense(packed, unpacked int64, l *Limits) bool {
	return unpacked > l.RatioFloor && float64(unpacked) > l.Ratio*float64(packed)
}

// Names gives the regular files in the order of the directory.
func (a *Archive) Names() []string {
	names := make([]string, 0, len(a.byName))
	for i := range a.entries {
		if !a.entries[i].dir {
			names = append(names, a.entries[i].name)
		}
	}
	return names
}

// Size is the declared unpacked size of a file, -1 when there is none of this name.
func (a *Archive) Size(name string) int64 {
	i, ok := a.byName[name]
	if !ok {
		return -1
	}
	return a.entries[i].size
}

// Unpacked is the declared size of all files together.
func (a *Archive) Unpacked() int64 {
	var sum int64
	for i := range a.entries {
		sum += a.entries[i].size
	}
	return sum
}

func (a *Archive) find(name string) (*entry, error) {
	i, ok := a.byName[name]
	if !ok {
		return nil, refuse(FileMissing, name)
	}
	if a.ListedOnly() {
		return nil, refuse(NestedUnread, name)
	}
	return &a.entries[i], nil
}

// Open streams a file. Reading fails with a *Refusal when the content has another size or CRC than
// declared; io.EOF means that all is right. Close gives the buffers back.
func (a *Archive) Open(name string) (io.ReadCloser, error) {
	e, err := a.find(name)
	if err != nil {
		return nil, err
	}
	s := streams.Get().(*stream)
	s.start(a.r, e)
	return &file{stream: s}, nil
}

// Read gives a whole file of at most limit bytes; a larger one is refused before it is unpacked.
func (a *Archive) Read(name string, limit int64) ([]byte, error) {
	e, err := a.find(name)
	if err != nil {
		return nil, err
	}
	if e.size > limit {
		return nil, refuse(FileTooLarge, name, size(limit))
	}
	s := streams.Get().(*stream)
	defer s.release()
	s.start(a.r, e)
	out := make([]byte, e.size)
	if _, err := io.ReadFull(s, out); err != nil {
		return nil, err
	}
	return out, s.drain()
}

// Each gives every file once, in the order of the directory. What visit does not read of a file is read and
// checked behind it, so a nil error means that every size and CRC is right. The reader ends with the call.
func (a *Archive) Each(ctx context.Context, visit func(name string, r io.Reader) error) error {
	if a.ListedOnly() {
		return refuse(NestedUnread, "")
	}
	s := streams.Get().(*stream)
	defer s.release()
	for i := range a.entries {
		e := &a.entries[i]
		if e.dir {
			continue
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		s.start(a.r, e)
		s.ctx = ctx
		if err := visit(e.name, s); err != nil {
			return err
		}
		if err := s.drain(); err != nil {
			return err
		}
	}
	return nil
}
