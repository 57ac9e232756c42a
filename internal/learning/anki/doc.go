// Package anki says what an Anki collection means to Stoa: notes as documents of package graph, the review log as
// observations, and the way back.
//
// Its types mirror the rows of Anki's tables, so that a collection that is read and written again keeps every review and
// every id. platform/ankifile reads and writes the files; app joins the two. Nothing here does input or output.
package anki
