// Package graph keeps what a vault of notes knows as a graph: atoms, the spans they stand on, and relations between
// them with provenance and confidence.
//
// It owns the resolving of links, the inference of prerequisites where they are not written, the breaking of cycles and
// members' corrections. A Library is the graph of one owner in memory; it changes by Ingest, which says what changed, and
// holds nothing that its Records do not determine: opened again from them it is the same. app keeps Records, atoms, spans
// and edges in the store and gives every Library its owner and the time. Nothing here does input or output.
//
// Direction: the source of a prerequisite or sequence comes before its target. See docs/knowledge.md.
package graph
