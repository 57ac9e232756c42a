package apitest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/app/market/browse"
	"stoa/internal/dbtest"
	"stoa/internal/httpapi"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/store"
	"stoa/internal/s3test"
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
	LogLevel          slog.Level // from which on Log has it; the zero value is info
	MaxIndexedAtoms   int        // 0 is the usual
	TutorModels       []core.TutorModel
	Embedder          core.Embedder
	ObjectPatience    time.Duration         // how long the object store may take for a call; 0 is the usual
	HTTP              func(*httpapi.Config) // changes what the handler is made of
	App               func(*core.Config)    // changes what the application is made of
	LearnersDatabases int                   // beside the main one; STOA_TEST_LEARNERS_DATABASES for every server
	LearnersAway      func() bool           // whether the first of them cannot be reached when it is opened

	tls bool
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
	Clock   *dbtest.Clock
	App     *app.App
	Store   *store.Store
	Blobs   blob.Store
	BlobDir string // of a folder; what begins a server on an object store is copied from there
	Handler *httpapi.Server
	// Database and Data are what a stoa command would be given as --database and --data.
	Database, Data string

	// Faults stands between the server and its object store; nil with a folder.
	Faults *s3test.Proxy

	learners []string // addresses of the databases of learners beside the main one

	serving atomic.Pointer[httpapi.Server] // Handler, for connections that stay open over a restart
	log     *journal
	options Options
	others  []*Server // nodes beside this one
	turns   atomic.Uint64
}

// Start starts a server that is stopped when the test ends.
func Start(t testing.TB, e Engine, o Options) *Server {
	t.Helper()
	h := e.fresh(t, o.Empty)
	s := &Server{Engine: e, Clock: dbtest.NewClock(), Database: h.database, Data: h.dir, BlobDir: filepath.Join(h.dir, "blobs"), log: &journal{}}
	s.options = o
	for i := range max(o.LearnersDatabases, learnersDatabases()) {
		s.learners = append(s.learners, e.learners(t, s.Data, i+1))
	}
	s.open(t)
	var err error
	if s.Blobs, err = blob.OpenFolder(s.BlobDir); err != nil {
		t.Fatal(err)
	}
	if e.objects {
		s.onObjects(t)
	}
	s.listen(t)
	return s
}

// open opens the server's database until the test ends.
func (s *Server) open(t testing.TB) {
	t.Helper()
	var err error
	if s.Store, err = store.Open(context.Background(), s.Database, s.Clock.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Store.Close(); err != nil {
			t.Error(err)
		}
	})
}

// listen serves until the test ends.
func (s *Server) listen(t testing.TB) {
	t.Helper()
	s.serve(t)
	t.Cleanup(func() { s.App.Close() })
	listening := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serving.Load().ServeHTTP(w, r) }))
	t.Cleanup(listening.Close)
	if s.options.tls {
		listening.StartTLS()
	} else {
		listening.Start()
	}
	s.URL = listening.URL
}

// onObjects moves a new server's packages into an object store.
func (s *Server) onObjects(t testing.TB) {
	t.Helper()
	objects := s3test.Start(t)
	s.Faults = objects.Proxy(t)
	there := objects.Blobs(t, s.Faults.Endpoint, "", filepath.Join(s.Data, "staging"), s.options.ObjectPatience)
	if moved, err := blob.Copy(t.Context(), s.Blobs, there, nil); err != nil || len(moved.Damaged) > 0 {
		t.Fatalf("%+v: %v", moved, err)
	}
	s.Blobs = there
}

// serve begins an application on the server's store and blobs.
func (s *Server) serve(t testing.TB) {
	t.Helper()
	o := s.options
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: o.LogLevel}))
	config := core.Config{
		AuthRequired: !o.AuthOff, SignupOpen: o.SignupOpen, AllowAnonymousMember: o.Anonymous, AnonymousMemberUserID: AnonymousMember,
		Monotonic:     func() time.Duration { return s.Clock.Now().Sub(dbtest.Epoch) }, // whoever moves the clock waits
		DefaultUserID: DefaultMember, Version: "test", MaxIndexedAtoms: o.MaxIndexedAtoms, TutorModels: o.TutorModels, Embedder: o.Embedder, Trial: core.TrialConfig{Relay: core.RelayPublic},
		WebURL: WebURL, Pipelines: pipelines(t, s.Clock.Now),
	}
	if o.App != nil {
		o.App(&config)
	}
	s.App = app.New(s.Store, s.Blobs, s.Clock.Now, log, config)
	if err := s.App.UseLearnersDatabases(context.Background(), s.LearnersDatabases()); err != nil {
		t.Fatal(err)
	}
	s.App.Start(context.Background())
	if _, err := s.App.ListTemplates(context.Background(), core.Caller{}, browse.ListInput{Limit: 1}); err != nil { // waits for the catalog
		t.Fatal(err)
	}
	var err error
	c := httpapi.Config{Log: log, Clock: s.Clock.Now, Pages: web.Files(), RequestsPerSecond: o.RequestsPerSecond, LoopbackOnly: o.AuthOff}
	if o.HTTP != nil {
		o.HTTP(&c)
	}
	if s.Handler, err = httpapi.New(s.App, c); err != nil {
		t.Fatal(err)
	}
	s.serving.Store(s.Handler)
}

// Restart ends the application and begins another on the same store, as a new process would. Nobody may
// be calling meanwhile.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.App.Close()
	s.serve(t)
	for _, n := range s.others {
		n.options = s.options
		n.Restart(t)
	}
}

// RestartWith is Restart with other options.
func (s *Server) RestartWith(t testing.TB, change func(*Options)) {
	t.Helper()
	change(&s.options)
	s.Restart(t)
}

// Log is what the server has logged.
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
