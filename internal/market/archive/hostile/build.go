package hostile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/flate"
)

var little = binary.LittleEndian

const (
	stored   = 0
	deflated = 8
)

// part is one entry as its local header and its central record tell it. Cases bend these fields.
type part struct {
	name, localName         string
	method, localMethod     uint16
	flags, localFlags       uint16
	crc, localCRC           uint32
	packed, localPacked     uint32
	size, localSize         uint32
	madeBy                  uint16
	attributes              uint32
	disk                    uint16
	extra, localExtra       []byte
	comment                 string
	data, descriptor, after []byte
	at                      *uint32 // the offset that the directory gives, nil for the true one
	absent                  bool    // no local header and no data of its own
}

// ending is the end record as it is written.
type ending struct {
	prefix, gap, trailing    []byte
	disk, directoryDisk      uint16
	here, all                int // -1 for the true number
	sizeOff, offsetOff       int
	comment                  []byte
	commentBytes             int // -1 for the true number
	zip64                    bool
	long                     func(record, locator []byte)
	cut                      int
	shortCount, shortOffsets bool // "see ZIP64" in the 32-bit record
}

func text(name string, data []byte) part { return packed(name, data, deflated) }

func packed(name string, data []byte, method uint16) part {
	body := data
	if method == deflated {
		body = deflate(data)
	}
	crc := crc32.ChecksumIEEE(data)
	p := part{
		name: name, localName: name, method: method, localMethod: method, crc: crc, localCRC: crc,
		packed: uint32(len(body)), localPacked: uint32(len(body)), size: uint32(len(data)), localSize: uint32(len(data)),
		data: body, madeBy: 3<<8 | 20,
	}
	for _, c := range []byte(name) {
		if c >= 0x80 {
			p.flags, p.localFlags = 1<<11, 1<<11
		}
	}
	return p
}

func deflate(data []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

func plainEnd() ending { return ending{here: -1, all: -1, commentBytes: -1} }

// pack writes parts with an honest end.
func pack(parts ...part) []byte { return write(plainEnd(), parts...) }

func write(end ending, parts ...part) []byte {
	out := bytes.NewBuffer(append([]byte{}, end.prefix...))
	var directory bytes.Buffer
	for i := range parts {
		p := &parts[i]
		offset := uint32(out.Len())
		if !p.absent {
			local(out, p)
		}
		if p.at != nil {
			offset = *p.at
		}
		central(&directory, p, offset)
	}
	out.Write(end.gap)
	start := out.Len()
	out.Write(directory.Bytes())
	finish(out, end, len(parts), start, directory.Len())
	return out.Bytes()[:out.Len()-end.cut]
}

func local(out *bytes.Buffer, p *part) {
	h := make([]byte, 30)
	little.PutUint32(h, 0x04034b50)
	little.PutUint16(h[4:], 20)
	little.PutUint16(h[6:], p.localFlags)
	little.PutUint16(h[8:], p.localMethod)
	little.PutUint16(h[12:], 0x21)
	little.PutUint32(h[14:], p.localCRC)
	little.PutUint32(h[18:], p.localPacked)
	little.PutUint32(h[22:], p.localSize)
	little.PutUint16(h[26:], uint16(len(p.localName)))
	little.PutUint16(h[28:], uint16(len(p.localExtra)))
	out.Write(h)
	out.WriteString(p.localName)
	out.Write(p.localExtra)
	out.Write(p.data)
	out.Write(p.descriptor)
	out.Write(p.after)
}

func central(out *bytes.Buffer, p *part, offset uint32) {
	h := make([]byte, 46)
	little.PutUint32(h, 0x02014b50)
	little.PutUint16(h[4:], p.madeBy)
	little.PutUint16(h[6:], 20)
	little.PutUint16(h[8:], p.flags)
	little.PutUint16(h[10:], p.method)
	little.PutUint16(h[14:], 0x21)
	little.PutUint32(h[16:], p.crc)
	little.PutUint32(h[20:], p.packed)
	little.PutUint32(h[24:], p.size)
	little.PutUint16(h[28:], uint16(len(p.name)))
	little.PutUint16(h[30:], uint16(len(p.extra)))
	little.PutUint16(h[32:], uint16(len(p.comment)))
	little.PutUint16(h[34:], p.disk)
	little.PutUint32(h[38:], p.attributes)
	little.PutUint32(h[42:], offset)
	out.Write(h)
	out.WriteString(p.name)
	out.Write(p.extra)
	out.WriteString(p.comment)
}

func finish(out *bytes.Buffer, end ending, count, start, size int) {
	start += end.offsetOff
	size += end.sizeOff
	here, all, comment := count, count, len(end.comment)
	if end.here >= 0 {
		here = end.here
	}
	if end.all >= 0 {
		all = end.all
	}
	if end.commentBytes >= 0 {
		comment = end.commentBytes
	}
	if end.zip64 {
		long(out, end, uint64(here), uint64(all), uint64(size), uint64(start))
	}
	h := make([]byte, 22)
	little.PutUint32(h, 0x06054b50)
	little.PutUint16(h[4:], end.disk)
	little.PutUint16(h[6:], end.directoryDisk)
	little.PutUint16(h[8:], uint16(here))
	little.PutUint16(h[10:], uint16(all))
	little.PutUint32(h[12:], uint32(size))
	little.PutUint32(h[16:], uint32(start))
	little.PutUint16(h[20:], uint16(comment))
	if end.shortCount {
		little.PutUint32(h[8:], 1<<32-1)
	}
	if end.shortOffsets {
		little.PutUint64(h[12:], 1<<64-1)
	}
	out.Write(h)
	out.Write(end.comment)
	out.Write(end.trailing)
}

// long writes the 64-bit end record and its locator.
func long(out *bytes.Buffer, end ending, here, all, size, start uint64) {
	record, locator := make([]byte, 56), make([]byte, 20)
	little.PutUint32(record, 0x06064b50)
	little.PutUint64(record[4:], 44)
	little.PutUint16(record[12:], 45)
	little.PutUint16(record[14:], 45)
	little.PutUint64(record[24:], here)
	little.PutUint64(record[32:], all)
	little.PutUint64(record[40:], size)
	little.PutUint64(record[48:], start)
	little.PutUint32(locator, 0x07064b50)
	little.PutUint64(locator[8:], uint64(out.Len()))
	little.PutUint32(locator[16:], 1)
	if end.long != nil {
		end.long(record, locator)
	}
	out.Write(record)
	out.Write(locator)
}
