package app

import (
	"cmp"
	"context"
	"encoding/hex"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

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
	// SignupsPerHour bounds how often sign-up may be tried from one address; 0 means DefaultSignupsPerHour.
	SignupsPerHour int
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
	// TraceBytes is about how much the request records may take on disk; 0 means DefaultTraceBytes.
	TraceBytes int64
	// IdempotencyKeep is how long the answer to a request with an idempotency key is kept; 0 means DefaultIdempotencyKeep.
	IdempotencyKeep time.Duration
	// DraftKeep is how long a draft is kept that nobody submits; 0 means DefaultDraftKeep.
	DraftKeep time.Duration
	// AuditDetailKeep is how long the details of audit events are kept; 0 means DefaultAuditDetailKeep.
	AuditDetailKeep time.Duration
	// GovernanceKeep is how long verifications, remediation events and snapshots are kept; 0 means DefaultGovernanceKeep.
	GovernanceKeep time.Duration
	// Monotonic is a clock that nobody sets, from any beginning; nil means the machine's.
	Monotonic func() time.Duration
	// HealthPatience bounds one look at all parts; what has not answered by then does not work. 0 means DefaultHealthPatience.
	HealthPatience time.Duration
	// WatchPatience bounds the matrix; parts that have not answered by then are said not to have. 0 means DefaultWatchPatience.
	WatchPatience time.Duration
	// MaxIndexedAtoms bounds the index over notes; 0 means DefaultMaxIndexedAtoms.
	MaxIndexedAtoms int
	// TutorModels may reply in place of the rule engine; none means that it always does.
	TutorModels []TutorModel
	// Quotas bound what one member may keep and do.
	Quotas Quotas
	// ModelCallPrice is what one call of a language model costs, in whatever currency the operator pays; 0 when nobody counts.
	ModelCallPrice float64
	// PackageKeep is how long the package of a submission is kept that was withdrawn, replaced or rejected; 0 means
	// DefaultPackageKeep.
	PackageKeep time.Duration
	// Embedder gives the vectors of notes; the zero value means that they are made here.
	Embedder Embedder
}

// Defaults of the configuration.
const (
	DefaultUserID          = "webui-user"
	DefaultTextCacheBytes  = 192 << 20
	DefaultTraceKeep       = 7 * 24 * time.Hour
	DefaultGovernanceKeep  = 400 * 24 * time.Hour
	DefaultIdempotencyKeep = 7 * 24 * time.Hour
	DefaultDraftKeep       = 90 * 24 * time.Hour
	DefaultTraceBytes      = int64(256 << 20)
	DefaultPackageKeep     = 30 * 24 * time.Hour
	DefaultAuditDetailKeep = 400 * 24 * time.Hour
	DefaultHealthPatience  = 1500 * time.Millisecond
	DefaultWatchPatience   = 4 * time.Second
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
	// signups hashes the passwords of new accounts, beside hasher: however many sign up, nobody waits to sign in.
	signups *account.Hasher

	secrets     *redact.Engine
	diffs       *otter.Cache[diffKey, compared]
	scanWanted  chan struct{} // something is to be scanned
	inspections chan struct{} // one place for each package that may be read at a time
	arriving    arriving

	shelf     *shelf
	feeds     feedRows
	sessions  *sessionCache
	tokens    *tokenCache
	tracer    *tracer
	questions *buffer[store.QuerySample]
	health    healthMemory
	clocks    clockWatch
	budgets   *writeBudgets

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
		c.AnonymousMemberUserID = account.AnonymousID
	}
	if c.SignupsPerHour == 0 {
		c.SignupsPerHour = DefaultSignupsPerHour
	}
	c.TextCacheBytes = cmp.Or(c.TextCacheBytes, DefaultTextCacheBytes)
	c.TraceKeep = cmp.Or(c.TraceKeep, DefaultTraceKeep)
	c.TraceBytes = cmp.Or(c.TraceBytes, DefaultTraceBytes)
	c.IdempotencyKeep = cmp.Or(c.IdempotencyKeep, DefaultIdempotencyKeep)
	c.PackageKeep = cmp.Or(c.PackageKeep, DefaultPackageKeep)
	c.Quotas = c.Quotas.filled()
	c.DraftKeep = cmp.Or(c.DraftKeep, DefaultDraftKeep)
	c.AuditDetailKeep = cmp.Or(c.AuditDetailKeep, DefaultAuditDetailKeep)
	c.GovernanceKeep = cmp.Or(c.GovernanceKeep, DefaultGovernanceKeep)
	c.MaxIndexedAtoms = cmp.Or(c.MaxIndexedAtoms, DefaultMaxIndexedAtoms)
	c.HealthPatience = cmp.Or(c.HealthPatience, DefaultHealthPatience)
	c.WatchPatience = cmp.Or(c.WatchPatience, DefaultWatchPatience)
	if c.Monotonic == nil {
		began := time.Now()
		c.Monotonic = func() time.Duration { return time.Since(began) }
	}
	a := &App{Config: c, store: s, blobs: blobs, clock: now, log: log, node: newID(), hasher: account.NewHasher(2), signups: account.NewHasher(1)}
	a.secrets, a.inspections = redact.New(), make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	a.diffs = otter.Must(&otter.Options[diffKey, compared]{MaximumSize: keptDiffs})
	a.scanWanted = make(chan struct{}, 1)
	a.shelf = newShelf(s, now, c.TextCacheBytes)
	a.sessions, a.tokens = newSessionCache(), newTokenCache()
	a.tracer = newTracer(s, log)
	a.questions = newBuffer("questions", s, log, func(tx *store.Tx, batch []store.QuerySample) error { return tx.AddQuerySamples(batch, questionsKept) })
	a.budgets = newWriteBudgets(now, c.Quotas)
	a.found = newNoteIndex(now, c.MaxIndexedAtoms, s, &c, a.secrets.Mask)
	if a.found.far != nil {
		a.found.far.take = func(ctx context.Context, userID string) bool { return a.takeModelCall(ctx, userID, QuotaEmbedderCalls) }
	}
	a.clockJump() // from here on
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
	a.background(func() { a.questions.run(ctx) })
	a.background(func() { a.sweep(ctx) })
	a.background(func() { a.scanLater(ctx) })
	a.background(func() { a.rescan(ctx) })
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
	ending := store.Soon(context.Background())
	a.tracer.flush(ending) // of requests that finished while the rest was ending
	a.questions.flush(ending)
}

// newID gives a UUIDv7: ids made later sort later.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// NewRequestID gives an id for a request that came without a usable one: the time in ms, so that the index of kept
// requests grows at its end, and 48 bits at random.
func NewRequestID() string {
	id := uuid.Must(uuid.NewV7())
	return hex.EncodeToString(id[:6]) + hex.EncodeToString(id[10:])
}
