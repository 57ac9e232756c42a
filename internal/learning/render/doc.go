// Package render turns the Markdown of a note into a tree that a page can show: CommonMark with tables, task lists,
// footnotes, strike-through, and what notes have besides: callouts, wiki links, block marks, highlights, comments and
// formulas. The tree holds a fixed set of elements and attributes (docs/notes.md); nothing of a note can add another, so
// that nothing in it can run. HTML is taken as far as it has a place in the tree, the rest of it is dropped.
//
// It does no input or output, never fails on strange input, and its time and memory are bounded by MaxBytes and MaxNodes.
package render
