package limits

import (
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Lines bounds what requests of nobody in particular write into the log, which is on somebody's disk.
type Lines struct {
	limiter *rate.Limiter // nil for no bound
	missing atomic.Int64
	told    atomic.Int64 // the second in which the log was told of them last
}

// NewLines allows strangers so many lines a second; 0 means any number.
func NewLines(perSecond float64) *Lines {
	if perSecond <= 0 {
		return &Lines{}
	}
	return &Lines{limiter: rate.NewLimiter(rate.Limit(perSecond), max(1, int(5*perSecond)))}
}

// Worth reports whether a request is written into the log, and says there how many were not before it.
func (l *Lines) Worth(now time.Time, log *slog.Logger) bool {
	if l.limiter == nil {
		return true
	}
	if !l.limiter.AllowN(now, 1) {
		l.missing.Add(1)
		return false
	}
	if second := now.Unix(); l.missing.Load() > 0 && l.told.Swap(second) != second {
		log.Info("requests of strangers were left out", "requests", l.missing.Swap(0))
	}
	return true
}
