// Package judging compares what a learner answers with what is expected: exactly, folded, as a number with its unit, as a formula, part by part.
// A verdict says what it rests on and whether that is sure. It knows the question and its answer and nothing else.
package judging
