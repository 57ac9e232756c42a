package core

import (
	"context"
	"errors"
	"syscall"
	"time"

	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/sqldb"
)

// Soon marks the context of a request: somebody waits, so that the database has seconds and not minutes.
func Soon(ctx context.Context) context.Context { return sqldb.Soon(ctx) }

// Stopped tells whether an error says that the store was closed meanwhile.
func Stopped(err error) bool { return errors.Is(err, store.ErrClosed) }

// Outage is the answer when what the server stores in cannot be reached or is full; nil for other errors.
func Outage(err error) *errs.Error {
	var away *sqldb.Unreachable
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	reached := !errors.As(err, &away)
	switch {
	case full || !reached && away.Full:
		return &errs.Error{Code: errs.ServiceUnavailable, Message: "The server has no room left to store anything. What it has is safe and can be read. Try again later.", RetryAfter: 30 * time.Second}
	case !reached && away.Unknown:
		return &errs.Error{Code: errs.CommitUnknown, Message: "The database did not say whether this was done. Ask again with the same idempotency key, or look before you repeat it.", RetryAfter: 2 * time.Second}
	case !reached:
		return &errs.Error{Code: errs.ServiceUnavailable, Message: "The server cannot reach its database just now. What was acknowledged is kept. Try again in a moment.", RetryAfter: 2 * time.Second}
	}
	return nil
}
