// Command bench measures Stoa against ceilings made on the same machine in the same run (make bench).
//
// The target is the real binary, built fresh and started as in production, with its log in a file, its
// metrics and its request records; only the bound on requests per second is lifted. The ceiling of a
// read is a bare net/http server in a process of its own (bare.go) that gives out recorded answers of
// the target: the same status, headers and bytes, without thinking. The ceiling of an install is the
// same three rows in raw SQLite group commits (rawcommit.go). This process makes the load (load.go), the
// same for both, and lets target and ceiling take turns in slices of a second, so that what else the
// machine does hits both. Ratios are medians over the slices; absolute figures are only good beside
// each other.
//
// stores.Make makes the stores; they are kept under .cache/bench. The store with a million templates is
// used when it is there or when --large asks for it.
package main
