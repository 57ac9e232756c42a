package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"stoa/internal/platform/store/sqldb"
)

// What the database says itself is a mistake of ours stays one; what it could not get to do is an outage.
func TestReach(t *testing.T) {
	pg := func(code string) error { return fmt.Errorf("query: %w", &pgconn.PgError{Code: code}) }
	const mistake, away, full = "mistake", "away", "full"
	for _, c := range []struct {
		err  error
		want string
	}{
		{pg("57P01"), away},
		{pg("57P03"), away},
		{pg("08006"), away},
		{pg("53300"), away},
		{pg("25P03"), away},
		{pg("25006"), away},
		{pg("57014"), away},
		{pg("40001"), away},
		{pg("53100"), full},
		{&net.OpError{Op: "write", Err: syscall.ENOSPC}, full},
		{pg("23505"), mistake},
		{pg("42601"), mistake},
		{pg("22P02"), mistake},
		{sqldb.ErrNotFound, mistake},
		{sqldb.ErrConflict, mistake},
		{errors.New("scan"), mistake},
		{io.ErrUnexpectedEOF, away},
		{driver.ErrBadConn, away},
		{sql.ErrTxDone, away},
		{context.DeadlineExceeded, away},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, away},
	} {
		got := mistake
		var u *sqldb.Unreachable
		if err := sqldb.Reach(t.Context(), c.err); errors.As(err, &u) {
			got = away
			if u.Full {
				got = full
			}
			if !errors.Is(err, c.err) {
				t.Errorf("%v: the driver's own words are lost", c.err)
			}
		}
		if got != c.want {
			t.Errorf("%v is %s, want %s", c.err, got, c.want)
		}
	}
	left, leave := context.WithCancel(t.Context())
	leave()
	if err := sqldb.Reach(left, driver.ErrBadConn); !errors.Is(err, driver.ErrBadConn) || errors.As(err, new(*sqldb.Unreachable)) {
		t.Errorf("whoever has left is told %v", err)
	}
}

// refused is what pgconn says of a server that ends a connection with a code before it is one.
func refused(t *testing.T, code string) error {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		said, _ := (&pgproto3.ErrorResponse{Severity: "FATAL", Code: code, Message: "could not write init file"}).Encode(nil)
		_, _ = conn.Read(make([]byte, 1024)) // what it begins with
		_, _ = conn.Write(said)
	}()
	conn, err := pgconn.Connect(t.Context(), "postgres://stoa@"+l.Addr().String()+"/stoa?sslmode=disable")
	if err == nil {
		conn.Close(t.Context())
		t.Fatal("it let us in")
	}
	return err
}

// A server that fails to begin a connection was asked nothing; one that does not want these settings will never.
func TestReachOfConnections(t *testing.T) {
	for code, want := range map[string]bool{"XX000": true, "58P01": true, "28P01": false, "3D000": false} {
		err := refused(t, code)
		if got := errors.As(sqldb.Reach(t.Context(), err), new(*sqldb.Unreachable)); got != want {
			t.Errorf("%v: away %t, want %t", err, got, want)
		}
	}
}
