// Package dbtest makes fresh PostgreSQL databases, stores as they once were and clocks that are moved by hand, for the
// tests of the store and, through apitest, of everything above it.
package dbtest
