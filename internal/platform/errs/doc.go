// Package errs is the one error type that people and programs see.
//
// Every layer returns *Error for what a caller can do something about; anything else is an internal
// error and is shown without its text. httpapi maps codes to statuses in one table.
package errs
