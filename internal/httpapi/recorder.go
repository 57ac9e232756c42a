package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"stoa/internal/app/core"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/listen"
)

// recorder is the response on its way, with what the log, the trace and the metrics want to know.
type recorder struct {
	http.ResponseWriter
	requestID string
	idSent    bool   // the client chose requestID
	remote    string // the client's address
	https     bool   // the client speaks TLS, to this server or to a trusted proxy
	proxied   bool   // a trusted proxy handed the request on
	streams   bool   // it came over HTTP/2
	out       *limits.Outgoing
	userID    string
	route     *routes.Route
	status    int
	size      int64
	code      errs.Code
	problem   error
}

var recorders = sync.Pool{New: func() any { return new(recorder) }}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

func newRecorder(w http.ResponseWriter, req *http.Request, from origin) *recorder {
	r := recorders.Get().(*recorder)
	*r = recorder{ResponseWriter: w, requestID: req.Header.Get("X-Request-Id"), remote: from.remote, https: from.https, proxied: from.proxied, streams: req.ProtoMajor >= 2}
	r.idSent = requestIDPattern.MatchString(r.requestID)
	if !r.idSent {
		r.requestID = core.NewRequestID()
	}
	return r
}

func (r *recorder) free() {
	*r = recorder{}
	recorders.Put(r)
}

// WriteHeader notes the status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write notes the size.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.send(b)
	r.size += int64(n)
	return n, err
}

// ReadFrom passes a file on to net/http, which sends it without copying.
func (r *recorder) ReadFrom(src io.Reader) (int64, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.streams {
		return io.Copy(piecewise{r}, src)
	}
	n, err := io.Copy(r.ResponseWriter, src)
	r.size += n
	return n, err
}

// Unwrap lets http.ResponseController reach what is below.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// recovered turns a panic into a 500, unless the answer has begun.
func (s *Server) recovered(w *recorder, req *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(p)
	}
	err := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	if w.status != 0 {
		w.problem = err
		return
	}
	s.fail(w, req, err)
}

// unavailable tells an overloaded or stopping server from a broken one.
func unavailable(req *http.Request, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || req.Context().Err() != nil || core.Stopped(err)
}

const (
	longestAgent = 180 // characters of a User-Agent that are kept
	// What a line of the log keeps of a request, in characters, so that strangers do not fill the disk by it.
	longestMethod = 16
	longestPath   = 256
	longestCause  = 512
)

// finished writes down a request that has been answered: one log event, one trace record, the metrics.
func (s *Server) finished(w *recorder, req *http.Request, start time.Time) {
	took := time.Since(start)
	if w.status == 0 {
		w.status = http.StatusOK
	}
	s.metrics.Observe(w.operation(), w.status, w.size, w.code, took)
	level := slog.LevelInfo
	if w.status >= 500 {
		level = slog.LevelError
	}
	if s.Log.Enabled(req.Context(), level) && (w.userID != "" || level > slog.LevelInfo || s.lines.Worth(s.Clock(), s.Log)) {
		attrs := make([]slog.Attr, 0, 12)
		attrs = append(attrs,
			slog.String("request_id", w.requestID), slog.String("method", plainText(req.Method, longestMethod)), slog.String("path", plainText(req.URL.Path, longestPath)), slog.Int("status", w.status),
			slog.Int64("bytes", w.size), slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("remote", w.remote))
		if w.userID != "" {
			attrs = append(attrs, slog.String("user_id", w.userID))
		}
		if w.code != "" {
			attrs = append(attrs, slog.String("error_code", string(w.code)))
		}
		if w.problem != nil {
			cause := w.problem.Error()
			if w.status < 500 {
				cause = plainText(cause, longestCause)
			}
			attrs = append(attrs, slog.String("error", cause))
		}
		// Past the Logger, which would look up the calling line that no one asks for.
		event := slog.NewRecord(s.Clock(), level, "request", 0)
		event.AddAttrs(attrs...)
		_ = s.Log.Handler().Handle(req.Context(), event) // a log that cannot be written stops nobody
	}
	if strings.HasPrefix(req.URL.Path, "/api/") {
		s.trace(w, req, took)
	}
}

