package account

import "strings"

// apiTokenPrefix begins every token of a program, so that people and scanners for secrets know one when they see it.
const apiTokenPrefix = "stoa_"

// NewAPIToken gives a fresh token for a program.
func NewAPIToken() string { return apiTokenPrefix + NewToken() }

// IsAPIToken tells whether a text has the form of a program's token, not of a session's.
func IsAPIToken(text string) bool {
	return strings.HasPrefix(text, apiTokenPrefix) && len(text) == len(apiTokenPrefix)+43
}
