// Package notes reads one Markdown note and says what is in it: atoms (the pieces one can learn), the exact bytes they
// stand on, links to other notes, and what those links are said to mean.
//
// It knows nothing of other notes: package graph resolves links and builds relations. It does no input or output, never
// fails on strange input, and takes time in proportion to the bytes it is given.
//
// The unit of mastery is the note: its root atom (the text before the first heading) stands for the concept the note is
// about, and prerequisites hold between root atoms, because that is how people link their notes. A section is an atom of
// its own that follows the root; code, formulas and diagrams are atoms that belong to a section. See docs/knowledge.md.
package notes
