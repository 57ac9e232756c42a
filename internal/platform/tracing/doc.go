// Package tracing sends OpenTelemetry traces of requests and transactions to a collector, when one is set.
//
// Spans carry names of routes, statuses and error codes, never paths, queries, addresses or who somebody is. httpapi
// and store begin them; stoa serve switches them on. While they are off a span costs one atomic load.
package tracing
