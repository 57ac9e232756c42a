package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Signatures and fixed sizes of the records (PKWARE APPNOTE 6.3.10, section 4.3).
const (
	localSignature      = 0x04034b50
	centralSignature    = 0x02014b50
	endSignature        = 0x06054b50
	end64Signature      = 0x06064b50
	locatorSignature    = 0x07064b50
	descriptorSignature = 0x08074b50

	localBytes   = 30
	centralBytes = 46
	endBytes     = 22
	end64Bytes   = 56
	locatorBytes = 20

	maxComment = 1<<16 - 1
	none16     = 1<<16 - 1 // "see ZIP64"
	none32     = 1<<32 - 1
)

var little = binary.LittleEndian

// directory is where the central directory lies and what it promises.
type directory struct {
	offset, size, count int64
}

// read fills b from offset; the range was checked before, so a short read is the storage's fault.
func read(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("archive: %w", err)
}

// findDirectory reads the records at the end of the file and checks them against each other and the limits.
func findDirectory(r io.ReaderAt, total int64, l *Limits) (directory, error) {
	var d directory
	switch {
	case total <= 0:
		return d, refuse(EmptyFile, "")
	case total > l.Packed:
		return d, refuse(PackedTooLarge, "", size(l.Packed))
	case total < endBytes:
		return d, refuse(NotAZip, "")
	}
	tail := make([]byte, min(total, maxComment+endBytes+locatorBytes+end64Bytes))
	if err := read(r, tail, total-int64(len(tail))); err != nil {
		return d, err
	}
	var head [4]byte
	if err := read(r, head[:], 0); err != nil {
		return d, err
	}
	if no := checkEnd(tail, head[:]); no != nil {
		return d, no
	}
	end := tail[len(tail)-endBytes:]
	d = directory{
		count:  int64(little.Uint16(end[10:])),
		size:   int64(little.Uint32(end[12:])),
		offset: int64(little.Uint32(end[16:])),
	}
	behind := total - endBytes // the first byte behind the directory
	hasLocator := false
	if before := tail[:len(tail)-endBytes]; len(before) >= locatorBytes {
		locator := before[len(before)-locatorBytes:]
		hasLocator = little.Uint32(locator) == locatorSignature
	}
	if hasLocator {
		var no *Refusal
		if d, behind, no = readZip64(tail, total, d); no != nil {
			return d, no
		}
	} else if little.Uint16(end[4:]) != 0 || little.Uint16(end[6:]) != 0 || little.Uint16(end[8:]) != little.Uint16(end[10:]) {
		return d, refuse(MultiDisk, "")
	}
	switch {
	case d.count > int64(l.Entries):
		return d, refuse(TooManyEntries, "", l.Entries)
	case d.size > l.Directory:
		return d, refuse(DirectoryTooLarge, "", size(l.Directory))
	case d.size < d.count*centralBytes, d.offset > behind, d.size > behind:
		return d, refuse(BadDirectory, "")
	case d.offset+d.size < behind && little.Uint32(head[:]) != localSignature:
		return d, refuse(PrefixData, "")
	case d.offset+d.size != behind:
		return d, refuse(BadDirectory, "")
	}
	return d, nil
}

// checkEnd wants the end record as the last 22 bytes, without a comment, and no other that reaches the end.
// Otherwise it looks for what is there, for the sake of the message.
func checkEnd(tail, head []byte) *Refusal {
	signature := []byte("PK\x05\x06")
	last := len(tail) - endBytes
	exact := bytes.HasPrefix(tail[last:], signature) && little.Uint16(tail[last+20:]) == 0
	inside := false
	for at := bytes.LastIndex(tail, signature); at >= 0; at = bytes.LastIndex(tail[:at], signature) {
		if at >= last {
			inside = inside || at == last
			continue
		}
		reach := at + endBytes + int(little.Uint16(tail[at+20:]))
		switch {
		case exact && reach == len(tail):
			return refuse(SecondEndRecord, "")
		case exact:
		case reach == len(tail):
			return refuse(Comment, "")
		case reach < len(tail):
			return refuse(TrailingData, "")
		}
		inside = true
	}
	switch {
	case exact:
		return nil
	case bytes.Equal(head, []byte("PK\x07\x08")), bytes.Equal(head, []byte("PK00")):
		return refuse(MultiDisk, "")
	case inside, little.Uint32(head) == localSignature:
		return refuse(Truncated, "")
	}
	return refuse(NotAZip, "")
}

// readZip64 reads the 64-bit end record, which must lie right before its locator, and compares it with the
// 32-bit one: each field is the same or says "see there".
func readZip64(tail []byte, total int64, short directory) (directory, int64, *Refusal) {
	end := tail[len(tail)-endBytes:]
	behind := total - endBytes - locatorBytes - end64Bytes
	if behind < 0 || len(tail) < endBytes+locatorBytes+end64Bytes {
		return short, 0, refuse(BadZip64, "")
	}
	locator := tail[len(tail)-endBytes-locatorBytes:]
	end64 := tail[len(tail)-endBytes-locatorBytes-end64Bytes:]
	if little.Uint64(locator[8:]) != uint64(behind) || little.Uint32(end64) != end64Signature || little.Uint64(end64[4:]) != end64Bytes-12 {
		return short, 0, refuse(BadZip64, "")
	}
	disk, disks := little.Uint32(locator[4:]), little.Uint32(locator[16:])
	here, all := little.Uint64(end64[24:]), little.Uint64(end64[32:])
	if disk != 0 || disks > 1 || little.Uint32(end64[16:]) != 0 || little.Uint32(end64[20:]) != 0 || here != all {
		return short, 0, refuse(MultiDisk, "")
	}
	for _, pair := range []struct{ short, none, long uint64 }{
		{uint64(little.Uint16(end[4:])), none16, 0},
		{uint64(little.Uint16(end[6:])), none16, 0},
		{uint64(little.Uint16(end[8:])), none16, here},
		{uint64(little.Uint16(end[10:])), none16, all},
		{uint64(little.Uint32(end[12:])), none32, little.Uint64(end64[40:])},
		{uint64(little.Uint32(end[16:])), none32, little.Uint64(end64[48:])},
	} {
		if pair.short != pair.none && pair.short != pair.long || pair.long > 1<<62 {
			return short, 0, refuse(BadZip64, "")
		}
	}
	return directory{
		count: int64(all), size: int64(little.Uint64(end64[40:])), offset: int64(little.Uint64(end64[48:])),
	}, behind, nil
}
