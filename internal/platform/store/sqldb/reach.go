package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Unreachable says that the database cannot be asked just now, not that it was asked wrongly: it is away, starting, taken
// by others or out of room. A transaction that ends so has not happened, unless its outcome is Unknown: then doing the same
// again must be safe, which idempotency keys and unique rows are for.
type Unreachable struct {
	Full    bool // no room is left on the database's disk
	Unknown bool // the answer to a commit is missing, and what became of it could not be found out
	Cause   error
}

// refusal is an error that says that a database is not used, though it answers.
type refusal interface{ RefusesDatabase() }

// IsUnknown tells whether an error says that nobody knows what became of a commit.
func IsUnknown(err error) bool {
	var away *Unreachable
	return errors.As(err, &away) && away.Unknown
}

func (u *Unreachable) Error() string {
	if u.Cause == nil {
		return "store: the database cannot be reached"
	}
	return "store: the database cannot be reached: " + u.Cause.Error()
}

// Why is the kind of trouble that a database is in.
type Why string

// The kinds of trouble.
const (
	WhyFull     Why = "full"      // its disk has no room
	WhyLocked   Why = "locked"    // somebody else holds it, or it was too busy to take its turn in time
	WhyReadOnly Why = "read_only" // it takes no writes
	WhyAway     Why = "away"      // it does not answer at all, or its disk fails
)

// Why tells the kinds of trouble apart.
func (u *Unreachable) Why() Why {
	if u.Full {
		return WhyFull
	}
	var lite *sqlite.Error
	if errors.As(u.Cause, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return WhyLocked
		case sqlite3.SQLITE_READONLY:
			return WhyReadOnly
		}
		return WhyAway
	}
	var pg *pgconn.PgError
	var connect *pgconn.ConnectError
	switch {
	case errors.As(u.Cause, &connect):
		return WhyAway
	case errors.As(u.Cause, &pg) && pg.Code == "25006":
		return WhyReadOnly
	case errors.As(u.Cause, &pg) && (pg.Code == "55P03" || pg.Code == "57014"), errors.Is(u.Cause, context.DeadlineExceeded):
		return WhyLocked
	}
	return WhyAway
}

// Unwrap gives the driver's own words.
func (u *Unreachable) Unwrap() error { return u.Cause }

// Reach marks an error of a database that cannot be asked just now. ctx is the caller's: whoever has left by themselves
// gets that back.
func Reach(ctx context.Context, err error) error {
	var known *Unreachable
	if err == nil || errors.As(err, &known) {
		return err
	}
	if lost := (*LostCommit)(nil); errors.As(err, &lost) {
		return &Unreachable{Unknown: true, Cause: err}
	}
	if refused := refusal(nil); errors.As(err, &refused) {
		return &Unreachable{Cause: err}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if full := outOfRoom(err); full || away(err) {
		return &Unreachable{Full: full, Cause: err}
	}
	return err
}

// outOfRoom tells whether a full disk is behind err.
func outOfRoom(err error) bool {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return lite.Code()&0xff == sqlite3.SQLITE_FULL
	}
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "53100" || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// away tells whether the database did not get to do what it was asked.
func away(err error) bool {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch lite.Code() & 0xff {
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
			return true
		}
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "57014", "25P03", "25P04", "25006", "55P03", "58030": // cancelled, idle too long, a standby, no lock, an error of the disk
			return true
		}
		if connecting := (*pgconn.ConnectError)(nil); errors.As(err, &connecting) {
			// Nothing was asked yet, whatever it failed of ("could not write init file", on a full disk), but for settings that are wrong.
			return !strings.HasPrefix(pg.Code, "28") && !strings.HasPrefix(pg.Code, "3D")
		}
		// Connections; resources; stopping, starting or crashed; asked to try again, more often than we do.
		return strings.HasPrefix(pg.Code, "08") || strings.HasPrefix(pg.Code, "53") || strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "40")
	}
	for _, is := range []error{
		context.DeadlineExceeded, driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if errors.Is(err, is) {
			return true
		}
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "conn closed")
}
