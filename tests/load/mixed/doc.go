// Command mixed shows what the real binary carries, on loopback and within bounds that its flags set (`make load`):
//
//   - a mix of readers, installers, uploaders and learners that arrive at rising rates, whether or not earlier ones have
//     been answered, until the knee: on one node with SQLite, on one and on three nodes with PostgreSQL;
//   - comparable operations of PocketBase beside it, in turns;
//   - with -soak one moderate rate for a long time, which nothing may grow under.
package main
