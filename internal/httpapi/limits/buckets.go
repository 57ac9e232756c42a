package limits

import (
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"stoa/internal/app/core"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
)

// Buckets bound how fast one session, or one address without a session, may call.
type Buckets struct {
	perSecond float64
	Burst     int // that may come at once
	kept      *otter.Cache[string, *rate.Limiter]
}

// How many callers are remembered and for how long after their last call.
const (
	bucketsKept = 100_000
	bucketsIdle = 5 * time.Minute
)

// NewBuckets allows each caller so many calls a second; 0 means any number.
func NewBuckets(perSecond float64) *Buckets {
	return &Buckets{perSecond, burstOf(perSecond), otter.Must(&otter.Options[string, *rate.Limiter]{
		MaximumSize: bucketsKept, ExpiryCalculator: otter.ExpiryAccessing[string, *rate.Limiter](bucketsIdle),
	})}
}

func burstOf(perSecond float64) int { return max(1, int(2*perSecond)) }

// healthPerSecond bounds one address's questions after the server's health, which are counted by themselves: whoever
// watches the server is answered while its address is refused everything else.
const healthPerSecond = 20

// Take counts one call and answers how long its caller must wait first; 0 lets it pass.
func (b *Buckets) Take(route *routes.Route, c core.Caller, now time.Time) time.Duration {
	if b.perSecond <= 0 {
		return 0
	}
	key, perSecond, burst := c.Session, b.perSecond, b.Burst
	switch {
	case route.ID == "getHealth":
		key, perSecond, burst = "health\x1f"+c.Remote, healthPerSecond, burstOf(healthPerSecond)
	case c.Token != "":
		key = c.Token
	case key == "":
		key = c.Remote
	}
	limiter, ok := b.kept.GetIfPresent(key)
	if !ok {
		limiter = rate.NewLimiter(rate.Limit(perSecond), burst)
		if first, set := b.kept.SetIfAbsent(key, limiter); !set {
			limiter = first
		}
	}
	if limiter.AllowN(now, 1) {
		return 0
	}
	return time.Duration(float64(time.Second) / perSecond)
}

// TooManyRequests refuses a call until a time has passed.
func TooManyRequests(wait time.Duration) error {
	return &errs.Error{Code: errs.RateLimited, Message: "Too many requests. Slow down and try again.", RetryAfter: wait}
}
