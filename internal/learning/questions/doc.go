// Package questions holds what a learner is asked: questions with the answers that are accepted, where in the notes they
// come from, and how an answer is judged.
//
// Derive finds the questions that the author of a note wrote (author.go) and makes others by rule from its text
// (rule.go). Judge compares an answer with the expected one (judge.go); a verdict says why, and whether it is sure. One
// that is not sure must not count for or against the learner.
//
// The package is pure: what it derives depends on the unit alone, so that questions need not be stored to be found again.
package questions
