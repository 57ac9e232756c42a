// Package hostile makes the zips that archive refuses, one for each trick, for tests of every layer that
// takes uploads. Nothing is stored: the cases are built in memory, byte by byte, at the first call.
package hostile
