package core

import (
	"cmp"
	"context"
	"time"

	"stoa/internal/platform/account"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/mail"
)

// Mailer sends mails.
type Mailer interface {
	Send(ctx context.Context, m mail.Text) error
}

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
	// Pipelines checks the identity tokens of pipelines that may publish; nil where members cannot trust any.
	Pipelines *identity.Pipelines
	Version   string
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
	// AccountGrace is how long a member who wishes to be deleted may take that back; 0 means DefaultAccountGrace.
	AccountGrace time.Duration
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
	// Trial is how conversations with what is in the catalog are held.
	Trial TrialConfig
	// Quotas bound what one member may keep and do.
	Quotas Quotas
	// ModelCallPrice is what one call of a language model costs, in whatever currency the operator pays; 0 when nobody counts.
	ModelCallPrice float64
	// PackageKeep is how long the package of a submission is kept that was withdrawn, replaced or rejected; 0 means
	// DefaultPackageKeep.
	PackageKeep time.Duration
	// FeedsAhead reads what feeds show when the server starts, not when the first asks.
	FeedsAhead bool
	// Mail sends mails; nil where the operator has set no server.
	Mail Mailer
	// PrivateWebhooks lets members name addresses of this machine and of private networks.
	PrivateWebhooks bool
	// Embedder gives the vectors of notes; the zero value means that they are made here.
	Embedder Embedder
}

// Defaults of the configuration.
const (
	DefaultUserID         = "webui-user"
	DefaultTextCacheBytes = 192 << 20
	// DefaultSignupsPerHour is how often sign-up may be tried from one address in an hour.
	DefaultSignupsPerHour  = 60
	DefaultTraceKeep       = 7 * 24 * time.Hour
	DefaultGovernanceKeep  = 400 * 24 * time.Hour
	DefaultIdempotencyKeep = 7 * 24 * time.Hour
	DefaultDraftKeep       = 90 * 24 * time.Hour
	DefaultAccountGrace    = 14 * 24 * time.Hour
	DefaultTraceBytes      = int64(256 << 20)
	DefaultPackageKeep     = 30 * 24 * time.Hour
	DefaultAuditDetailKeep = 400 * 24 * time.Hour
	DefaultHealthPatience  = 1500 * time.Millisecond
	DefaultWatchPatience   = 4 * time.Second
	// DefaultMaxIndexedAtoms takes about a gigabyte.
	DefaultMaxIndexedAtoms = 1_000_000
)

// filled returns the configuration with the defaults where there is no setting.
func (c Config) filled() Config {
	if c.DefaultUserID == "" {
		c.DefaultUserID = DefaultUserID
	}
	if c.AnonymousMemberUserID == "" {
		c.AnonymousMemberUserID = account.AnonymousID
	}
	if c.SignupsPerHour == 0 {
		c.SignupsPerHour = DefaultSignupsPerHour
	}
	c.Trial.Relay = cmp.Or(c.Trial.Relay, RelayOff)
	c.TextCacheBytes = cmp.Or(c.TextCacheBytes, DefaultTextCacheBytes)
	c.TraceKeep = cmp.Or(c.TraceKeep, DefaultTraceKeep)
	c.TraceBytes = cmp.Or(c.TraceBytes, DefaultTraceBytes)
	c.IdempotencyKeep = cmp.Or(c.IdempotencyKeep, DefaultIdempotencyKeep)
	c.PackageKeep = cmp.Or(c.PackageKeep, DefaultPackageKeep)
	c.Quotas = c.Quotas.filled()
	c.AccountGrace = cmp.Or(c.AccountGrace, DefaultAccountGrace)
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
	return c
}
