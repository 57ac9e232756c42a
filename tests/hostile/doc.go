// Package hostile tries what attackers have tried, once for each finding of the security reviews. Each file has the
// findings of one part of the server; docs/security-tried.md has the table of what was tried, how many and what held.
//
// A finding is added with add, under the number that the review gave it. `go test ./tests/hostile` runs the short form;
// with -hostile.long each finding tries all that it knows.
package hostile
