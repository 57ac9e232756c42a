// Package api holds the contract, openapi.yaml, and nothing else.
//
// httpapi reads routes, roles, aliases and request schemas from it, apitest validates every answer
// against it, and web generates its TypeScript types from it.
package api
