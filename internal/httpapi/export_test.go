package httpapi

import "strings"

// What the tests of this package see of its inside.
var StatusOf = statusOf

// WithoutRow runs f while the table lacks an operation's row.
func WithoutRow(id string, f func()) {
	whole := operations
	defer func() { operations = whole }()
	operations = nil
	for _, op := range whole {
		if op.id != id {
			operations = append(operations, op)
		}
	}
	f()
}

// WithRow runs f while the table has one row more.
func WithRow(id string, f func()) {
	whole := operations
	defer func() { operations = whole }()
	operations = append(operations[:len(operations):len(operations)], operation{id, (*request).authInfo})
	f()
}

// ConsolePatterns are the method and path of every operation of the console.
func ConsolePatterns() [][2]string {
	all := [][2]string{{"POST", "/console/api/login"}, {"POST", "/console/api/passkey"}}
	for _, row := range new(Console).rows() {
		method, path, _ := strings.Cut(row.pattern, " ")
		all = append(all, [2]string{method, strings.ReplaceAll(path, "{id}", "x")})
	}
	return all
}
