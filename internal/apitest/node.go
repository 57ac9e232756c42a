package apitest

import (
	"testing"
	"time"

	"stoa/internal/dbtest"
)

// Node starts another server on the same database and the same packages, as another machine would: nothing that the two
// hold in memory is shared. It has its own clock, which begins at what the first one's shows now.
func (s *Server) Node(t testing.TB) *Server {
	t.Helper()
	n := &Server{Engine: s.Engine, Clock: dbtest.NewClock(), Database: s.Database, Data: s.Data, Blobs: s.Blobs, BlobDir: s.BlobDir, Faults: s.Faults, learners: s.learners, log: &journal{}, options: s.options}
	n.Clock.Advance(s.Clock.Now().Sub(n.Clock.Now()))
	n.open(t)
	n.listen(t)
	return n
}

// OnNodes runs test on three servers behind TLS, with one PostgreSQL database, one object store and one clock. Clients go to
// them in turn. What the first knows of its own (App, Store, Blobs) is for the test to look into.
func OnNodes(t *testing.T, o Options, test func(t *testing.T, s *Server)) {
	t.Helper()
	engines := Engines(t)
	e := engines[len(engines)-1]
	e.objects = true
	t.Run("three nodes on "+e.Name+" and s3 over TLS", func(t *testing.T) {
		t.Parallel()
		if e.admin == "" {
			t.Skip("nodes share a database of PostgreSQL")
		}
		o.tls = true
		s := Start(t, e, o)
		for range 2 {
			n := &Server{Engine: s.Engine, Clock: s.Clock, Database: s.Database, Data: s.Data, Blobs: s.Blobs, BlobDir: s.BlobDir, Faults: s.Faults, learners: s.learners, log: s.log, options: s.options}
			n.open(t)
			n.listen(t)
			s.others = append(s.others, n)
		}
		test(t, s)
	})
}

// Nodes is how many servers the clients go to.
func (s *Server) Nodes() int { return 1 + len(s.others) }

// OverTLS tells whether clients come over TLS.
func (s *Server) OverTLS() bool { return s.options.tls }

// turn gives the server that the next request goes to.
func (s *Server) turn() *Server {
	if len(s.others) == 0 {
		return s
	}
	n := int(s.turns.Add(1)) % s.Nodes()
	if n == 0 {
		return s
	}
	return s.others[n-1]
}

// sessionsKnown is for how long a node may go by what it has looked up of a session.
const sessionsKnown = 2 * time.Second

// Settle lets the time pass after which every node knows what has become of a session. A single server knows at once.
func (s *Server) Settle() {
	if s.Nodes() > 1 {
		s.Clock.Advance(sessionsKnown + time.Millisecond)
	}
}
