// Package httpapi is the HTTP layer: for every request it finds the operation, checks the request against
// the contract, authenticates the caller, calls one application method and writes the envelope.
//
// internal/cli/operate and apitest make a Server and serve it. Routes, roles, aliases and request schemas come from
// api/openapi.yaml (package routes); which application method serves which operation is one table
// (operations.go). CONTRIBUTING.md has the steps of a new operation or parameter.
package httpapi
