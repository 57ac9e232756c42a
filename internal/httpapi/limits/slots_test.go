package limits

import (
	"errors"
	"testing"
	"testing/synctest"

	"stoa/internal/platform/errs"
)

// A member has so many places; a bounded number of further uploads wait for one, and the next is refused.
func TestUploadSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := NewUploadSlots(2)
		for range 2 {
			if err := slots.Take(t.Context(), "ada"); err != nil {
				t.Fatal(err)
			}
		}
		results := make(chan error, uploadsWaiting)
		for range uploadsWaiting {
			go func() { results <- slots.Take(t.Context(), "ada") }()
		}
		synctest.Wait()
		var refused *errs.Error
		if err := slots.Take(t.Context(), "ada"); !errors.As(err, &refused) || refused.Code != errs.RateLimited || refused.RetryAfter <= 0 {
			t.Errorf("one too many: %v", err)
		}
		if err := slots.Take(t.Context(), "bob"); err != nil {
			t.Errorf("another member: %v", err)
		}
		slots.Leave("ada") // one of those that wait has its place
		if err := <-results; err != nil {
			t.Error(err)
		}
		for range uploadsWaiting - 1 { // nobody else leaves in time
			if err := <-results; !errors.As(err, &refused) {
				t.Errorf("waited without end: %v", err)
			}
		}
		for range 2 {
			slots.Leave("ada")
		}
		slots.Leave("bob")
		if len(slots.members) != 0 {
			t.Errorf("%d members are kept", len(slots.members))
		}
	})
}
