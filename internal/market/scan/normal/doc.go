// Package normal folds text so that one pattern meets every spelling of it, and opens what is hidden or
// encoded in it. Every byte it makes remembers the byte of the source it came from.
package normal
