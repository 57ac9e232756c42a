// Package knowledge predicts whether a person will answer a question on an atom (skill, concept) correctly, and how
// sure that is.
//
// Three layers, each learning from every answer as it comes: beliefs about abilities and difficulties at four levels
// (person, person × atom, atom, question), a multi-level Elo system with a variance per node; a logistic head over their
// sum, counts, recency, windows of time and memory; and a calibration of the head. The order of answers is all that
// matters: the same answers in the same order give the same state to the last bit. mastery calls it.
package knowledge
