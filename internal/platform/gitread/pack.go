package gitread

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
)

// Limits bound what is read of a repository.
type Limits struct {
	Packed   int64 // bytes that are sent
	Unpacked int64 // bytes that are held
	Inflated int64 // bytes that are uncompressed, those that are dropped too
	Objects  int
	File     int64 // a larger one is there and cannot be read
	Files    int   // of one folder that is read
	Folders  int64 // bytes of folders that are looked through, each time again
}

// ErrTooMuch says that a repository is larger than its reader takes.
var ErrTooMuch = errors.New("the repository is too large")

// ErrPack says that what was sent cannot be read.
var ErrPack = errors.New("the repository's server sends a pack that cannot be read")

// object is a blob, tree or commit. held is false for a blob that is too large to be held.
type object struct {
	kind plumbing.ObjectType
	data []byte
	held bool
}

type objects map[plumbing.Hash]object

// unpacker reads a pack (version 2). Objects come whole or as a difference to another one, which stands before them or is
// named by its hash.
type unpacker struct {
	in      *bytes.Reader
	zlib    io.ReadCloser
	limits  Limits
	left    int64 // that may be inflated
	room    int64 // that may be held
	at      map[int64]object
	all     objects
	pending []difference
}

type difference struct {
	start int64
	base  plumbing.Hash
	delta []byte
}

func readPack(text []byte, l Limits) (objects, error) {
	const header = 12
	if int64(len(text)) > l.Packed {
		return nil, ErrTooMuch
	}
	if len(text) < header || string(text[:4]) != "PACK" || binary.BigEndian.Uint32(text[4:]) != 2 {
		return nil, ErrPack
	}
	n := binary.BigEndian.Uint32(text[8:])
	if int64(n) > int64(l.Objects) {
		return nil, ErrTooMuch
	}
	u := &unpacker{in: bytes.NewReader(text), limits: l, left: l.Inflated, room: l.Unpacked, at: map[int64]object{}, all: objects{}}
	if _, err := u.in.Seek(header, io.SeekStart); err != nil {
		return nil, err
	}
	for range n {
		if err := u.next(); err != nil {
			return nil, err
		}
	}
	return u.all, u.settle()
}

// next reads one object.
func (u *unpacker) next() error {
	start := u.in.Size() - int64(u.in.Len())
	b, err := u.in.ReadByte()
	if err != nil {
		return ErrPack
	}
	kind, size := plumbing.ObjectType(b>>4&7), int64(b&15)
	for shift := 4; b&0x80 != 0; shift += 7 {
		if b, err = u.in.ReadByte(); err != nil || shift > 40 {
			return ErrPack
		}
		size |= int64(b&0x7f) << shift
	}
	switch kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		data, held, err := u.inflate(size)
		if err != nil {
			return err
		}
		return u.keep(start, object{kind, data, held})
	case plumbing.OFSDeltaObject:
		back, err := u.offset()
		if err != nil {
			return err
		}
		base, known := u.at[start-back]
		delta, held, err := u.inflate(size)
		if err != nil || !known {
			return errors.Join(ErrPack, err)
		}
		return u.apply(start, base, delta, held)
	case plumbing.REFDeltaObject:
		var hash plumbing.Hash
		if _, err := io.ReadFull(u.in, hash[:]); err != nil {
			return ErrPack
		}
		delta, held, err := u.inflate(size)
		if err != nil {
			return err
		}
		if base, known := u.all[hash]; known {
			return u.apply(start, base, delta, held)
		}
		if !held {
			return ErrTooMuch
		}
		u.pending = append(u.pending, difference{start, hash, delta})
		return nil
	}
	return ErrPack
}

// offset reads how far back the base of a difference stands.
func (u *unpacker) offset() (int64, error) {
	b, err := u.in.ReadByte()
	back := int64(b & 0x7f)
	for n := 0; err == nil && b&0x80 != 0; n++ {
		if b, err = u.in.ReadByte(); n > 5 {
			return 0, ErrPack
		}
		back = (back+1)<<7 | int64(b&0x7f)
	}
	if err != nil || back <= 0 {
		return 0, ErrPack
	}
	return back, nil
}

