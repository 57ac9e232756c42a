// Package feed writes what other assistants read: a git repository with a marketplace of plugins, packages of npm, indexes of
// skills, registries. Each file of it knows one neighbour's format. All of them write from cards and rows of cards, so what
// may leave is decided in package card, and whoever may see which row by the caller.
//
// Everything is deterministic: the same cards give the same bytes, and so the same commit ids, digests and integrity values on
// every server that has them. Nothing that is written runs by itself: no hooks, no install scripts, no executable bit.
package feed
