// Package questions holds what a learner is asked: questions with the answers that are accepted, and where in the notes they come from. How an
// answer is judged is in package judging.
//
// Derive finds the questions that the author of a note wrote (author.go) and makes others by rule from its text (rule.go).
//
// The package is pure: what it derives depends on the unit alone, so that questions need not be stored to be found again.
package questions
