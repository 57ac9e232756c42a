package hostile

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strings"

	"stoa/internal/market/archive"
)

var hello = []byte("hello, world\n")

func bombs() []Case {
	zeros := make([]byte, 64<<20)
	flat := text("zeros.bin", zeros[:8<<20])
	many := make([]part, 0, 9)
	for i := range 9 {
		p := flat
		p.name = fmt.Sprintf("zeros-%d.bin", i)
		p.localName = p.name
		many = append(many, p)
	}
	// Just below the ratio for every entry, so that the sum must be noticed.
	noise := static(1, 8<<20)
	var wide []part
	for i := range 9 {
		wide = append(wide, packed(fmt.Sprintf("noise-%d.bin", i), append(static(uint32(i), 400<<10), zeros[:7<<20]...), deflated))
	}
	return []Case{
		open("flat bomb", archive.CompressionRatio, pack(flat)),
		open("flat bomb beyond the size of a file", archive.CompressionRatio, pack(text("zeros.bin", zeros))),
		open("bomb of many files", archive.CompressionRatio, pack(many...)),
		open("files too large together", archive.UnpackedTooLarge, pack(wide...)),
		open("file too large", archive.FileTooLarge, pack(packed("noise.bin", append(noise, 'x'), deflated))),
		open("overlapping bomb on one kernel", archive.OverlappingEntries, kernel(2000)),
		open("overlapping bomb of quoted headers", archive.OverlappingEntries, quoted()),
		open("entry inside another", archive.OverlappingEntries, inside()),
	}
}

// static is noise that does not compress, the same each time.
func static(seed uint32, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		seed = seed*1664525 + 1013904223
		out[i] = byte(seed >> 24)
	}
	return out
}

// kernel is one deflated megabyte that every record of the directory names.
func kernel(n int) []byte {
	parts := []part{text("0", make([]byte, 1<<20))}
	at := uint32(0)
	for i := 1; i < n; i++ {
		p := parts[0]
		p.name, p.absent, p.at, p.data = fmt.Sprint(i), true, &at, nil
		parts = append(parts, p)
	}
	return pack(parts...)
}

// quoted is Fifield's construction in small: the stream of each file begins with a stored block that holds
// the next file's local header, and goes on with the next file's stream.
func quoted() []byte {
	last := text("b", make([]byte, 1<<20))
	var header bytes.Buffer
	local(&header, &part{name: "b", localName: "b", method: deflated, localMethod: deflated, localCRC: last.crc, localPacked: last.packed, localSize: last.size})
	n := header.Len()
	block := append([]byte{0, byte(n), byte(n >> 8), ^byte(n), ^byte(n >> 8)}, header.Bytes()...)
	plain := append(append([]byte{}, header.Bytes()...), make([]byte, 1<<20)...)
	crc := crc32.ChecksumIEEE(plain)
	first := part{
		name: "a", localName: "a", method: deflated, localMethod: deflated, crc: crc, localCRC: crc,
		data: append(block, last.data...), size: uint32(len(plain)), localSize: uint32(len(plain)),
	}
	first.packed = uint32(len(first.data))
	first.localPacked = first.packed
	at := uint32(30 + 1 + 5)
	last.absent, last.at = true, &at
	return pack(first, last)
}

// inside hides a whole entry in the stored bytes of another.
func inside() []byte {
	var hidden bytes.Buffer
	inner := packed("b", hello, stored)
	local(&hidden, &inner)
	outer := packed("a", hidden.Bytes(), stored)
	at := uint32(30 + 1)
	inner.absent, inner.at = true, &at
	return pack(outer, inner)
}

