// Package month lives a month over HTTP with students whose memory is not the tutor's: ACT-R's base-level activation, soft
// prerequisites, guesses and slips. It checks that what the server says of a learner is true of them: one schedule, honest
// intervals, no false reason, nobody asked the same five things day after day.
package month
