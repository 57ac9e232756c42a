// Package propose is what a language model is asked when it is to propose questions about a note, and what of its answers
// is taken.
//
// A note is read in parts (material.go). For each part a model is asked for questions with answer, rubric and evidence
// (Ask, Read); what does not hold up by rule is dropped with a reason. Every question that is left goes to a second call
// that sees its evidence alone and answers it (Check, ReadCheck); only when the judge of internal/learning/questions finds
// the two answers the same (Agrees) is it offered.
//
// The package is pure; internal/app/school asks the models, keeps count and stores what is left.
package propose
