// Package archive is the one reader of strangers' zips: scan, preview, import, export and `stoa pack` see an
// upload only through it.
//
// Open checks the raw records before anything is unpacked, and before anything is allocated by their word:
// the end record, ZIP64, the central directory, every local header and data descriptor, and that these parts
// tile the file exactly. So there is one way to read the file, and every other reader sees the same. Then
// Each, Open and Read stream the files: a stream gives what the directory declared, with the right CRC, or
// fails. A refusal is a *Refusal with a named Reason and a sentence that says what to do.
//
// A zip inside the zip is opened by Nested and walked by Deep, in memory and against the same limits:
// depth 1 is read, depth 2 is listed, deeper is named and left alone.
//
// The model is PyPI's walk over raw records (warehouse/utils/zipfiles.py), with data descriptors allowed,
// because Go, Python and macOS write them.
package archive
