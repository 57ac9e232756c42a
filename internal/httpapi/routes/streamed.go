package routes

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"stoa/internal/app/market/submit"
	"stoa/internal/platform/errs"
)

// Streamed reads a JSON object of which one member, a base64 text, is far too large to hold. The body is
// walked once: that member is decoded block by block into a sink, everything else is kept as it stands.
type Streamed struct {
	Src  io.Reader
	Name string    // of the streamed member
	Sink io.Writer // an error of its Write ends the walk and is what read returns

	buf  []byte // what has been read and not yet looked at is buf[pos:end]
	pos  int
	end  int
	Kept bytes.Buffer // the body without the streamed text
	seen bool
}

// Bounds of a streamed upload.
const (
	// StreamBlock is how many bytes are read at a time.
	StreamBlock = 64 << 10
	longestName = 256 // bytes of a member's name that is looked at
)

var (
	errEnded  = submit.ErrInterrupted
	errBroken = errs.New(errs.InvalidJSON, "The body is not valid JSON.")
	errBase64 = errs.New(errs.InvalidPackagePayload, "The file is not valid base64. Send its bytes in the standard alphabet.")
)

// Read walks the body and gives it without the streamed text, for which "" stands.
func (s *Streamed) Read() ([]byte, error) {
	s.buf = make([]byte, StreamBlock)
	depth, wantName, name := 0, false, ""
	for {
		c, err := s.next()
		if errors.Is(err, io.EOF) {
			return s.Kept.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		if err := s.keep(c); err != nil {
			return nil, err
		}
		switch c {
		case '{', '[':
			depth++
			wantName = depth == 1 && c == '{'
		case '}', ']':
			depth--
		case ',':
			wantName = depth == 1
		case '"':
			switch {
			case wantName:
				if name, err = s.memberName(); err != nil {
					return nil, err
				}
				wantName = false
			case depth == 1 && name == s.Name:
				if s.seen {
					return nil, errs.Newf(errs.InvalidJSON, "%s stands twice in the body.", s.Name)
				}
				s.seen = true
				if err := s.decode(); err != nil {
					return nil, err
				}
				s.Kept.WriteByte('"')
			default:
				if err := s.text(nil); err != nil {
					return nil, err
				}
			}
		}
	}
}

// keep writes a byte of the body down, within the bound of every other body.
func (s *Streamed) keep(c byte) error {
	if s.Kept.Len() == MaxBody {
		return errs.Newf(errs.RequestBodyTooLarge, "The fields beside %s are larger than %d MiB.", s.Name, MaxBody>>20).With("max_size_bytes", MaxBody)
	}
	s.Kept.WriteByte(c)
	return nil
}

func (s *Streamed) next() (byte, error) {
	if s.pos == s.end {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	c := s.buf[s.pos]
	s.pos++
	return c, nil
}

func (s *Streamed) fill() error {
	for range 100 { // a reader may give nothing now and then
		n, err := s.Src.Read(s.buf)
		s.pos, s.end = 0, n
		switch {
		case n > 0:
			return nil
		case errors.Is(err, io.EOF):
			return io.EOF
		case err != nil:
			var over *http.MaxBytesError
			if errors.As(err, &over) {
				return submit.TooLarge(over.Limit / 4 * 3)
			}
			return errEnded
		}
	}
	return errEnded
}

// text passes the rest of a text, keeping it; seen gets its bytes as they stand.
func (s *Streamed) text(seen func(byte)) error {
	for escaped := false; ; {
		c, err := s.next()
		if err != nil {
			return unlessEnded(err)
		}
		if err := s.keep(c); err != nil {
			return err
		}
		if c == '"' && !escaped {
			return nil
		}
		escaped = c == '\\' && !escaped
		if seen != nil {
			seen(c)
		}
	}
}

func (s *Streamed) memberName() (string, error) {
	raw := []byte{'"'}
	if err := s.text(func(c byte) {
		if len(raw) <= longestName {
			raw = append(raw, c)
		}
	}); err != nil {
		return "", err
	}
	var name string
	if len(raw) > longestName || json.Unmarshal(append(raw, '"'), &name) != nil {
		return "", nil //nolint:nilerr // not one that is looked for; whether it is JSON is seen later
	}
	return name, nil
}

// decode passes a base64 text into the sink.
func (s *Streamed) decode() error {
	out := make([]byte, base64.StdEncoding.DecodedLen(StreamBlock)+4)
	quad := make([]byte, 0, 4) // characters of a group of four that the last block broke off in
	ended := false             // by padding
	flush := func(chars []byte) error {
		if len(chars) == 0 {
			return nil
		}
		if ended {
			return errBase64
		}
		n, err := base64.StdEncoding.Decode(out, chars)
		if err != nil {
			return errBase64
		}
		ended = chars[len(chars)-1] == '='
		_, err = s.Sink.Write(out[:n])
		return err
	}
	one := func(c byte) error {
		if c == '\n' || c == '\r' || c == ' ' || c == '\t' {
			return nil
		}
		if quad = append(quad, c); len(quad) < 4 {
			return nil
		}
		err := flush(quad)
		quad = quad[:0]
		return err
	}
	for {
		if s.pos == s.end {
			if err := s.fill(); err != nil {
				return unlessEnded(err)
			}
		}
		// Up to the next byte that is not plain base64, in groups of four.
		rest := s.buf[s.pos:s.end]
		run := plainRun(rest)
		head := min(run, (4-len(quad))%4)
		for _, c := range rest[:head] {
			if err := one(c); err != nil {
				return err
			}
		}
		body := (run - head) &^ 3
		if err := flush(rest[head : head+body]); err != nil {
			return err
		}
		for _, c := range rest[head+body : run] {
			if err := one(c); err != nil {
				return err
			}
		}
		s.pos += run
		if s.pos == s.end {
			continue
		}
		c := s.buf[s.pos]
		s.pos++
		switch c {
		case '"':
			if len(quad) > 0 {
				return errBase64
			}
			return nil
		case '\\':
			plain, err := s.escape()
			if err != nil {
				return err
			}
			c = plain
		}
		if err := one(c); err != nil {
			return err
		}
	}
}

// special are the bytes that end a run of plain base64. One pass over a table, since looking for each of
// them on its own would read the block again for every one that is found.
var special = [256]bool{'"': true, '\\': true, '\n': true, '\r': true, ' ': true, '\t': true}

// plainRun is how many bytes at the start of b are neither the end of a text, an escape nor blank.
func plainRun(b []byte) int {
	for i, c := range b {
		if special[c] {
			return i
		}
	}
	return len(b)
}

// escape reads what follows a backslash; base64 has few characters that anybody escapes.
func (s *Streamed) escape() (byte, error) {
	c, err := s.next()
	if err != nil {
		return 0, unlessEnded(err)
	}
	switch c {
	case '/':
		return '/', nil
	case 'n', 'r', 't':
		return ' ', nil
	case 'u':
		var hex [4]byte
		for i := range hex {
			if hex[i], err = s.next(); err != nil {
				return 0, unlessEnded(err)
			}
		}
		n, err := strconv.ParseUint(string(hex[:]), 16, 16)
		if err != nil {
			return 0, errBroken
		}
		if n < 0x80 {
			return byte(n), nil
		}
	}
	return 0, errBase64
}

func unlessEnded(err error) error {
	if errors.Is(err, io.EOF) {
		return errEnded
	}
	return err
}
