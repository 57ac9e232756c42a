package hostile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"sync"
	"time"

	"stoa/internal/market/archive"
)

// nested are archives whose trick lies in the archives inside them: Deep refuses them.
func nested() []Case {
	bomb := pack(text("zeros.bin", make([]byte, 8<<20)))
	var many, crowds []part
	for i := range 42 { // each 24 KiB of noise 15 times, far below the ratio
		many = append(many, text(fmt.Sprintf("%d.txt", i), bytes.Repeat(static(uint32(i), 24<<10), 15)))
	}
	inner := pack(many...)
	var outer []part
	for i := range 5 {
		outer = append(outer, packed(fmt.Sprintf("%d.zip", i), inner, stored))
	}
	for i := range 3 {
		crowds = append(crowds, packed(fmt.Sprintf("%d.zip", i), crowd(1500, false), deflated))
	}
	return []Case{
		read("nested bomb", archive.CompressionRatio, pack(packed("inner.zip", bomb, stored))),
		read("nested overlapping bomb", archive.OverlappingEntries, pack(packed("inner.zip", kernel(500), stored))),
		read("nested bombs that only exceed together", archive.UnpackedTooLarge, pack(outer...)),
		read("nested crowds", archive.TooManyEntries, pack(crowds...)),
	}
}

// Quine is a zip of five zips, each of five, down to the given depth, in a few kilobytes: it is taken, read to
// depth 1, listed to depth 2, and deeper not touched.
func Quine(depth int) []byte {
	inner := pack(text("leaf.txt", hello))
	for range depth {
		var parts []part
		for i := range 5 {
			parts = append(parts, text(fmt.Sprintf("%d.zip", i), inner))
		}
		inner = pack(append(parts, text("note.txt", hello))...)
	}
	return inner
}

var good = sync.OnceValue(func() map[string][]byte {
	late := text("late.txt", hello)
	late.flags, late.localFlags = 8, 8
	late.descriptor = descriptor(late)
	late.localCRC, late.localPacked, late.localSize = 0, 0, 0
	bare := late
	bare.descriptor = bare.descriptor[4:]
	long := late
	long.descriptor = little.AppendUint64(little.AppendUint64(append([]byte{}, late.descriptor[:8]...), uint64(late.packed)), uint64(late.size))
	wide := text("wide.txt", hello)
	wide.size, wide.packed = 1<<32-1, 1<<32-1
	wide.extra = field(1, little.AppendUint64(little.AppendUint64(nil, uint64(len(hello))), uint64(len(wide.data))))
	wide.localSize, wide.localPacked, wide.localExtra = wide.size, wide.packed, wide.extra
	unflagged := text("naïve.txt", hello)
	unflagged.flags, unflagged.localFlags = 0, 0
	unflagged.extra = unicodePath("naïve.txt", "naïve.txt")
	java := packed("META-INF/", nil, deflated)
	mode := text("run.sh", hello)
	mode.attributes = 0o104755 << 16
	end64 := plainEnd()
	end64.zip64, end64.shortCount, end64.shortOffsets = true, true, true
	both := plainEnd()
	both.zip64 = true
	out := map[string][]byte{
		"empty":                      pack(),
		"deflated and stored":        pack(text("a", hello), packed("b", hello, stored)),
		"empty files":                pack(text("a", nil), packed("b", nil, stored)),
		"data descriptor":            pack(late, text("x", hello)),
		"bare data descriptor":       pack(text("x", hello), bare),
		"long data descriptor":       pack(long, text("x", hello)),
		"ZIP64 sizes":                pack(wide),
		"ZIP64 end":                  write(end64, text("a", hello)),
		"ZIP64 end without need":     write(both, text("a", hello)),
		"UTF-8 name without flag":    pack(unflagged),
		"CJK name":                   pack(text("人格/默认.json", hello)),
		"deflated folder":            pack(java, text("META-INF/MANIFEST.MF", hello)),
		"setuid":                     pack(mode),
		"2,000 entries":              crowd(2000, false),
		"nested":                     pack(packed("in.zip", pack(text("a", hello)), stored), text("b", hello)),
		"quine-like":                 Quine(4),
		"end record inside an entry": pack(packed("in.zip", pack(text("a", hello)), stored)),
	}
	maps.Copy(out, map[string][]byte{"Go's writer": byGo(false), "Go's writer with folders": byGo(true)})
	return out
})

// byGo is what archive/zip writes: data descriptors, modified times, folders.
func byGo(folders bool) []byte {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if folders {
		_, _ = w.Create("sections/")
	}
	for _, name := range []string{"manifest.json", "sections/personas.json"} {
		f, _ := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
		_, _ = f.Write(bytes.Repeat([]byte(`{"a": 1}`+"\n"), 1000))
	}
	_ = w.Close()
	return out.Bytes()
}
