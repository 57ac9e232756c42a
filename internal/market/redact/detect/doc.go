// Package detect finds credentials in texts: it knows what a value looks like and what the name beside it says.
//
// The rules are those of gitleaks as data (gitleaks.json, made by tools/gitleaks) and our own for bot platforms. A rule runs only
// near its keywords (engine.go has the automaton of all of them, scanning.go one pass over a text). Other readers follow
// assignments, addresses, commands and sign-ins. The work of a text is bounded (budget.go), whoever wrote it.
package detect
