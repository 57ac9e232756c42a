package listen

import (
	"io"
	"net"
	"time"
)

// What a client must take of an answer: a piece within the time, or the connection ends. That is 8 KiB a second, and
// an answer of any size gets as long as it needs at that.
const (
	pieceBytes = 256 << 10
	pieceTime  = 32 * time.Second
)

// paced gives connections that end when their clients stop reading.
type paced struct{ net.Listener }

// Accept implements net.Listener.
func (l paced) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &pacedConn{c}, nil
}

type pacedConn struct{ net.Conn }

// Write writes piece by piece, each with a deadline of its own.
func (c *pacedConn) Write(b []byte) (n int, err error) {
	for {
		piece := b[n:min(len(b), n+pieceBytes)]
		if err := c.SetWriteDeadline(time.Now().Add(pieceTime)); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(piece)
		n += m
		if err != nil || n == len(b) {
			return n, err
		}
	}
}

// ReadFrom sends a file without copying it through this process, piece by piece too. The kernel's way is taken only
// for a file, or a limited reader right above one, so pieces are cut below that limit.
func (c *pacedConn) ReadFrom(src io.Reader) (n int64, err error) {
	limit, limited := src.(*io.LimitedReader)
	for {
		piece := &io.LimitedReader{R: src, N: pieceBytes}
		if limited {
			piece.R, piece.N = limit.R, min(limit.N, pieceBytes)
		}
		if piece.N <= 0 {
			return n, nil
		}
		if err := c.SetWriteDeadline(time.Now().Add(pieceTime)); err != nil {
			return n, err
		}
		m, err := io.Copy(c.Conn, piece)
		n += m
		if limited {
			limit.N -= m
		}
		if err != nil || m < pieceBytes {
			return n, err
		}
	}
}
