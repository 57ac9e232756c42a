package operate

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lockedBuffer may be read while the log's timer writes to it.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestLogIsWrittenTogether looks at when lines reach the file: ordinary ones soon, warnings at once.
func TestLogIsWrittenTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lockedBuffer
		log, flush := newLog(&out, slog.LevelInfo)
		lines := func() int { return strings.Count(out.String(), "\n") }
		log.Info("one")
		log.Debug("not asked for")
		if lines() != 0 {
			t.Errorf("an ordinary line was written by itself: %s", &out)
		}
		time.Sleep(logDelay)
		synctest.Wait()
		if lines() != 1 {
			t.Errorf("after %v: %q", logDelay, &out)
		}
		log.Info("two")
		log.With("part", "x").Warn("three")
		if lines() != 3 || !strings.Contains(out.String(), `"msg":"three","part":"x"`) {
			t.Errorf("a warning did not take along what waited: %q", &out)
		}
		log.Info("four")
		flush()
		if lines() != 4 {
			t.Errorf("flush left something: %q", &out)
		}
		for range logHeld {
			log.Info("filling")
		}
		if lines() < logHeld/2 {
			t.Error("more than logHeld bytes waited")
		}
		time.Sleep(logDelay)
	})
}
