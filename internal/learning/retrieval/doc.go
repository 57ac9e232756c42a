// Package retrieval finds atoms by words, by likeness and along relations, and says for every hit what it rests on.
//
// It owns the index in memory: one shard per owner, so that nothing of a private note, not even how often a word occurs in
// it, reaches anybody who may not read it; the embedded vectors and their search; the mixing of the three ways; and a
// signature of what the index covers, by which app tells whether it is in step with the store. It is given a tokenizer
// and reads no clock. app feeds it the changes of package graph. See docs/knowledge.md.
package retrieval