func (s *Server) trace(w *recorder, req *http.Request, took time.Duration) {
	end := s.Clock()
	s.app.Trace(core.TraceRecord{
		RequestID: w.requestID, UserID: w.userID, Method: plainText(req.Method, longestMethod), Path: plainText(req.URL.Path, longestPath), Status: w.status,
		ErrorCode: string(w.code), DurationUS: took.Microseconds(), StartedAt: clock.Micros(end.Add(-took)), FinishedAt: clock.Micros(end),
		ResponseType: w.Header().Get("Content-Type"), ResponseSize: w.size, RequestSize: req.ContentLength, Remote: w.remote,
		Agent: plainText(req.UserAgent(), longestAgent), WarmUp: s.warmUp(w.route),
	})
}

// warmUp reports whether this is the first request to a route since the server was made.
func (s *Server) warmUp(route *routes.Route) bool {
	if route == nil {
		return false
	}
	_, known := s.warm.LoadOrStore(route.ID, true)
	return !known
}

// plainText makes a stranger's text storable: valid UTF-8, no control characters, cut to a length.
func plainText(s string, limit int) string {
	clean := true
	for i := range len(s) {
		clean = clean && s[i] >= 0x20 && s[i] < 0x7f
	}
	if clean && len(s) <= limit {
		return s
	}
	out := make([]rune, 0, min(len(s), limit))
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if len(out) == limit {
			break
		}
		if r < 0x20 || r == 0x7f {
			r = '\uFFFD'
		}
		out = append(out, r)
	}
	return string(out)
}

// operation names what a request was for.
func (r *recorder) operation() string {
	switch {
	case r.route != nil:
		return r.route.ID
	case r.code != "":
		return "none"
	}
	return "page"
}

const (
	// outgoingLeast is from which size on an answer over HTTP/1 counts: of these there are no more than connections.
	outgoingLeast = 16 << 10
	// pieceBytes is what the client of an HTTP/2 stream must take within its time. Over HTTP/1 package listen sees to that; here a
	// client that takes nothing blocks its streams alone, which no write of the connection shows.
	pieceBytes = 256 << 10
)

// holds notes that so many bytes of memory are held while an answer is sent; done is to be called when it was.
func (r *recorder) holds(bytes int64) (done func()) {
	if r.out == nil {
		return func() {}
	}
	control := http.NewResponseController(r.ResponseWriter)
	s := r.out.Enter(listen.Source(r.remote), bytes, func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) })
	return func() { r.out.Leave(s) }
}

// send writes a part of an answer that is in memory.
func (r *recorder) send(b []byte) (n int, err error) {
	if !r.streams && len(b) < outgoingLeast {
		return r.ResponseWriter.Write(b)
	}
	defer r.holds(int64(len(b)))()
	if !r.streams {
		return r.ResponseWriter.Write(b)
	}
	defer r.patience(false)
	for {
		r.patience(true)
		m, err := r.ResponseWriter.Write(b[n:min(len(b), n+pieceBytes)])
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// patience bounds, or bounds no longer, how long the client of an HTTP/2 stream may take for what is written next.
func (r *recorder) patience(bounded bool) {
	if !r.streams || r.out == nil {
		return
	}
	until := time.Time{}
	if bounded {
		until = time.Now().Add(r.out.Wait)
	}
	_ = http.NewResponseController(r.ResponseWriter).SetWriteDeadline(until) // where there is no connection, as in tests, nothing waits
}

// FlushError sends what was written, for http.ResponseController.
func (r *recorder) FlushError() error {
	r.patience(true)
	defer r.patience(false)
	return http.NewResponseController(r.ResponseWriter).Flush()
}

// piecewise has a file sent through Write, where each piece has its time.
type piecewise struct{ io.Writer }
