package app

import (
	"context"
	"encoding/hex"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"stoa/internal/market/compare"
	"stoa/internal/market/redact"
	"stoa/internal/platform/account"
	"stoa/internal/platform/blob"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
)

// Config is what an operator decides about the application. The zero value of each field but
// DefaultUserID is usable.
type Config struct {
	// AuthRequired is off only for a server that listens on loopback alone.
	AuthRequired  bool
	DefaultUserID string
	SignupOpen    bool
	// SignInWith is what people call the issuer that they may sign in with beside passwords; "" for none.
	SignInWith            string
	AllowAnonymousMember  bool
	AnonymousMemberUserID string
	WebURL                string
	Version               string
	// TextCacheBytes bounds the rendered texts kept in memory; 0 means DefaultTextCacheBytes.
	TextCacheBytes uint64
	// TraceKeep is how long request records are kept; 0 means DefaultTraceKeep.
	TraceKeep time.Duration
	// GovernanceKeep is how long verifications, remediation events and snapshots are kept; 0 means DefaultGovernanceKeep.
	GovernanceKeep time.Duration
	// MaxIndexedAtoms bounds the index over notes; 0 means DefaultMaxIndexedAtoms.
	MaxIndexedAtoms int
	// TutorModels may reply in place of the rule engine; none means that it always does.
	TutorModels []TutorModel
	// Embedder gives the vectors of notes; the zero value means that they are made here.
	Embedder Embedder
}

// Defaults of the configuration.
const (
	DefaultUserID         = "webui-user"
	DefaultTextCacheBytes = 192 << 20
	DefaultTraceKeep      = 7 * 24 * time.Hour
	DefaultGovernanceKeep = 400 * 24 * time.Hour
	// DefaultMaxIndexedAtoms takes about a gigabyte.
	DefaultMaxIndexedAtoms = 1_000_000
)

// App is the application over one store and one place for blobs.
type App struct {
	Config
	store  *store.Store
	blobs  blob.Store
	clock  clock.Clock
	log    *slog.Logger
	hasher *account.Hasher

	secrets     *redact.Engine
	diffs       *otter.Cache[diffKey, compare.Result]
	scanWanted  chan struct{} // something is to be scanned
	inspections chan struct{} // one place for each package that may be read at a time
	arriving    arriving

	shelf    *shelf
	sessions *sessionCache
	tracer   *tracer
	health   healthMemory

	notes    *libraries
	grounds  *otter.Cache[string, *ground]
	learners *learners
	found    *noteIndex

	node   string // names this process among those on the same store
	leases leases

	stop context.CancelFunc
	work sync.WaitGroup
}

// New makes the application. It does nothing in the background until Start.
func New(s *store.Store, blobs blob.Store, now clock.Clock, log *slog.Logger, c Config) *App {
	if c.DefaultUserID == "" {
		c.DefaultUserID = DefaultUserID
	}
	if c.AnonymousMemberUserID == "" {
		c.AnonymousMemberUserID = DefaultUserID
	}
	if c.TextCacheBytes == 0 {
		c.TextCacheBytes = DefaultTextCacheBytes
	}
	if c.TraceKeep == 0 {
		c.TraceKeep = DefaultTraceKeep
	}
	if c.GovernanceKeep == 0 {
		c.GovernanceKeep = DefaultGovernanceKeep
	}
	if c.MaxIndexedAtoms == 0 {
		c.MaxIndexedAtoms = DefaultMaxIndexedAtoms
	}
	a := &App{Config: c, store: s, blobs: blobs, clock: now, log: log, node: newID(), hasher: account.NewHasher(2)}
	a.secrets, a.inspections = redact.New(), make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	a.diffs = otter.Must(&otter.Options[diffKey, compare.Result]{MaximumSize: keptDiffs})
	a.scanWanted = make(chan struct{}, 1)
	a.shelf = newShelf(s, now, c.TextCacheBytes)
	a.sessions = newSessionCache()
	a.tracer = newTracer(s, log)
	a.found = newNoteIndex(now, c.MaxIndexedAtoms, s, &c)
	a.notes, a.learners = newLibraries(s, a.found.drop), newLearners(s)
	a.grounds = otter.Must(&otter.Options[string, *ground]{MaximumSize: keptGrounds})
	return a
}

// Start fills the catalog from the store and begins the background work: following what other
// processes publish, telling members of expired trials, sweeping what has had its
// time, giving events their places in the audit chain.
func (a *App) Start(ctx context.Context) {
	ctx, a.stop = context.WithCancel(ctx)
	a.background(func() { a.shelf.follow(ctx, a.log) })
	a.background(func() { a.tracer.run(ctx) })
	a.background(func() { a.sweep(ctx) })
	a.background(func() { a.scanLater(ctx) })
	a.background(func() { a.chain(ctx) })
}

func (a *App) background(f func()) {
	a.work.Add(1)
	go func() {
		defer a.work.Done()
		f()
	}()
}

// Close ends the background work and writes out what it still holds.
func (a *App) Close() {
	if a.stop != nil {
		a.stop()
	}
	a.work.Wait()
	a.giveBack()
	a.tracer.flush(context.Background()) // of requests that finished while the rest was ending
}

// newID gives a UUIDv7: ids made later sort later.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// NewRequestID gives an id for a request that came without a usable one: the time in ms, so that the index of kept
// requests grows at its end, and 48 bits at random.
func NewRequestID() string {
	id := uuid.Must(uuid.NewV7())
	return hex.EncodeToString(id[:6]) + hex.EncodeToString(id[10:])
}
