package hostile

import (
	"bytes"
	"strconv"

	"stoa/internal/market/archive"
)

// records are lies between the local header, the directory and the data descriptor.
func records() []Case {
	bend := func(name string, reason archive.Reason, change func(p *part)) Case {
		p := text("a", hello)
		change(&p)
		return open(name, reason, pack(p, text("b", hello)))
	}
	far := uint32(1 << 30)
	late := func(change func(p *part)) func(p *part) {
		return func(p *part) {
			p.flags |= 8
			p.localFlags |= 8
			p.descriptor = descriptor(*p)
			p.localCRC, p.localPacked, p.localSize = 0, 0, 0
			change(p)
		}
	}
	stray := text("a", hello)
	stray.at = &far
	shifted := text("a", hello)
	one := uint32(1)
	shifted.at = &one
	return []Case{
		bend("local name differs", archive.LocalMismatch, func(p *part) { p.localName = "x" }),
		bend("local name longer", archive.LocalMismatch, func(p *part) { p.localName = "../../x" }),
		bend("local method differs", archive.LocalMismatch, func(p *part) { p.localMethod = stored }),
		bend("local flags differ", archive.LocalMismatch, func(p *part) { p.localFlags = 1 << 11 }),
		bend("local checksum differs", archive.LocalMismatch, func(p *part) { p.localCRC++ }),
		bend("local size differs", archive.SizeMismatch, func(p *part) { p.localSize++ }),
		bend("local packed size differs", archive.SizeMismatch, func(p *part) { p.localPacked++ }),
		bend("stored with another size", archive.SizeMismatch, func(p *part) { *p = packed("a", hello, stored); p.size--; p.localSize-- }),
		bend("gap between entries", archive.HiddenData, func(p *part) { p.after = []byte("hidden") }),
		bend("descriptor missing", archive.OverlappingEntries, late(func(p *part) { p.descriptor = nil })),
		bend("descriptor too short", archive.OverlappingEntries, late(func(p *part) { p.descriptor = p.descriptor[:8] })),
		bend("descriptor too long", archive.HiddenData, late(func(p *part) { p.descriptor = append(p.descriptor, 0) })),
		bend("descriptor without its signature", archive.HiddenData, late(func(p *part) { p.descriptor[0] = 0 })),
		bend("descriptor with another checksum", archive.LocalMismatch, late(func(p *part) { p.descriptor[4]++ })),
		bend("descriptor with another size", archive.SizeMismatch, late(func(p *part) { p.descriptor[12]++ })),
		bend("descriptor and another local size", archive.SizeMismatch, late(func(p *part) { p.localSize = 5 })),
		open("record of an entry that is not there", archive.BadDirectory, pack(stray)),
		open("record points into a header", archive.OverlappingEntries, pack(text("0", hello), shifted)),
	}
}

func descriptor(p part) []byte {
	b := little.AppendUint32(nil, 0x08074b50)
	b = little.AppendUint32(b, p.crc)
	b = little.AppendUint32(b, p.packed)
	return little.AppendUint32(b, p.size)
}

