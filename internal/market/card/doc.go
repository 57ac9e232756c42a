// Package card is the neutral projection of one published version: what other assistants can use of it, without anything
// that would run by itself. Package feed writes every neighbour's format from cards and from nothing else, so what a card
// leaves out no feed can carry.
//
// A card holds personas, skills and MCP servers. Front matter of skills is rebuilt from an allowlist, so hooks and granted
// tools do not travel, and marks that make an assistant run a shell command while it reads a text are defused. What stays
// behind is named in Losses, with the reason. Code that may run later, when the assistant starts it, is named in Runs.
//
// The names of items are mapped in names.go, for all feeds alike.
package card
