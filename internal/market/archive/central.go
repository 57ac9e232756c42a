package archive

import (
	"bytes"
	"hash/crc32"
	"strings"
)

// entry is one checked record of the central directory.
type entry struct {
	name   string
	offset int64 // of the local header
	data   int64 // of the packed bytes
	packed int64
	size   int64
	crc    uint32
	method uint16
	flags  uint16
	dir    bool
}

// Methods and flags (APPNOTE 4.4.4, 4.4.5).
const (
	stored   = 0
	deflated = 8

	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagPatched    = 1 << 5
	flagStrong     = 1 << 6
	flagUTF8       = 1 << 11
	flagMasked     = 1 << 13
)

// Unix file types in the upper half of the external attributes; DOS attributes in the lower.
const (
	typeMask   = 0o170000
	typeLink   = 0o120000
	typeFile   = 0o100000
	typeDir    = 0o040000
	dosDir     = 0x10
	dosReparse = 0x400
)

// Extra fields (APPNOTE 4.5).
const (
	extraZip64       = 0x0001
	extraStrong      = 0x0017
	extraUnicodePath = 0x7075
	extraAES         = 0x9901
)

// parseCentral reads the whole directory: exactly count records in exactly these bytes.
func parseCentral(dir []byte, count int64, l *Limits) ([]entry, *Refusal) {
	entries := make([]entry, 0, count)
	for len(dir) > 0 {
		e, rest, no := parseRecord(dir, l)
		if no != nil {
			return nil, no
		}
		if int64(len(entries)) == count {
			return nil, refuse(BadDirectory, e.name)
		}
		entries, dir = append(entries, e), rest
	}
	if int64(len(entries)) != count {
		return nil, refuse(BadDirectory, "")
	}
	return entries, nil
}

func parseRecord(b []byte, l *Limits) (entry, []byte, *Refusal) {
	var e entry
	if len(b) < centralBytes || little.Uint32(b) != centralSignature {
		return e, nil, refuse(BadDirectory, "")
	}
	nameEnd := centralBytes + int(little.Uint16(b[28:]))
	extraEnd := nameEnd + int(little.Uint16(b[30:]))
	comment := int(little.Uint16(b[32:]))
	if extraEnd+comment > len(b) {
		return e, nil, refuse(BadDirectory, "")
	}
	e = entry{
		name:  string(b[centralBytes:nameEnd]),
		flags: little.Uint16(b[8:]), method: little.Uint16(b[10:]), crc: little.Uint32(b[16:]),
		packed: int64(little.Uint32(b[20:])), size: int64(little.Uint32(b[24:])), offset: int64(little.Uint32(b[42:])),
	}
	e.dir = strings.HasSuffix(e.name, "/")
	switch {
	case comment > 0:
		return e, nil, refuse(Comment, e.name)
	case e.flags&(flagEncrypted|flagStrong|flagMasked) != 0:
		return e, nil, refuse(EncryptedEntry, e.name)
	case e.flags&flagPatched != 0:
		return e, nil, refuse(UnsupportedFeature, e.name)
	case e.method == 99: // AES by WinZip
		return e, nil, refuse(EncryptedEntry, e.name)
	case e.method != stored && e.method != deflated:
		return e, nil, refuse(UnsupportedMethod, e.name)
	}
	if no := checkName(e.name, l); no != nil {
		return e, nil, no
	}
	if no := checkType(e, little.Uint32(b[38:])); no != nil {
		return e, nil, no
	}
	wide, no := readExtra(b[nameEnd:extraEnd], e.name)
	if no != nil {
		return e, nil, no
	}
	disk := int64(little.Uint16(b[34:]))
	if no := widen(&e, &disk, wide); no != nil {
		return e, nil, no
	}
	if disk != 0 {
		return e, nil, refuse(MultiDisk, e.name)
	}
	return e, b[extraEnd:], nil
}

