// Package units decides what of a member's notes is worth learning, and puts it together.
//
// A note is split into blocks (blocks.go); lines and blocks that say nothing of the subject are told from content by
// their form (noise.go), by the wording of their heading (words.go) and by how often they repeat over all notes
// (repeat.go); sections that only continue another are joined to it and long notes are split (build.go). What is left
// out is kept with its reason. author.go gives the order in which the author numbered or listed the notes.
//
// The package knows nothing of learners, storage or time. It never fails on strange input and takes time in proportion
// to the bytes it is given.
package units
