// Package model holds the scanner's two models: a linear one over hashed words, characters and pairs of concepts, trained on
// chunks of text, and a small second one that judges whole documents and their worst parts by what the first one
// and the rules say.
//
// The weights are embedded; `stoa train scan` trains them.
package model