// checkType takes files and folders whose name and attributes agree. A missing Unix type is a file.
func checkType(e entry, attributes uint32) *Refusal {
	kind := attributes >> 16 & typeMask
	switch {
	case kind == typeLink, attributes&dosReparse != 0:
		return refuse(Link, e.name)
	case kind != 0 && kind != typeFile && kind != typeDir:
		return refuse(SpecialFile, e.name)
	case e.dir && kind == typeFile, !e.dir && (kind == typeDir || attributes&dosDir != 0):
		return refuse(TypeMismatch, e.name)
	}
	return nil
}

// widen puts the ZIP64 values in the place of the fields that say "see there", in their fixed order, and
// wants no value left over: a reader that takes them by position must come to the same.
func widen(e *entry, disk *int64, wide []byte) *Refusal {
	used := false
	for _, field := range []*int64{&e.size, &e.packed, &e.offset} {
		if *field != none32 {
			continue
		}
		if len(wide) < 8 || little.Uint64(wide) > 1<<62 {
			return refuse(BadZip64, e.name)
		}
		*field, wide, used = int64(little.Uint64(wide)), wide[8:], true
	}
	if *disk == none16 {
		if len(wide) < 4 {
			return refuse(BadZip64, e.name)
		}
		*disk, wide, used = int64(little.Uint32(wide)), wide[4:], true
	}
	if len(wide) > 0 || wide != nil && !used {
		return refuse(BadZip64, e.name)
	}
	return nil
}

// extraBounds are the longest fields, in bytes, of the kinds that archivers write for times, owners and flags (APPNOTE 4.5.2
// and Info-ZIP's extrafld.txt).
var extraBounds = map[uint16]int{
	0x0009: 32, // OS/2
	0x000a: 40, // NTFS times
	0x000d: 24, // Unix of PKWARE
	0x2605: 32, // ZipIt
	0x334d: 64, // Macintosh of Info-ZIP
	0x5455: 16, // Unix times
	0x5855: 16, // Unix times and owner, earlier
	0x6542: 32, // BeOS
	0x756e: 32, // Unix of ASi
	0x7855: 16, // Unix owner, earlier
	0x7875: 24, // Unix owner
	0xcafe: 0,  // Java archive
}

// Kinds of padding: nothing but zeros behind a short head.
const (
	extraGrowth = 0xa220 // Microsoft's growth hint
	extraAlign  = 0xd935 // Android's alignment
)

// knownExtra reports whether an additional field is one that archivers write, in a length in which nothing else fits.
func knownExtra(id uint16, field []byte) bool {
	if id == extraGrowth || id == extraAlign {
		return len(bytes.Trim(field[min(len(field), 4):], "\x00")) == 0
	}
	most, ok := extraBounds[id]
	return ok && len(field) <= most
}

// readExtra walks the additional fields and gives the ZIP64 one, nil when there is none.
func readExtra(b []byte, name string) (wide []byte, no *Refusal) {
	for len(b) >= 4 {
		id, n := little.Uint16(b), int(little.Uint16(b[2:]))
		if n > len(b)-4 {
			return nil, refuse(BadExtra, name)
		}
		field := b[4 : 4+n]
		b = b[4+n:]
		switch id {
		case extraZip64:
			if wide != nil {
				return nil, refuse(BadZip64, name)
			}
			wide = field
		case extraStrong, extraAES:
			return nil, refuse(EncryptedEntry, name)
		case extraUnicodePath:
			if len(field) < 5 || field[0] != 1 || little.Uint32(field[1:]) != crc32.ChecksumIEEE([]byte(name)) || string(field[5:]) != name {
				return nil, refuse(UnicodePath, name)
			}
		default:
			if !knownExtra(id, field) {
				return nil, refuse(UnknownExtra, name)
			}
		}
	}
	for _, c := range b { // alignment tools leave up to three zero bytes
		if c != 0 {
			return nil, refuse(BadExtra, name)
		}
	}
	return wide, nil
}
