// Package app puts the application together: the operations of all subjects (accounts, market, school, governance) over
// one store, and what concerns the store as a whole: sweeping, examining, verifying, upgrading. HTTP, the command line and
// tests call these and nothing below them.
//
// An operation is one Go method. It checks whose data is touched, does its work in one transaction with its audit event
// inside, and returns what the contract calls data. Errors are *errs.Error when a caller can do something about them.
package app
