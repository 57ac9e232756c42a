// Package httpapi is the HTTP layer: for every request it finds the operation, checks the request against
// the contract, authenticates the caller, calls one application method and writes the envelope.
//
// cmd/stoa and apitest make a Server and serve it. Routes, roles, aliases and request schemas come from
// api/openapi.yaml (contract.go); which application method serves which operation is one table
// (operations.go). Adding an operation touches only those two.
package httpapi
