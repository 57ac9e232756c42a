package apitest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"

	"stoa/internal/app"
	"stoa/internal/httpapi"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
	"stoa/web"
)

// Options choose what kind of server is started. The zero value asks for authentication, has no
// anonymous member and begins with the seeded content.
type Options struct {
	AuthOff           bool
	Anonymous         bool // lets everybody in as AnonymousMember
	SignupOpen        bool
	Empty             bool // begins without content and members
	RequestsPerSecond float64
}

// AnonymousMember is who anonymous callers are pinned to, and DefaultMember whom a login without a
// name means. Neither has an account.
const (
	AnonymousMember = "visitor"
	DefaultMember   = "webui-user"
)

// Server is a running server on a database of its own.
type Server struct {
	Engine  Engine
	URL     string
	Clock   *Clock
	App     *app.App
	Store   *store.Store
	Blobs   *blob.Folder
	BlobDir string
	Handler *httpapi.Server
	// Database and Data are what a stoa command would be given as --database and --data.
	Database, Data string

	log *journal
}

// Start starts a server that is stopped when the test ends.
func Start(t testing.TB, e Engine, o Options) *Server {
	t.Helper()
	h := e.fresh(t, o.Empty)
	s := &Server{Engine: e, Clock: &Clock{now: Epoch}, Database: h.database, Data: h.dir, BlobDir: filepath.Join(h.dir, "blobs"), log: &journal{}}
	var err error
	if s.Store, err = store.Open(context.Background(), h.database, s.Clock.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	if s.Blobs, err = blob.OpenFolder(s.BlobDir); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s.App = app.New(s.Store, s.Blobs, s.Clock.Now, log, app.Config{
		AuthRequired: !o.AuthOff, SignupOpen: o.SignupOpen, AllowAnonymousMember: o.Anonymous, AnonymousMemberUserID: AnonymousMember,
		DefaultUserID: DefaultMember, Version: "test",
	})
	s.App.Start(context.Background())
	t.Cleanup(s.App.Close)
	if _, err := s.App.ListTemplates(context.Background(), app.Caller{}, app.ListInput{Limit: 1}); err != nil { // waits for the catalog
		t.Fatal(err)
	}
	s.Handler, err = httpapi.New(s.App, httpapi.Config{
		Log: log, Clock: s.Clock.Now, Pages: web.Files(), RequestsPerSecond: o.RequestsPerSecond, LoopbackOnly: o.AuthOff,
	})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(s.Handler)
	t.Cleanup(listening.Close)
	s.URL = listening.URL
	return s
}

// Log is what the server has logged from level warn on.
func (s *Server) Log() string { return s.log.text() }

// journal is a log that may be read while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends a line.
func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}
