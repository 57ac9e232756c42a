// Package faults holds the tests that take parts away under a working server: nodes, the database, the network between
// them, room on the disk, and the time of day. docs/faults.md says what is done and what was seen.
//
// They start a PostgreSQL of their own and run the real binary on loopback. In the usual run each fault is short;
// `make faults` runs the checker for longer (-duration, -seed). They run on Linux alone.
package faults