func names() []Case {
	var cases []Case
	for _, c := range []struct {
		name   string
		reason archive.Reason
		paths  []string
	}{
		{"traversal", archive.PathTraversal, []string{"../../etc/passwd"}},
		{"traversal inside", archive.PathTraversal, []string{"a/../../b"}},
		{"absolute", archive.AbsolutePath, []string{"/etc/passwd"}},
		{"root", archive.AbsolutePath, []string{"/"}},
		{"backslash", archive.Backslash, []string{`..\..\evil.txt`}},
		{"drive letter", archive.Colon, []string{"C:evil.txt"}},
		{"alternate stream", archive.Colon, []string{"a.txt:hidden"}},
		{"empty name", archive.BadPath, []string{""}},
		{"empty segment", archive.BadPath, []string{"a//b"}},
		{"dot segment", archive.BadPath, []string{"a/./b"}},
		{"trailing dot", archive.TrailingDot, []string{"manifest.json."}},
		{"trailing blank", archive.TrailingDot, []string{"a /b"}},
		{"reserved", archive.ReservedName, []string{"CON"}},
		{"reserved with extension", archive.ReservedName, []string{"a/nul.txt"}},
		{"reserved superscript", archive.ReservedName, []string{"com¹"}},
		{"not UTF-8", archive.NameEncoding, []string{"caf\xe9.txt"}},
		{"overlong UTF-8", archive.NameEncoding, []string{"a\xc0\xaf..\xc0\xafb"}},
		{"surrogate in UTF-8", archive.NameEncoding, []string{"\xed\xa0\x80"}},
		{"NUL", archive.NameControl, []string{"a.txt\x00.exe"}},
		{"newline", archive.NameControl, []string{"a\nb"}},
		{"escape sequence", archive.NameControl, []string{"\x1b[2Ja"}},
		{"right-to-left override", archive.NameControl, []string{"a\u202etxt.exe"}},
		{"zero-width blank", archive.NameControl, []string{"mani\u200bfest.json"}},
		{"C1 control", archive.NameControl, []string{"a\u0085b"}},
		{"tag characters", archive.NameControl, []string{"a\U000E0041"}},
		{"path too long", archive.PathTooLong, []string{strings.Repeat("x", 241)}},
		{"path of 65,535 bytes", archive.PathTooLong, []string{strings.Repeat("x", 65535)}},
		{"path too deep", archive.PathTooDeep, []string{strings.Repeat("a/", 8) + "b"}},
		{"duplicate", archive.DuplicateName, []string{"bundle.json", "bundle.json"}},
		{"case collision", archive.DuplicateName, []string{"bundle.json", "Bundle.JSON"}},
		{"case collision beyond ASCII", archive.DuplicateName, []string{"ß.txt", "ẞ.txt"}},
		{"NFC collision", archive.DuplicateName, []string{"caf\u00e9", "cafe\u0301"}},
		{"same folder twice", archive.DuplicateName, []string{"a/", "A/"}},
		{"file and folder", archive.FileIsDirectory, []string{"a", "a/"}},
		{"file and folder by a child", archive.FileIsDirectory, []string{"a/b/c", "A"}},
		{"folder by a child, file later", archive.FileIsDirectory, []string{"a", "a/b/c"}},
	} {
		var parts []part
		for _, path := range c.paths {
			if strings.HasSuffix(path, "/") {
				parts = append(parts, packed(path, nil, stored))
			} else {
				parts = append(parts, text(path, hello))
			}
		}
		cases = append(cases, open("name: "+c.name, c.reason, pack(parts...)))
	}
	return cases
}

