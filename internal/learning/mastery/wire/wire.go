// Package wire writes the states of mastery as short bytes that are the same for the same state, and reads them back.
//
// Numbers are fixed 64-bit little endian or variable length; there are no names and no maps, so nothing depends on an
// order. A first byte gives the version. mastery and its subpackages use it; app stores the bytes.
package wire

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// ErrBytes says that bytes are no state of this version.
var ErrBytes = errors.New("these bytes are not a mastery state of this version")

// Writer appends values.
type Writer struct{ B []byte }

// Byte appends one byte.
func (w *Writer) Byte(x byte) { w.B = append(w.B, x) }

// Uint appends a non-negative integer, short if it is small.
func (w *Writer) Uint(x uint64) { w.B = binary.AppendUvarint(w.B, x) }

// Int appends an integer, short if it is near zero.
func (w *Writer) Int(x int64) { w.B = binary.AppendVarint(w.B, x) }

// Float appends a number. Zero, which is frequent, takes one byte and others nine.
func (w *Writer) Float(x float64) {
	if x == 0 {
		w.Byte(0)
		return
	}
	w.Byte(1)
	w.B = binary.LittleEndian.AppendUint64(w.B, math.Float64bits(x))
}

// Floats appends numbers whose count the reader knows.
func (w *Writer) Floats(x ...float64) {
	w.B = slices.Grow(w.B, 9*len(x))
	for _, v := range x {
		w.Float(v)
	}
}

// String appends a text.
func (w *Writer) String(s string) {
	w.Uint(uint64(len(s)))
	w.B = append(w.B, s...)
}

// Reader takes values off bytes. After a value that is not there every other is zero, and Close gives ErrBytes.
type Reader struct {
	B   []byte
	bad bool
}

// Fail marks the bytes as wrong.
func (r *Reader) Fail() { r.bad, r.B = true, nil }

// Byte takes one byte.
func (r *Reader) Byte() byte {
	if len(r.B) == 0 {
		r.Fail()
		return 0
	}
	x := r.B[0]
	r.B = r.B[1:]
	return x
}

// Uint takes what Writer.Uint wrote.
func (r *Reader) Uint() uint64 {
	x, n := binary.Uvarint(r.B)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[n:]
	return x
}

// Int takes what Writer.Int wrote.
func (r *Reader) Int() int64 {
	x, n := binary.Varint(r.B)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.B = r.B[n:]
	return x
}

// Float takes a number; one that is not finite is wrong.
func (r *Reader) Float() float64 {
	switch r.Byte() {
	case 0:
		return 0
	case 1:
		if len(r.B) >= 8 {
			x := math.Float64frombits(binary.LittleEndian.Uint64(r.B))
			r.B = r.B[8:]
			if x-x == 0 && x != 0 {
				return x
			}
		}
	}
	r.Fail()
	return 0
}

// Floats fills x.
func (r *Reader) Floats(x ...*float64) {
	for _, p := range x {
		*p = r.Float()
	}
}

// Count takes a length of at most limit.
func (r *Reader) Count(limit int) int {
	n := r.Uint()
	if n > uint64(limit) {
		r.Fail()
		return 0
	}
	return int(n)
}

// String takes a text of at most limit bytes.
func (r *Reader) String(limit int) string {
	n := r.Count(limit)
	if n > len(r.B) {
		r.Fail()
		return ""
	}
	s := string(r.B[:n])
	r.B = r.B[n:]
	return s
}

// Close says whether the bytes were a whole state and nothing else.
func (r *Reader) Close() error {
	if r.bad || len(r.B) != 0 {
		return ErrBytes
	}
	return nil
}
