// Package routes is what the contract says of requests: which routes there are and who may use them (contract.go), and how a query
// or a body is checked against its schema and read (decode.go, shape.go, streamed.go for uploads). It answers nothing.
package routes
