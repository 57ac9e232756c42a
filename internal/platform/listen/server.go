package listen

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of one connection. A request's head must come at once, its body may take a while; how fast a body must come
// is for the handler to see, which knows what it is for.
const (
	HeadTimeout  = 10 * time.Second
	ReadTimeout  = 5 * time.Minute
	IdleTimeout  = 2 * time.Minute
	MaxHeadBytes = 64 << 10
	// ServeTime is how long a request that has come whole is served before its connection may have to make room for another.
	ServeTime = 5 * time.Second
)

// DefaultConnections is how many connections are held at a time when nothing else is said.
const DefaultConnections = 4096

// Options choose how a Server listens. The zero value is usable, without TLS.
type Options struct {
	Log *slog.Logger
	// Connections is how many connections are held at a time; 0 means DefaultConnections.
	Connections int
	// Certificate turns TLS on.
	Certificate *Certificate
	// HeadTimeout is how long a request's head may take; 0 means the constant of that name.
	HeadTimeout time.Duration
	// ServeTime is the constant of that name when it is 0.
	ServeTime time.Duration
}

// Server is an http.Server whose connections are counted and bounded.
type Server struct {
	http  *http.Server
	guard *guard
}

// New makes a server for a handler.
func New(handler http.Handler, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Connections <= 0 {
		o.Connections = DefaultConnections
	}
	if o.HeadTimeout <= 0 {
		o.HeadTimeout = HeadTimeout
	}
	if o.ServeTime <= 0 {
		o.ServeTime = ServeTime
	}
	s := &Server{guard: newGuard(o.Connections, o.ServeTime)}
	s.http = &http.Server{
		Handler: lastOfItsConnection(handler), ReadHeaderTimeout: o.HeadTimeout, ReadTimeout: ReadTimeout, IdleTimeout: IdleTimeout, MaxHeaderBytes: MaxHeadBytes,
		ErrorLog: slog.NewLogLogger(quiet{o.Log.Handler()}, slog.LevelWarn), ConnState: s.guard.changed,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, guarded{s.guard, c})
		},
	}
	if o.Certificate != nil {
		s.http.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: o.Certificate.get}
	}
	return s
}

// Serve answers on a listener until Shutdown or Close; like http.Server.Serve it always gives an error.
func (s *Server) Serve(l net.Listener) error {
	l = paced{l}
	if s.http.TLSConfig != nil {
		return s.http.ServeTLS(l, "", "")
	}
	return s.http.Serve(l)
}

// Shutdown lets requests under way finish, as long as ctx lasts.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.Shutdown(ctx) }

// Close ends every connection at once.
func (s *Server) Close() error { return s.http.Close() }

// Connections tells what the server's connections are doing.
func (s *Server) Connections() Connections { return s.guard.count() }
