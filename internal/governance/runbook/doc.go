// Package runbook says how the school is doing and what to do about it: signals are held to checks, checks make a
// matrix, past verifications of a check make streaks and a trend, these an escalation, and that a queue of actions.
//
// It owns the rules alone: values in, values out. Where signals come from and where records are kept is the business of
// internal/app, which calls it.
package runbook
