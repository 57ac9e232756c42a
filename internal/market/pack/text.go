package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf8"
)

var errBinary = errors.New("not a text")

// textCheck is a writer that fails once what it was given can be no text: a NUL, invalid UTF-8, or, behind a byte
// order mark of UTF-16, a NUL or half a surrogate pair. It holds at most three bytes.
type textCheck struct {
	started bool
	wide    binary.ByteOrder // of UTF-16, nil for UTF-8
	high    bool             // a high surrogate waits for its second half
	rest    []byte
}

func (c *textCheck) Write(p []byte) (int, error) {
	n := len(p)
	if len(c.rest) > 0 {
		p = append(c.rest, p...)
	}
	if !c.started && len(p) >= 2 {
		c.started = true
		switch {
		case p[0] == 0xff && p[1] == 0xfe:
			c.wide = binary.LittleEndian
		case p[0] == 0xfe && p[1] == 0xff:
			c.wide = binary.BigEndian
		}
	}
	used, ok := 0, true
	if c.started {
		if c.wide != nil {
			used, ok = c.utf16(p)
		} else {
			used, ok = plain(p)
		}
	}
	if !ok {
		return 0, errBinary
	}
	c.rest = append([]byte(nil), p[used:]...)
	return n, nil
}

// plain counts the bytes of whole characters of UTF-8 at the start of p; what is left may be the start of one.
func plain(p []byte) (used int, ok bool) {
	used = len(p)
	for at := used - 1; at >= max(0, used-utf8.UTFMax); at-- {
		if utf8.RuneStart(p[at]) {
			if !utf8.FullRune(p[at:]) {
				used = at
			}
			break
		}
	}
	return used, bytes.IndexByte(p, 0) < 0 && utf8.Valid(p[:used])
}

func (c *textCheck) utf16(p []byte) (used int, ok bool) {
	for ; used+2 <= len(p); used += 2 {
		unit := c.wide.Uint16(p[used:])
		low := unit >= 0xdc00 && unit <= 0xdfff
		if unit == 0 || low != c.high {
			return used, false
		}
		c.high = unit >= 0xd800 && unit <= 0xdbff
	}
	return used, true
}

// end says whether the text may stop here.
func (c *textCheck) end() error {
	if !c.started {
		if used, ok := plain(c.rest); !ok || used < len(c.rest) {
			return errBinary
		}
		return nil
	}
	if c.high || len(c.rest) > 0 {
		return errBinary
	}
	return nil
}
