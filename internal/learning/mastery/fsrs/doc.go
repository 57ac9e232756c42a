// Package fsrs is FSRS-6, the model of one memory: how stable it is, how hard it is to keep, how likely it is recalled now.
//
// It is written from the published formulas (open-spaced-repetition, "The Algorithm", FSRS-6) and checked against the
// numbers in the tests of fsrs-rs. It knows no cards, queues or learning steps: a State, a grade and the days that went
// by give the next State. mastery/recall calls it.
package fsrs
