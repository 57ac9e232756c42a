// Package mcpserver speaks the Model Context Protocol to assistants: tools, prompts and resources.
//
// Everything it does is an operation of the HTTP API, carried out by an API as whoever calls: what a member may do and what
// comes out is decided there, once. It imports no SQL and no application method, so the server and `stoa mcp` use the same one.
//
// What packs and notes say was written by other people. It is handed over as data, marked as untrusted, and is never part of
// the server's instructions or of a tool's description.
package mcpserver
