package dbtest

import (
	"sync"
	"time"
)

// Epoch is the time at which every test begins.
var Epoch = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Clock stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock is a clock at Epoch.
func NewClock() *Clock { return &Clock{now: Epoch} }

// Now is a clock.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock on.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