func kinds() []Case {
	bend := func(name string, reason archive.Reason, change func(p *part)) Case {
		p := text("a", hello)
		change(&p)
		return open(name, reason, pack(p))
	}
	mode := func(m uint32) func(p *part) { return func(p *part) { p.attributes = m << 16 } }
	return []Case{
		bend("symlink", archive.Link, mode(0o120777)),
		bend("symlink of another creator", archive.Link, func(p *part) { p.madeBy, p.attributes = 20, 0o120777<<16 }),
		bend("reparse point", archive.Link, func(p *part) { p.madeBy, p.attributes = 11<<8, 0x400 }),
		bend("character device", archive.SpecialFile, mode(0o020666)),
		bend("block device", archive.SpecialFile, mode(0o060666)),
		bend("pipe", archive.SpecialFile, mode(0o010666)),
		bend("socket", archive.SpecialFile, mode(0o140666)),
		bend("folder without a slash", archive.TypeMismatch, mode(0o040755)),
		bend("DOS folder without a slash", archive.TypeMismatch, func(p *part) { p.madeBy, p.attributes = 0, 0x10 }),
		bend("file with a slash", archive.TypeMismatch, func(p *part) { *p = packed("a/", nil, stored); p.attributes = 0o100644 << 16 }),
		bend("folder with content", archive.DirectoryNotEmpty, func(p *part) { *p = text("a/", hello) }),
		bend("encrypted", archive.EncryptedEntry, func(p *part) { p.flags |= 1; p.localFlags |= 1 }),
		bend("encrypted in the local header only", archive.LocalMismatch, func(p *part) { p.localFlags |= 1 }),
		bend("strong encryption", archive.EncryptedEntry, func(p *part) { p.flags |= 1<<6 | 1; p.localFlags |= 1<<6 | 1 }),
		bend("masked headers", archive.EncryptedEntry, func(p *part) { p.flags |= 1 << 13; p.localFlags |= 1 << 13 }),
		bend("AES", archive.EncryptedEntry, func(p *part) { p.method, p.localMethod = 99, 99 }),
		bend("AES field", archive.EncryptedEntry, func(p *part) { p.extra = field(0x9901, make([]byte, 7)) }),
		bend("strong encryption field", archive.EncryptedEntry, func(p *part) { p.localExtra = field(0x17, make([]byte, 8)) }),
		bend("patch data", archive.UnsupportedFeature, func(p *part) { p.flags |= 1 << 5; p.localFlags |= 1 << 5 }),
		bend("bzip2", archive.UnsupportedMethod, func(p *part) { p.method, p.localMethod = 12, 12 }),
		bend("LZMA", archive.UnsupportedMethod, func(p *part) { p.method, p.localMethod = 14, 14 }),
		bend("entry comment", archive.Comment, func(p *part) { p.comment = "psst" }),
		bend("entry on another disk", archive.MultiDisk, func(p *part) { p.disk = 3 }),
		bend("unknown extra field", archive.UnknownExtra, func(p *part) { p.extra = field(0x4c4c, []byte("hidden")) }),
		bend("unknown local extra field", archive.UnknownExtra, func(p *part) { p.localExtra = field(0x4c4c, make([]byte, 60000)) }),
		bend("a comment as extra field", archive.UnknownExtra, func(p *part) { p.extra = field(0x6375, []byte("\x01hidden")) }),
		bend("overlong time field", archive.UnknownExtra, func(p *part) { p.extra = field(0x5455, make([]byte, 500)) }),
		bend("padding that is none", archive.UnknownExtra, func(p *part) { p.extra = field(0xd935, []byte("\x04\x00hidden data")) }),
		bend("broken extra field", archive.BadExtra, func(p *part) { p.extra = []byte{1, 2, 255, 255, 0} }),
		bend("broken local extra field", archive.BadExtra, func(p *part) { p.localExtra = []byte{9, 9, 255} }),
		bend("unicode path of another name", archive.UnicodePath, func(p *part) { p.extra = unicodePath("a", "b") }),
		bend("unicode path with a wrong checksum", archive.UnicodePath, func(p *part) { p.extra = unicodePath("x", "a") }),
		bend("local unicode path of another name", archive.UnicodePath, func(p *part) { p.localExtra = unicodePath("a", "../b") }),
	}
}

func field(id uint16, data []byte) []byte {
	out := little.AppendUint16(nil, id)
	out = little.AppendUint16(out, uint16(len(data)))
	return append(out, data...)
}

func unicodePath(of, name string) []byte {
	data := little.AppendUint32([]byte{1}, crc32.ChecksumIEEE([]byte(of)))
	return field(0x7075, append(data, name...))
}

func lies() []Case {
	bend := func(name string, reason archive.Reason, change func(p *part)) Case {
		p := text("a", hello)
		change(&p)
		return read(name, reason, pack(p, text("b", hello)))
	}
	declare := func(n uint32) func(p *part) { return func(p *part) { p.size, p.localSize = n, n } }
	broken := func(p *part) {
		p.data = append([]byte{}, p.data...)
		p.data[0] = 7 // a block type that does not exist
	}
	return []Case{
		bend("declares less than it holds", archive.SizeMismatch, declare(3)),
		bend("declares nothing", archive.SizeMismatch, declare(0)),
		bend("declares more than it holds", archive.SizeMismatch, declare(100_000)),
		bend("wrong checksum", archive.CRCMismatch, func(p *part) { p.crc++; p.localCRC++ }),
		bend("broken stream", archive.BadData, broken),
		bend("cut stream", archive.BadData, func(p *part) {
			p.data = p.data[:len(p.data)-4]
			p.packed -= 4
			p.localPacked -= 4
		}),
		bend("data behind the stream", archive.HiddenData, func(p *part) {
			p.data = append(append([]byte{}, p.data...), "hidden"...)
			p.packed += 6
			p.localPacked += 6
		}),
	}
}
