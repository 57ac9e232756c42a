// Package model is the scanner's linear model: hashed words, characters and pairs of concepts, an L2 logistic
// regression trained on chunks of text, and a small second one that judges whole documents by their chunks and
// by what the rules found.
//
// The weights are embedded; `stoa train scan` makes them anew.
package model
