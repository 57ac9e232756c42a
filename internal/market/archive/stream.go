package archive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/flate"
)

const (
	inputBytes = 32 << 10
	copyBytes  = 32 << 10
)

// streams keeps the buffers of finished streams: about 110 KiB each.
var streams = sync.Pool{New: func() any {
	input := bufio.NewReaderSize(nil, inputBytes)
	return &stream{input: input, inflate: flate.NewReader(input)}
}}

// stream unpacks one entry and holds it to what was declared.
type stream struct {
	ctx     context.Context // nil when nobody can cancel
	section *io.SectionReader
	input   *bufio.Reader
	inflate io.ReadCloser
	body    io.Reader
	entry   *entry
	left    int64 // bytes still to come by the directory's word
	crc     uint32
	err     error
	buffer  []byte // for WriteTo and drain
}

func (s *stream) start(r io.ReaderAt, e *entry) {
	s.section = io.NewSectionReader(r, e.data, e.packed)
	s.input.Reset(s.section)
	s.entry, s.left, s.crc, s.err, s.ctx = e, e.size, 0, nil, nil
	s.body = s.input
	if e.method == deflated {
		s.body = s.inflate
		s.err = s.inflate.(flate.Resetter).Reset(s.input, nil)
	}
}

// release gives the buffers back; the stream must not be used after it.
func (s *stream) release() {
	s.section, s.entry, s.ctx, s.body, s.err = nil, nil, nil, nil, os.ErrClosed
	s.input.Reset(nil)
	streams.Put(s)
}

func (s *stream) Read(p []byte) (int, error) {
	if s.err != nil || len(p) == 0 {
		return 0, s.err
	}
	if s.ctx != nil && s.ctx.Err() != nil {
		s.err = fmt.Errorf("archive: %w", s.ctx.Err())
		return 0, s.err
	}
	if int64(len(p))-1 > s.left {
		p = p[:s.left+1] // one more than declared shows a lie
	}
	n, err := s.body.Read(p)
	if int64(n) > s.left {
		s.err = refuse(SizeMismatch, s.entry.name)
		return 0, s.err
	}
	s.left -= int64(n)
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p[:n])
	if err != nil {
		s.err = s.finish(err)
	}
	return n, s.err
}

// finish turns the end of the data into io.EOF when all is as declared.
func (s *stream) finish(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.As(err, &corrupt), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(BadData, s.entry.name)
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("archive: %s: %w", show(s.entry.name), err)
	case s.left != 0:
		return refuse(SizeMismatch, s.entry.name)
	case s.crc != s.entry.crc:
		return refuse(CRCMismatch, s.entry.name)
	case s.unread() != 0:
		return refuse(HiddenData, s.entry.name)
	}
	return io.EOF
}

// unread counts packed bytes behind the end of the deflate stream.
func (s *stream) unread() int64 {
	at, _ := s.section.Seek(0, io.SeekCurrent)
	return s.entry.packed - at + int64(s.input.Buffered())
}

// WriteTo lets io.Copy use the stream's own buffer.
func (s *stream) WriteTo(w io.Writer) (int64, error) {
	if s.buffer == nil {
		s.buffer = make([]byte, copyBytes)
	}
	var sum int64
	for {
		n, err := s.Read(s.buffer)
		if n > 0 {
			written, werr := w.Write(s.buffer[:n])
			sum += int64(written)
			if werr != nil {
				return sum, werr
			}
		}
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
	}
}

// drain reads and checks what is left.
func (s *stream) drain() error {
	_, err := s.WriteTo(io.Discard)
	return err
}

// file is the stream that Open hands out: closed once, and harmless after.
type file struct {
	stream *stream
}

func (f *file) Read(p []byte) (int, error) {
	if f.stream == nil {
		return 0, os.ErrClosed
	}
	return f.stream.Read(p)
}

func (f *file) WriteTo(w io.Writer) (int64, error) {
	if f.stream == nil {
		return 0, os.ErrClosed
	}
	return f.stream.WriteTo(w)
}

func (f *file) Close() error {
	if f.stream != nil {
		f.stream.release()
		f.stream = nil
	}
	return nil
}
