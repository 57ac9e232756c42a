package account

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
)

func TestPasswordRoundTrip(t *testing.T) {
	h := NewHasher(1)
	stored, err := h.Hash(context.Background(), "a", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored = %q", stored)
	}
	for password, want := range map[string]bool{"correct horse battery": true, "Correct horse battery": false, "": false, strings.Repeat("x", 5000): false} {
		got, err := h.Verify(context.Background(), "a", stored, password)
		if err != nil || got != want {
			t.Errorf("Verify(%.20q) = %v, %v, want %v", password, got, err, want)
		}
	}
	if ok, err := h.Verify(context.Background(), "a", "", "anything at all"); ok || err != nil {
		t.Errorf("a missing account verified: %v, %v", ok, err)
	}
	if _, err := h.Verify(context.Background(), "a", "$2b$10$abc", "x"); err == nil {
		t.Error("a foreign hash was read")
	}
}

func TestHasherWaitsNoLongerThanItsCaller(t *testing.T) {
	h := NewHasher(1)
	if err := h.queue.enter(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := h.Hash(ctx, "a", "x"); err == nil {
		t.Error("Hash went on without a place")
	}
	h.queue.leave()
	if h.queue.free != 1 || h.queue.waiting != 0 || len(h.queue.sources) != 0 {
		t.Errorf("afterwards %+v", h.queue)
	}
}

// Whoever has gone before the hashing began takes no place with them: else some dropped connections would end all sign-ins.
func TestNoPlaceIsLostToWhoHasGone(t *testing.T) {
	h := NewHasher(1)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		if _, err := h.Verify(gone, "a", "", "word"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if ok, err := h.Verify(t.Context(), "a", "", "word"); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	q := newQueue(1)
	if err := q.enter(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		if err := q.enter(gone, "b"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	q.leave()
	if q.free != 1 || q.waiting != 0 || len(q.sources) != 0 {
		t.Errorf("%d free, %d waiting, %d sources", q.free, q.waiting, len(q.sources))
	}
}

// However many wait from one source, another is next but one; and there is a bound.
func TestQueueServesSourcesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(context.Background(), "first"); err != nil {
			t.Fatal(err)
		}
		var order []string
		wait := func(source string) {
			go func() {
				if err := q.enter(context.Background(), source); err != nil {
					t.Error(err)
					return
				}
				order = append(order, source)
				q.leave()
			}()
			synctest.Wait()
		}
		for range waitingSource {
			wait("crowd")
		}
		if err := q.enter(context.Background(), "crowd"); !errors.Is(err, ErrBusy) {
			t.Errorf("one too many of a source: %v", err)
		}
		wait("honest")
		q.leave()
		synctest.Wait()
		if len(order) != waitingSource+1 || order[1] != "honest" {
			t.Errorf("served in the order %v", order)
		}
		if q.free != 1 || q.waiting != 0 || len(q.turns) != 0 || len(q.sources) != 0 {
			t.Errorf("afterwards %+v", q)
		}
	})
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
