package passkey_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"

	"stoa/internal/passkeytest"
	"stoa/internal/platform/passkey"
)

// A key that takes seconds to check with is not accepted: whoever knows its id, its holder first of all, could have it checked for
// every attempt to sign in. Those that devices make have at most 4096 bits.
func TestKeysThatAreDearToCheck(t *testing.T) {
	for _, c := range []struct {
		bytes    int
		exponent []byte
		want     error
	}{
		{256, []byte{1, 0, 1}, nil},
		{512, []byte{1, 0, 1}, nil},
		{513, []byte{1, 0, 1}, passkey.ErrRefused},
		{20_000, []byte{1, 0, 1}, passkey.ErrRefused},
		{256, []byte{0x7f, 0xff, 0xff, 0xff}, passkey.ErrRefused},
		{256, bytes.Repeat([]byte{1}, 7), passkey.ErrRefused},
	} {
		a := passkeytest.New()
		a.Origin = origin
		modulus := make([]byte, c.bytes)
		rand.Read(modulus)
		modulus[0], modulus[c.bytes-1] = modulus[0]|0x80, modulus[c.bytes-1]|1
		options, state, err := passkey.Offer(origin, passkey.NewHandle(), "ada", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = passkey.Accept(state, "ada", a.CreateRSA(t, options, modulus, c.exponent))
		if !errors.Is(err, c.want) {
			t.Errorf("%d bytes, exponent %x: %v, want %v", c.bytes, c.exponent, err, c.want)
		}
	}
}
