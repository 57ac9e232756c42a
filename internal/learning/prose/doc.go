// Package prose finds the sentences and the marked words in the text of a note, with where they stand. It knows the marks of Markdown and
// of formulas, and nothing of questions.
package prose
