package core

import (
	"sync"
	"time"
)

// clockWatch notices that the time of day was set: it runs ahead of, or behind, the machine's monotonic clock.
type clockWatch struct {
	mu     sync.Mutex
	at     time.Time     // of day, when it was last looked at
	steady time.Duration // by the monotonic clock, then
	jump   time.Duration // by how much it was set since jumped, forward above zero
	jumped time.Duration // by the monotonic clock
}

// clockForget is how long a jump is told of.
const clockForget = time.Hour

// observe reads both clocks and returns by how much the time of day was set within the last hour, in all. Less than
// clockDrift between two looks is how clocks run.
func (w *clockWatch) observe(now time.Time, steady time.Duration) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.at.IsZero() {
		if by := now.Sub(w.at) - (steady - w.steady); by >= ClockDrift || by <= -ClockDrift {
			w.jump, w.jumped = w.jump+by, steady
		}
	}
	w.at, w.steady = now, steady
	if steady-w.jumped > clockForget {
		w.jump = 0
	}
	return w.jump
}

// ClockJump is by how many seconds the time of day was set within the last hour.
func (a *Core) ClockJump() int64 {
	return int64(a.clocks.observe(a.Clock(), a.Monotonic()) / time.Second)
}
