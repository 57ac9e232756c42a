// Package train makes the weights of the scanner's model from labelled texts and says how well they do on sources
// that they were not made from.
package train
