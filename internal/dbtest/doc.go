// Package dbtest makes fresh PostgreSQL databases and clocks that are moved by hand, for the tests of the
// store and, through apitest, of everything above it.
package dbtest
