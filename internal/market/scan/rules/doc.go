// Package rules holds what the scanner looks for, as data: the words of each concept in eight languages
// (lexicon.txt) and the rules over them and over the shape of commands and addresses (rules.yaml).
//
// Matching takes time linear in the text. One pass over a trie finds every literal; a rule of concepts counts them
// within a sentence; a regular expression (RE2) runs only over the few hundred bytes around its literal.
package rules
