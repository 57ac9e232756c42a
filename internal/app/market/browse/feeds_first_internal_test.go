package browse

import (
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/platform/errs"
)

// Whoever asks for a feed while a new version prepares it is told when to come back, and how far it is.
func TestFirstFeedsAreNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &Service{Core: &core.Core{}}
		a.Clock = time.Now
		a.feeds.begin(30_000, time.Now())
		stop := make(chan struct{})
		a.feeds.first.DoChan("", func() (any, error) { <-stop; return nil, nil })
		time.Sleep(20 * time.Second)
		a.feeds.done.Store(20_000)
		err := a.firstFeeds(t.Context())
		e, ok := errs.As(err)
		if !ok || e.Code != errs.ServiceUnavailable || e.RetryAfter < 12*time.Second || e.RetryAfter > 13*time.Second {
			t.Errorf("%+v", err)
		}
		close(stop)
		synctest.Wait()
		if got := (&feedWork{}).wait(time.Now()); got != feedPatience {
			t.Errorf("nothing is done: %v", got)
		}
	})
}
