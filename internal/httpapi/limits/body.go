package limits

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"stoa/internal/platform/listen"
)

const (
	// bodyTime is how long a request's body may take, at the least 18 kB a second for the largest; an upload, which
	// only members may send, is given more.
	bodyTime = time.Minute
	// afterBody is what is allowed for the rest of a request once its body is there. The connection is watched
	// meanwhile, and a deadline that passes would look like a client that has gone.
	afterBody = time.Hour
)

// pace is how fast a body must come: so many bytes in each window, from the first on, and all of it within a time.
type pace struct {
	Window time.Duration
	bytes  int64
	whole  time.Duration
}

// UploadPace is the least at which a package must come: 8 KiB a second, over each 15 seconds.
var UploadPace = pace{Window: 15 * time.Second, bytes: 15 * 8 << 10, whole: UploadTime}

// deadlines is what a body's connection is told.
type deadlines interface {
	SetReadDeadline(deadline time.Time) error
}

// PacedBody bounds how slowly a request's body may come. Until it has come whole its connection may be closed to make
// room for others.
type PacedBody struct {
	io.ReadCloser
	conn  deadlines
	ctx   context.Context
	pace  pace
	since time.Time // when the body began
	from  time.Time // when the window began
	read  int64     // bytes of the window
	ended bool
}

// BoundBody begins the time of a request's body, if it has one; 0 means a minute.
func BoundBody(w http.ResponseWriter, req *http.Request, limit time.Duration) {
	if req.Body == nil || req.Body == http.NoBody {
		return
	}
	if limit <= 0 {
		limit = bodyTime
	}
	b := &PacedBody{ReadCloser: req.Body, conn: http.NewResponseController(w), ctx: req.Context()}
	if b.Begin(pace{Window: limit, bytes: 1, whole: limit}) { // in tests without a connection it cannot be set
		listen.Receiving(b.ctx, true)
		req.Body = b
	}
}

// Begin holds the body to a pace from now on, and reports whether its connection can be told.
func (b *PacedBody) Begin(p pace) bool {
	now := time.Now()
	b.pace, b.since, b.from, b.read = p, now, now, 0
	return b.conn.SetReadDeadline(b.deadline()) == nil
}

// deadline is when the body is too slow if nothing more comes: at the end of this window, or of the next when this one
// has its bytes already.
func (b *PacedBody) deadline() time.Time {
	end := b.from.Add(b.pace.Window)
	if b.read >= b.pace.bytes {
		end = end.Add(b.pace.Window)
	}
	if last := b.since.Add(b.pace.whole); last.Before(end) {
		return last
	}
	return end
}

// Read implements io.Reader. os.ErrDeadlineExceeded for a body that comes too slowly.
func (b *PacedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.ended {
		return n, err
	}
	if err != nil {
		b.ended = true
		listen.Receiving(b.ctx, false)
		if errors.Is(err, io.EOF) {
			_ = b.conn.SetReadDeadline(time.Now().Add(afterBody))
		}
		return n, err
	}
	b.read += int64(n)
	if now := time.Now(); now.Sub(b.from) >= b.pace.Window {
		if b.read < b.pace.bytes {
			return n, os.ErrDeadlineExceeded
		}
		b.from, b.read = now, 0
	}
	_ = b.conn.SetReadDeadline(b.deadline()) // where it cannot be set there is none
	return n, nil
}

// UploadTime is how long a client may take to send a package in all.
const UploadTime = 20 * time.Minute
