// Package scan reads what people publish and says what in it may harm whoever installs it.
//
// It judges nothing and removes nothing: findings become labels and evidence, and a person decides.
// app calls it before anything is published.
//
// A text goes window by window through normal (folding, decoding), rules (words and shapes) and model (a linear
// classifier); memory does not grow with the text. See docs/scanning.md.
package scan
