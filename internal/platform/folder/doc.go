// Package folder installs files into a folder on somebody's own machine, so that it can be undone.
//
// Plan says what would change and writes nothing. Apply first keeps a copy of everything it will change in
// .stoa/snapshots, then writes each file beside its place, syncs and renames it, and last of all records the
// installation in .stoa/lock.json: an installation that was interrupted has a snapshot and no record, and Undo takes it
// back. Undo restores the bytes, modes and absence of every file the last installation touched, and refuses when one
// was changed since.
//
// All paths are opened through os.Root, so no symbolic link in the folder leads a write out of it.
package folder
