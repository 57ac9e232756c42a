package operate

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// logDelay is how long a log line may wait for others to be written together with it.
	logDelay = 100 * time.Millisecond
	// logHeld is how many bytes may wait.
	logHeld = 64 << 10
)

// newLog makes the server's log: JSON lines, gathered so that a busy server does not pay one write for
// each request. Warnings and errors take what waits with them at once; flush at the end.
func newLog(out io.Writer, level slog.Leveler) (log *slog.Logger, flush func()) {
	w := &logWriter{out: out}
	return slog.New(&logHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}), w}), w.flush
}

// logHandler writes out at once what is important.
type logHandler struct {
	slog.Handler
	w *logWriter
}

// Handle implements slog.Handler.
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.w.flush()
	}
	return err
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.Handler.WithAttrs(attrs), h.w}
}

// WithGroup implements slog.Handler.
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.Handler.WithGroup(name), h.w}
}

// logWriter gathers what is written to it.
type logWriter struct {
	mu   sync.Mutex
	out  io.Writer
	held []byte
}

// Write never fails: a log that cannot be written is no reason to stop serving.
func (w *logWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		time.AfterFunc(logDelay, w.flush)
	}
	w.held = append(w.held, line...)
	if len(w.held) >= logHeld {
		w.writeOut()
	}
	return len(line), nil
}

func (w *logWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeOut()
}

func (w *logWriter) writeOut() {
	if len(w.held) == 0 {
		return
	}
	_, _ = w.out.Write(w.held)
	w.held = w.held[:0]
}
