// Package sqldb is what all packages of the store need to run statements on either engine: queries that give one row or many
// (engine.go), one transaction and what it notes (tx.go, journal.go), how long the database may take (patience.go), which errors mean
// that it is out of reach (reach.go), and tables and rows as a backup writes them (tables.go, row.go).
package sqldb