// ends are lies of the records at the end of the file, and of the directory.
func ends() []Case {
	bend := func(name string, reason archive.Reason, change func(e *ending)) Case {
		e := plainEnd()
		change(&e)
		return open(name, reason, write(e, text("a", hello), text("b", hello)))
	}
	long := func(change func(record, locator []byte)) func(e *ending) {
		return func(e *ending) { e.zip64, e.shortCount, e.shortOffsets, e.long = true, true, true, change }
	}
	other := pack(text("c", hello))
	honest := pack(text("a", hello))
	wide := text("a", hello)
	wide.size, wide.extra = 1<<32-1, field(1, []byte{1, 2, 3})
	surplus := text("a", hello)
	surplus.extra = field(1, make([]byte, 8))
	twice := text("a", hello)
	twice.size = 1<<32 - 1
	twice.extra = append(field(1, little.AppendUint64(nil, uint64(len(hello)))), field(1, little.AppendUint64(nil, 1))...)
	huge := text("a", hello)
	huge.size, huge.extra = 1<<32-1, field(1, little.AppendUint64(nil, 1<<63))
	fork := text("a", hello)
	fork.size, fork.extra = 1<<32-1, field(1, little.AppendUint64(nil, 5))
	return []Case{
		open("empty file", archive.EmptyFile, nil),
		open("not a zip", archive.NotAZip, []byte("This is a text that somebody named .zip.\n")),
		open("short and not a zip", archive.NotAZip, []byte("PK")),
		open("a RAR archive", archive.NotAZip, append([]byte("Rar!\x1a\x07\x01\x00"), make([]byte, 100)...)),
		open("part of a split archive", archive.MultiDisk, append([]byte("PK\x07\x08"), honest[:60]...)),
		open("cut in the middle", archive.Truncated, honest[:len(honest)/2]),
		open("last byte missing", archive.Truncated, honest[:len(honest)-1]),
		open("too large", archive.PackedTooLarge, append(append([]byte{}, honest...), make([]byte, 20<<20)...)),
		bend("prefix", archive.PrefixData, func(e *ending) { e.prefix = []byte("#!/bin/sh\nexit\n") }),
		bend("prefix with shifted offsets", archive.PrefixData, func(e *ending) { e.prefix, e.offsetOff = []byte("MZ this is no zip"), -17 }),
		bend("gap before the directory", archive.HiddenData, func(e *ending) { e.gap = []byte("hidden") }),
		bend("trailing junk", archive.TrailingData, func(e *ending) { e.trailing = []byte("junk") }),
		bend("second archive behind", archive.BadDirectory, func(e *ending) { e.trailing = other }),
		bend("comment", archive.Comment, func(e *ending) { e.comment = []byte("hello") }),
		bend("comment cut", archive.Truncated, func(e *ending) { e.comment, e.commentBytes = []byte("hello"), 500 }),
		bend("second end record in the comment", archive.SecondEndRecord, func(e *ending) { e.comment = other }),
		bend("disk number", archive.MultiDisk, func(e *ending) { e.disk = 1 }),
		bend("directory on another disk", archive.MultiDisk, func(e *ending) { e.directoryDisk = 1 }),
		bend("counts differ", archive.MultiDisk, func(e *ending) { e.here = 1 }),
		bend("one entry too few", archive.BadDirectory, func(e *ending) { e.here, e.all = 1, 1 }),
		bend("one entry too many", archive.BadDirectory, func(e *ending) { e.here, e.all = 3, 3 }),
		bend("2,000 entries by its word", archive.BadDirectory, func(e *ending) { e.here, e.all = 2000, 2000 }),
		bend("directory offset", archive.BadDirectory, func(e *ending) { e.offsetOff = 1 }),
		bend("directory offset far away", archive.BadDirectory, func(e *ending) { e.offsetOff = 1 << 30 }),
		bend("directory size", archive.BadDirectory, func(e *ending) { e.sizeOff = -1 }),
		bend("directory size of 512 KiB", archive.BadDirectory, func(e *ending) { e.sizeOff = 512<<10 - 94 }),
		bend("directory size of 1 GiB", archive.DirectoryTooLarge, func(e *ending) { e.sizeOff = 1 << 30 }),
		bend("directory truncated", archive.BadDirectory, func(e *ending) { e.sizeOff, e.here, e.all = -46, 1, 1 }),
		bend("ZIP64 locator points elsewhere", archive.BadZip64, long(func(_, l []byte) { l[8]++ })),
		bend("ZIP64 record of another kind", archive.BadZip64, long(func(r, _ []byte) { r[0]++ })),
		bend("ZIP64 record with more data", archive.BadZip64, long(func(r, _ []byte) { r[4]++ })),
		bend("ZIP64 of several disks", archive.MultiDisk, long(func(_, l []byte) { l[16] = 2 })),
		bend("ZIP64 counts differ", archive.MultiDisk, long(func(r, _ []byte) { r[24]++ })),
		bend("ZIP64 count of 2^60", archive.TooManyEntries, long(func(r, _ []byte) { r[31], r[39] = 0x10, 0x10 })),
		bend("ZIP64 offset of 2^63", archive.BadZip64, long(func(r, _ []byte) { r[55] = 0x80 })),
		bend("ZIP64 contradicts the short record", archive.BadZip64, func(e *ending) {
			e.zip64, e.long = true, func(r, _ []byte) { r[24], r[32] = 1, 1 }
		}),
		bend("ZIP64 promised and missing", archive.TooManyEntries, func(e *ending) { e.shortCount = true }),
		open("ZIP64 field too short", archive.BadZip64, pack(wide)),
		open("ZIP64 field without need", archive.BadZip64, pack(surplus)),
		open("ZIP64 field twice", archive.BadZip64, pack(twice)),
		open("ZIP64 size of 2^63", archive.BadZip64, pack(huge)),
		open("ZIP64 size that the local header denies", archive.SizeMismatch, pack(fork)),
		open("65,536 entries", archive.DirectoryTooLarge, crowd(65536, false)),
		open("65,536 entries with ZIP64", archive.TooManyEntries, crowd(65536, true)),
		open("67,000 entries, counted modulo 65,536", archive.DirectoryTooLarge, crowd(67000, false)),
		open("2,001 entries", archive.TooManyEntries, crowd(2001, false)),
		open("440,000 entries", archive.TooManyEntries, directoryOnly(440_000, true)),
		open("440,000 entries, counted modulo 65,536", archive.TooManyEntries, directoryOnly(440_000, false)),
	}
}

// crowd has n true entries; without ZIP64 their count wraps at 65,536.
func crowd(n int, zip64 bool) []byte {
	parts := make([]part, n)
	for i := range parts {
		parts[i] = packed(strconv.Itoa(i), nil, stored)
	}
	e := plainEnd()
	e.zip64, e.shortCount = zip64, zip64
	return write(e, parts...)
}

// directoryOnly is 47 bytes for each entry: records without entries, so that most fit below the upload limit.
func directoryOnly(n int, zip64 bool) []byte {
	var record bytes.Buffer
	central(&record, &part{name: "x"}, 0)
	e := plainEnd()
	e.zip64, e.shortCount = zip64, zip64
	out := bytes.NewBuffer(make([]byte, 0, n*record.Len()+100))
	for range n {
		out.Write(record.Bytes())
	}
	finish(out, e, n, 0, n*record.Len())
	return out.Bytes()
}
