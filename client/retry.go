package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"
)

// Time limits of one attempt, and the slowest transfer that is waited for.
const (
	answerWithin = 30 * time.Second
	serverWork   = 3 * time.Minute // what a server may take for reading, scanning and building
	slowest      = 64 << 10        // bytes per second
)

// patience says how long one attempt of a call may take and how often it is tried again. Together with longestAsked,
// which bounds the pauses, it bounds the call.
type patience struct {
	attempt time.Duration
	retries int
	hangs   int  // how many attempts may run out of time
	policy  bool // the contract's: steady pauses, and a 500 is final
}

// transfer is the patience for a call that moves so many bytes and makes the server work.
func (c *Client) transfer(size int64) *patience {
	return &patience{attempt: serverWork + time.Duration(size/slowest)*time.Second, retries: c.retries, hangs: 1}
}

// hung is an attempt that ran out of time.
type hung struct{ after time.Duration }

func (h *hung) Error() string { return "the server has not answered within " + h.after.String() }

// repeatable reports whether a call may be made again after one of which nobody knows what became of it.
func (q *call) repeatable() bool { return q.method == http.MethodGet || q.key != "" }

// do makes a call until it is answered, and hands over a successful answer. use may be called again after a *broken.
func (c *Client) do(ctx context.Context, q *call, use func(*http.Response) error) error {
	p := q.patience
	if p == nil {
		p = &patience{attempt: answerWithin, retries: c.retries, hangs: 2}
	}
	var waited time.Duration
	hangs := 0
	for attempt := 0; ; attempt++ {
		err := c.once(ctx, q, p.attempt, use)
		if err == nil || ctx.Err() != nil || attempt >= p.retries || !q.repeatable() {
			return plainly(err)
		}
		var late *hung
		if errors.As(err, &late) {
			hangs++
		}
		pause, again := p.pause(err, attempt)
		if waited += pause; !again || hangs >= p.hangs || waited > longestAsked {
			return plainly(err)
		}
		if err := c.wait(ctx, pause); err != nil {
			return err
		}
	}
}

// Pauses between attempts.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 8 * time.Second
	longestAsked = 60 * time.Second // of all pauses of a call; whoever is asked to wait longer is told so instead
)

// pause returns how long to wait after err, and whether another attempt can help.
func (p *patience) pause(err error, attempt int) (time.Duration, bool) {
	pause := min(longestPause, firstPause<<min(attempt, 10))
	if !p.policy {
		pause = pause/2 + rand.N(pause/2) // so that many clients do not come back together
	}
	var refused *Error
	if !errors.As(err, &refused) {
		var lost *broken
		return pause, errors.As(err, &lost)
	}
	switch refused.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		if p.policy || refused.Status < 500 {
			return 0, false
		}
	}
	return max(pause, refused.RetryAfter), true
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
