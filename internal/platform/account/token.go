package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"strings"
)

// NewToken gives a fresh opaque token of 256 random bits as 43 URL-safe characters. None begins with a hyphen: on a command line
// (--token TOKEN) it would be read as a flag.
func NewToken() string {
	for {
		b := make([]byte, 32)
		rand.Read(b)
		if token := base64.RawURLEncoding.EncodeToString(b); token[0] != '-' {
			return token
		}
	}
}

// TokenHash is what is stored of a token: its SHA-256 in hex.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// The letters of generated passwords: none that look like another.
const passwordAlphabet = "abcdefghjkmnpqrstuvwxyz23456789"

// NewPassword gives a password of four groups of five letters (99 bits) that can be read aloud.
func NewPassword() string {
	var b strings.Builder
	for i := range 20 {
		if i > 0 && i%5 == 0 {
			b.WriteByte('-')
		}
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(passwordAlphabet))))
		if err != nil {
			panic(err) // crypto/rand never fails on a supported system
		}
		b.WriteByte(passwordAlphabet[n.Int64()])
	}
	return b.String()
}
