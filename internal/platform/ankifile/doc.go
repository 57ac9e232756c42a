// Package ankifile reads and writes Anki's .apkg and .colpkg files: zip archives around a SQLite database, plain
// (collection.anki2, collection.anki21) or compressed with zstd in the newer schema (collection.anki21b).
//
// It owns the two schemas and the bounds on what strangers' files may make us unpack; what rows mean is package
// learning/anki's. It uses no path of the archive, keeps its database in a folder that it removes, and reads no media.
// app calls it for import and export.
package ankifile
