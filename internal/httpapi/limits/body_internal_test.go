package limits

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// line is a connection whose other side sends a piece at each interval; it keeps the deadline that it is told.
type line struct {
	piece, total int
	every        time.Duration
	deadline     time.Time
}

func (l *line) SetReadDeadline(deadline time.Time) error {
	l.deadline = deadline
	return nil
}

func (l *line) Read(p []byte) (int, error) {
	if l.total <= 0 {
		return 0, io.EOF
	}
	if time.Now().Add(l.every).After(l.deadline) {
		time.Sleep(time.Until(l.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(l.every)
	n := min(l.piece, l.total, len(p))
	l.total -= n
	return n, nil
}

func (l *line) Close() error { return nil }

func TestBodiesThatDribble(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		line line
		slow bool
		at   time.Duration // when it is over, at the latest
	}{
		"a byte a second":        {line{piece: 1, total: mib, every: time.Second}, true, 16 * time.Second},
		"nothing at all":         {line{piece: 1, total: mib, every: time.Hour}, true, 16 * time.Second},
		"4 KiB a second":         {line{piece: 4 << 10, total: mib, every: time.Second}, true, 16 * time.Second},
		"10 KiB a second":        {line{piece: 5 << 10, total: mib, every: time.Second / 2}, false, 2 * time.Minute},
		"a fast one":             {line{piece: 8 << 10, total: 28 * mib, every: time.Millisecond}, false, 5 * time.Second},
		"9 KiB a second for all": {line{piece: 3 << 10, total: 28 * mib, every: time.Second / 3}, true, UploadTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				b := &PacedBody{ReadCloser: &c.line, conn: &c.line, ctx: context.Background()}
				b.Begin(UploadPace)
				_, err := io.Copy(io.Discard, b)
				if slow := errors.Is(err, os.ErrDeadlineExceeded); slow != c.slow || !slow && err != nil {
					t.Errorf("%v after %s", err, time.Since(start))
				}
				if took := time.Since(start); took > c.at {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}
