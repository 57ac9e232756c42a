package apitest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa/internal/dbtest"
	"stoa/internal/platform/store"
)

// Node starts another server on the same database and the same packages, as another machine would: nothing that the two
// hold in memory is shared. It has its own clock, which begins at what the first one's shows now.
func (s *Server) Node(t testing.TB) *Server {
	t.Helper()
	n := &Server{Engine: s.Engine, Clock: dbtest.NewClock(), Database: s.Database, Data: s.Data, Blobs: s.Blobs, BlobDir: s.BlobDir, Faults: s.Faults, log: &journal{}, options: s.options}
	n.Clock.Advance(s.Clock.Now().Sub(n.Clock.Now()))
	var err error
	if n.Store, err = store.Open(context.Background(), s.Database, n.Clock.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	n.serve(t)
	t.Cleanup(func() { n.App.Close() })
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.Handler.ServeHTTP(w, r) }))
	t.Cleanup(listening.Close)
	n.URL = listening.URL
	return n
}
