package account

import (
	"context"
	"strings"
	"testing"
)

func TestPasswordRoundTrip(t *testing.T) {
	h := NewHasher(1)
	stored, err := h.Hash(context.Background(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored = %q", stored)
	}
	for password, want := range map[string]bool{"correct horse battery": true, "Correct horse battery": false, "": false, strings.Repeat("x", 5000): false} {
		got, err := h.Verify(context.Background(), stored, password)
		if err != nil || got != want {
			t.Errorf("Verify(%.20q) = %v, %v, want %v", password, got, err, want)
		}
	}
	if ok, err := h.Verify(context.Background(), "", "anything at all"); ok || err != nil {
		t.Errorf("a missing account verified: %v, %v", ok, err)
	}
	if _, err := h.Verify(context.Background(), "$2b$10$abc", "x"); err == nil {
		t.Error("a foreign hash was read")
	}
}

func TestHasherWaitsNoLongerThanItsCaller(t *testing.T) {
	h := NewHasher(1)
	h.slots <- struct{}{}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Hash(ctx, "x"); err == nil {
		t.Error("Hash went on without a slot")
	}
}

func TestTokensAndPasswordsDiffer(t *testing.T) {
	tokens, passwords := map[string]bool{}, map[string]bool{}
	for range 100 {
		tokens[NewToken()], passwords[NewPassword()] = true, true
	}
	if len(tokens) != 100 || len(passwords) != 100 {
		t.Error("two of them are equal")
	}
	if got := NewPassword(); len(got) != 23 || strings.ContainsAny(got, "01ilo") {
		t.Errorf("password %q", got)
	}
	if TokenHash("a") == TokenHash("b") || len(TokenHash("a")) != 64 {
		t.Error("token hash")
	}
}
