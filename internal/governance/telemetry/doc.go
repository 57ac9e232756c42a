// Package telemetry sums up how questions about notes were answered for one learner: over a window of the newest ones, so
// that what was fixed is soon forgotten and what was never asked is known as that.
//
// Values in, values out: internal/app keeps the samples, internal/governance/runbook holds the figures to its checks.
package telemetry
