package account

import (
	"regexp"
	"testing"
)

// One in 64 began with a hyphen once, and whoever passed it as --token got "expected string value".
func TestTokensAreNoFlags(t *testing.T) {
	shape := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]{42}$`)
	for range 2000 { // by chance alone one run in 10¹³ would not meet a hyphen
		if token := NewToken(); !shape.MatchString(token) {
			t.Fatalf("%q", token)
		}
	}
}
