// Package backup writes a whole store, its rows and the blobs they name, into one file while a server runs, checks such
// a file, and fills an empty store from it, of either engine.
//
// cmd/stoa calls it. The file is a tar, compressed (zstd) and on wish encrypted (age). Its members, in this order:
//
//	stoa-backup.json          the head: format, engine, schema, tables with their columns
//	rows/TABLE/000001.jsonl   the rows, a JSON array each, by primary key; the same on both engines
//	blobs/ab/cd/DIGEST        the blobs that rows name, by digest
//	manifest.json             how much there is of everything, and the digests
//	manifest.sha256           the digest of the manifest
//
// The search index is not in it: it is rebuilt from the rows.
package backup
