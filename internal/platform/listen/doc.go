// Package listen makes the server that faces the network: its time limits, how many connections it holds and which of
// them it gives up first, and TLS from files that may be replaced while it runs.
//
// stoa serve calls it with the handler of httpapi; it knows nothing of what is served.
package listen
