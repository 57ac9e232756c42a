// Package search decides what a search finds and in which order, without
// knowing any database.
//
// It owns the tokenizer shared by index and query, the parsed Query, the
// Document that is indexed, the tiers a search walks through, their rendering
// for the two engines (FTS5 match text and tsquery text) and the order of hits
// inside a tier. It holds no SQL, does no input or output and reads no clock.
//
// Package store calls it: its two search indexes write Document.Tokens and ask
// the engine which sequence numbers match a Match; its Search function walks
// Plan and orders the answers with Rank. The catalog calls FoldTitle once per
// title to fill Candidate.FoldedTitles.
package search
