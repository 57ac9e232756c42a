//go:build race

package redact

// raceEnabled shortens what the race detector makes slow.
const raceEnabled = true
