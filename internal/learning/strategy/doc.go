// Package strategy decides, on sound evidence, which of the three ways of planning a person gets: it keeps the statistics
// of randomised sessions, says when they are enough, and names the first condition that is not met when they are not.
//
// It owns exposure (randomised blocks with logged propensities), outcomes (value-added, corrected by delayed probes), the
// anytime-valid comparison against `balanced`, personal shrinkage, roll-back, the trend of one strategy and the telemetry.
// It is called by internal/app when a session is planned or recorded, and by `stoa eval selection`.
//
// Every statistic is a plain value that is updated by one record at a time and never looks back, so that its cost does not grow
// with the history; sums, counts and sums of squares can be merged.
//
// What a strategy's sessions chosen by a person or by a trend show is never compared: only randomised exposure is.
package strategy
