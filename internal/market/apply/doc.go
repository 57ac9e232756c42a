// Package apply puts a pack into a running bot and takes it out again. It runs on the member's machine.
//
// A Plan says what is made, changed, removed and kept, with the old and the new value, and what the bot will reach that it
// did not reach before. Runner.Apply carries a plan out in order. Before each step the journal is on disk; after each
// step the value is read back from the bot. An interrupted plan is continued with Continue or taken back with Undo.
// Undo restores exactly what stood before the last plan. Drift names what was changed by hand since.
//
// Objects that Stoa did not make are never touched unless the member asked for it (Options.Replace), and then their old
// value is in the journal. MCP servers and providers that Stoa did not make are never replaced at all, since they may
// hold secrets, which would then stand in the journal.
//
// The package is pure but for the journal file. Targets: market/astrbot (a running AstrBot over HTTP).
package apply
