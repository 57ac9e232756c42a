// Package gitread reads one commit of somebody else's git repository over smart HTTP, into memory and nothing else: no
// working tree, no hooks, no filters, no submodules. Everything that a server sends is bounded in bytes, objects and work, and
// an object is only known by the hash of its bytes, so that a server cannot give other files for a commit than are its.
package gitread
