package account

import (
	"context"
	"errors"
	"strconv"
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

// Whoever goes away while it waits leaves its turn to the next, and makes no place that there is not.
func TestTheTurnOfWhoHasGoneIsTheNextOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context(), "first"); err != nil {
			t.Fatal(err)
		}
		gone, cancel := context.WithCancel(t.Context())
		got := make(chan error, 2)
		go func() { got <- q.enter(gone, "a") }()
		synctest.Wait()
		go func() { got <- q.enter(t.Context(), "a") }()
		synctest.Wait()
		cancel()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if q.waiting != 1 || q.free != 0 || len(got) != 0 {
			t.Errorf("%d wait, %d free, %d served", q.waiting, q.free, len(got))
		}
		q.leave()
		if err := <-got; err != nil {
			t.Fatal(err)
		}
		if q.leave(); q.free != 1 || q.waiting != 0 || len(q.sources) != 0 {
			t.Errorf("afterwards %d free, %d waiting, %d sources", q.free, q.waiting, len(q.sources))
		}
	})
}

// A caller whose context ends at the moment it is served passes the place on.
func TestATurnThatComesTooLateIsNotLost(t *testing.T) {
	for range 50 { // select takes either of the two at random
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(1)
			if err := q.enter(t.Context(), "first"); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			got := make(chan error, 1)
			go func() { got <- q.enter(ctx, "a") }()
			synctest.Wait()
			q.leave()
			cancel()
			if err := <-got; err == nil {
				q.leave()
			}
			if q.free != 1 {
				t.Fatal("the place is lost")
			}
		})
	}
}

// While a source may still wait it would not be refused, though no place is free.
func TestFullIsWhoeverWouldBeRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := NewHasher(1)
		if err := h.queue.enter(ctx, "first"); err != nil {
			t.Fatal(err)
		}
		if h.Full("a") {
			t.Error("full though nobody waits")
		}
		for range waitingSource {
			go func() { _ = h.queue.enter(ctx, "a") }()
		}
		synctest.Wait()
		if !h.Full("a") || h.Full("b") {
			t.Error("a has as many waiting as it may, b has none")
		}
		if ok, err := h.Verify(ctx, "a", "", "x"); ok || !errors.Is(err, ErrBusy) {
			t.Errorf("one that would be refused: %v, %v", ok, err)
		}
		cancel()
		synctest.Wait()
	})
}

// In all as many may wait as the bound says, from however many sources.
func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		q := newQueue(1)
		if err := q.enter(ctx, "first"); err != nil {
			t.Fatal(err)
		}
		for i := range waitingAll {
			go func() { _ = q.enter(ctx, strconv.Itoa(i)) }()
		}
		synctest.Wait()
		if q.waiting != waitingAll {
			t.Fatalf("%d wait", q.waiting)
		}
		if err := q.enter(ctx, "another"); !errors.Is(err, ErrBusy) {
			t.Errorf("one too many: %v", err)
		}
		cancel()
		synctest.Wait()
	})
}

// The longest password that may be set can be used.
func TestLongestPassword(t *testing.T) {
	h := NewHasher(1)
	longest := strings.Repeat("word ", MaxPasswordLength)[:MaxPasswordLength]
	stored, err := h.Hash(t.Context(), "a", longest)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Verify(t.Context(), "a", stored, longest); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if ok, err := h.Verify(t.Context(), "a", stored, longest+"w"); ok || err != nil {
		t.Errorf("one longer: %v, %v", ok, err)
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
