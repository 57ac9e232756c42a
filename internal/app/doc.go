// Package app holds the application methods: one Go method per operation of the contract, one file
// per subject. HTTP, the command line and tests call these and nothing below them.
//
// A method checks whose data is touched, does its work in one transaction with its audit event
// inside, and returns what the contract calls data. Errors are *errs.Error when a caller can do
// something about them.
package app
