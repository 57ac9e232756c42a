// Package export writes what a published item says in the formats of other programs: character cards (V2, V3, PNG),
// SKILL.md folders, agent and command files of coding assistants, Dify and LobeChat documents, plain prompts.
//
// Every writer gives a loss report beside its files: each value of the item that the target has no field for is named
// with its path in the pack and the reason. TestNothingIsLostSilently holds all writers to that: a value is in a file
// or in the report. Nothing that runs is written: no hooks, no install scripts, no executable bit.
//
// The package is pure: no SQL, no HTTP, no clock. The same item always gives the same bytes. Users: `stoa export`, the
// export operation of the market, and the feeds (internal/market/feed), which serve cards and plugin folders.
//
// Formats (facts): Character Card V2 (malfoyslastname) and V3 (kwaroran, 2024-07-20), Agent Skills specification
// (2026-08), Dify DSL 0.6.0, LobeChat agent index schema 1.
package export