// inflate reads size bytes that are compressed; what is larger than a file may be is read and dropped.
func (u *unpacker) inflate(size int64) (data []byte, held bool, err error) {
	if u.left -= size; u.left < 0 {
		return nil, false, ErrTooMuch
	}
	if u.zlib == nil {
		u.zlib, err = zlib.NewReader(u.in)
	} else {
		err = u.zlib.(zlib.Resetter).Reset(u.in, nil)
	}
	if err != nil {
		return nil, false, ErrPack
	}
	if held = size <= u.limits.File; !held {
		n, err := io.Copy(io.Discard, io.LimitReader(u.zlib, size+1))
		if err != nil || n != size {
			return nil, false, ErrPack
		}
		return nil, false, nil
	}
	if u.room -= size; u.room < 0 {
		return nil, false, ErrTooMuch
	}
	data = make([]byte, size) // no more than a file may have, and counted before it comes
	if _, err := io.ReadFull(u.zlib, data); err != nil {
		return nil, false, ErrPack
	}
	if n, err := u.zlib.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return nil, false, ErrPack
	}
	return data, true, nil
}

func (u *unpacker) keep(start int64, o object) error {
	u.at[start] = o
	if o.held {
		u.all[plumbing.ComputeHash(o.kind, o.data)] = o
	}
	return nil
}

// apply makes an object of a base and what differs.
func (u *unpacker) apply(start int64, base object, delta []byte, held bool) error {
	if !base.held || !held {
		u.at[start] = object{kind: base.kind}
		return nil
	}
	from, delta, ok1 := length(delta)
	to, delta, ok2 := length(delta)
	if !ok1 || !ok2 || from != int64(len(base.data)) {
		return ErrPack
	}
	if u.left -= to; u.left < 0 {
		return ErrTooMuch
	}
	if to > u.limits.File {
		u.at[start] = object{kind: base.kind}
		return nil
	}
	if u.room -= to; u.room < 0 {
		return ErrTooMuch
	}
	data, err := patched(base.data, delta, to)
	if err != nil {
		return err
	}
	return u.keep(start, object{base.kind, data, true})
}

// settle makes the objects whose bases came after them. Each is looked at once: a chain that stands in the pack the wrong way
// round costs no more than another.
func (u *unpacker) settle() error {
	waiting := map[plumbing.Hash][]difference{}
	var ready []difference
	for _, d := range u.pending {
		if _, known := u.all[d.base]; known {
			ready = append(ready, d)
		} else {
			waiting[d.base] = append(waiting[d.base], d)
		}
	}
	for len(ready) > 0 {
		d := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if err := u.apply(d.start, u.all[d.base], d.delta, true); err != nil {
			return err
		}
		if o := u.at[d.start]; o.held {
			hash := plumbing.ComputeHash(o.kind, o.data)
			ready = append(ready, waiting[hash]...)
			delete(waiting, hash)
		}
	}
	if len(waiting) > 0 {
		return fmt.Errorf("%w: an object's base is missing", ErrPack)
	}
	return nil
}

func length(delta []byte) (n int64, rest []byte, ok bool) {
	for i, b := range delta {
		if i > 5 {
			return 0, nil, false
		}
		if n |= int64(b&0x7f) << (7 * i); b&0x80 == 0 {
			return n, delta[i+1:], true
		}
	}
	return 0, nil, false
}

// patched carries out the instructions of a difference: copy a part of the base, or take what stands here.
func patched(base, delta []byte, size int64) ([]byte, error) {
	out := make([]byte, 0, min(size, int64(len(base)+len(delta))))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		var part []byte
		if op&0x80 == 0 {
			if op == 0 || int(op) > len(delta) {
				return nil, ErrPack
			}
			part, delta = delta[:op], delta[op:]
		} else {
			var at, n int64
			for i := range 7 {
				if op&(1<<i) == 0 {
					continue
				}
				if len(delta) == 0 {
					return nil, ErrPack
				}
				if i < 4 {
					at |= int64(delta[0]) << (8 * i)
				} else {
					n |= int64(delta[0]) << (8 * (i - 4))
				}
				delta = delta[1:]
			}
			if n == 0 {
				n = 0x10000
			}
			if at+n > int64(len(base)) {
				return nil, ErrPack
			}
			part = base[at : at+n]
		}
		if int64(len(out)+len(part)) > size {
			return nil, ErrPack
		}
		out = append(out, part...)
	}
	if int64(len(out)) != size {
		return nil, ErrPack
	}
	return out, nil
}
