package apitest

import (
	"testing"

	"stoa/internal/dbtest"
)

// Node starts another server on the same database and the same packages, as another machine would: nothing that the two
// hold in memory is shared. It has its own clock, which begins at what the first one's shows now.
func (s *Server) Node(t testing.TB) *Server {
	t.Helper()
	n := &Server{Engine: s.Engine, Clock: dbtest.NewClock(), Database: s.Database, Data: s.Data, Blobs: s.Blobs, BlobDir: s.BlobDir, Faults: s.Faults, log: &journal{}, options: s.options}
	n.Clock.Advance(s.Clock.Now().Sub(n.Clock.Now()))
	n.open(t)
	n.listen(t)
	return n
}
