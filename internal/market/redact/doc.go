// Package redact takes the credentials out of a bot setup, in one of the contract's four modes, and proves over the finished
// bytes that none is left. Package detect says what is one.
//
// Three layers, in this order. Structure first: the name of a key and the type of its value (walk.go, positions.go).
// Then what a value looks like, wherever it stands (detect). Last, what was found anywhere is
// masked everywhere, in every encoding, and Verify searches the output for it. app calls Sections when an artifact is
// made, Verify before it is stored, and TextScan for the files of a template package; `stoa pack` does the same at home.
//
// Paths have one syntax: section.key["odd.key"][0]. A key of letters, digits, '_' and '-' stands plain after a dot,
// any other in brackets as a JSON string, an element of a list as its index. In mask_paths and drop_paths [*] is any
// element and .* any key.
//
// The engine costs nothing until its first use; its rules are compiled one by one when their keyword first appears.
package redact
