// Package recall predicts whether something once learned will be recalled: FSRS-6 for the memory, a head that
// learns from the person's own reviews as they come, a plain tracker as a challenger, and a mixture of them all.
//
// Nothing is fitted in batches and there are no parameters to set: a new person starts at FSRS-6 with its defaults.
// mastery calls it.
package recall
