package listen

import (
	"context"
	"log/slog"
	"strings"
)

// quiet keeps what strangers can cause at will out of the warnings: a handshake that fails is no fault of the server's.
type quiet struct{ slog.Handler }

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "TLS handshake error") {
		r.Level = slog.LevelDebug
		if !q.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return q.Handler.Handle(ctx, r)
}
