// Package compare sets two profile packs against each other, section by section: what was added, removed
// and changed, by path, by item and as a unified diff. app gives it sections that are already redacted, so
// it never sees a secret; `stoa review` and the compare route show what it gives.
//
// # How JSON is shown
//
// Previews and diffs are JSON with two blanks of indentation and sorted names, with one exception: a string
// with line breaks, or of more than 160 characters, is prose, and is shown between """ marks with a line of
// its own for each line of the text. A line of more than 160 characters goes on behind the end of a
// sentence, or after 240 characters, in a line that begins with ↳. So a changed sentence of a prompt is one
// changed line. Windows line ends are said behind the first mark and not shown. Characters that nobody can see (controls, direction changes, tags, zero width) are shown as
// ⟨U+202E⟩ in prose and names, and as \u202e in short strings. Names and numbers of more than 160 characters
// are cut.
//
// # Bounds
//
// Sections of more than 2 MiB (canonical), or 20,000 lines as shown, are compared by path and not line by
// line; DiffLimited says so. The diff of an item (not of a section) with more than about a hundred separate
// edits shows the rest as one block.
package compare
