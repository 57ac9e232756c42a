// Package store and the packages below it hold all SQL but that of the files of Anki (platform/ankifile): one text for SQLite and PostgreSQL, one suite on both.
//
// app calls it. Reads go through Store.Read, writes through Store.Write, which is one transaction:
// when Write returns nil, what the function did is on disk. On SQLite concurrent writers share a
// transaction (see group.go), on PostgreSQL each has its own.
//
// Conventions: SQL is written for PostgreSQL with $1, $2 and turned into ?1, ?2 for SQLite; times are
// BIGINT microseconds UTC with 0 for never; documents are TEXT that SQL never looks into; what is
// filtered or sorted is a column.
package store
