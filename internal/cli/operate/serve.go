package operate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"stoa/internal/app"
	"stoa/internal/app/core"
	"stoa/internal/cli"
	"stoa/internal/httpapi"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/listen"
	"stoa/internal/platform/store"
	"stoa/internal/platform/tracing"
	"stoa/web"
)

// ServerSettings are the flags of serve.
type ServerSettings struct {
	Listen        string `help:"Address to listen on." default:"127.0.0.1:8106" env:"STOA_LISTEN" json:"listen" placeholder:"ADDR"`
	MetricsListen string `help:"Loopback address of /metrics; off for none." default:"127.0.0.1:8107" env:"STOA_METRICS_LISTEN" json:"metrics_listen" placeholder:"ADDR"`
	ConsoleListen string `help:"Loopback address of the console for reviewers and operators; off for none, public for the address of --listen." default:"127.0.0.1:8108" env:"STOA_CONSOLE_LISTEN" json:"console_listen" placeholder:"ADDR"`
	FrontSettings
	LogLevel string `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error" env:"STOA_LOG_LEVEL" json:"log_level"`

	Auth struct {
		Mode          string `help:"required, or off on loopback only." default:"required" enum:"required,off" env:"STOA_AUTH_MODE" json:"mode"`
		Signup        string `help:"Whether strangers may make an account: open or closed." default:"closed" enum:"open,closed" env:"STOA_AUTH_SIGNUP" json:"signup"`
		DefaultUserID string `help:"The member meant when a login names none." default:"webui-user" env:"STOA_AUTH_DEFAULT_USER_ID" json:"default_user_id" placeholder:"ID"`
	} `embed:"" prefix:"auth." json:"auth"`
	OIDC issuerSettings `embed:"" prefix:"oidc." envprefix:"STOA_OIDC_" json:"oidc"`
	AnonymousSettings

	PublishIssuers []string `help:"Issuers of pipelines that members may trust to publish without a secret: none, default for GitHub Actions and gitlab.com, or addresses. Their identity tokens must be made for --public-url." default:"none" env:"STOA_PUBLISH_ISSUERS" json:"publish_issuers" placeholder:"URL,…"`
	Feeds          []string `help:"Formats of other assistants that the catalog is served in: all, none, or some by name." default:"all" env:"STOA_FEEDS" json:"feeds" placeholder:"NAME,…"`

	Limits struct {
		SignupsPerHour    int     `help:"How often sign-up may be tried from one address in an hour; ten times as often from all together." default:"60" env:"STOA_LIMITS_SIGNUPS_PER_HOUR" json:"signups_per_hour"`
		RequestsPerSecond float64 `help:"Calls per second of one session or address; 0 for no bound." default:"500" env:"STOA_LIMITS_REQUESTS_PER_SECOND" json:"requests_per_second"`
		Connections       int     `help:"Connections held at a time; one too many takes the place of the one that has waited longest." default:"4096" env:"STOA_LIMITS_CONNECTIONS" json:"connections"`
		UploadsPerMember  int     `help:"Uploads of one member that are taken at a time." default:"8" env:"STOA_LIMITS_UPLOADS_PER_MEMBER" json:"uploads_per_member"`
		TraceMiB          int64   `name:"trace-mib" help:"About how much the records of requests may take on disk, in MiB; the oldest make room." default:"256" env:"STOA_LIMITS_TRACE_MIB" json:"trace_mib"`
		TextCacheMiB      uint64  `name:"text-cache-mib" help:"Memory for rendered catalog texts, in MiB; it fills only as far as there are texts that are asked for." default:"192" env:"STOA_LIMITS_TEXT_CACHE_MIB" json:"text_cache_mib"`
		IndexedAtoms      int     `help:"Atoms of all members' notes that the index for questions may hold in memory; a million take about a gigabyte." default:"1000000" env:"STOA_LIMITS_INDEXED_ATOMS" json:"indexed_atoms"`
	} `embed:"" prefix:"limits." json:"limits"`
	Quota           quotaSettings    `embed:"" prefix:"quota." envprefix:"STOA_QUOTA_" json:"quota"`
	Tutor           tutorSettings    `embed:"" prefix:"tutor." envprefix:"STOA_TUTOR_" json:"tutor"`
	Trial           trialSettings    `embed:"" prefix:"trial." envprefix:"STOA_TRIAL_" json:"trial"`
	Embedder        embedderSettings `embed:"" prefix:"embedder." envprefix:"STOA_EMBEDDER_" json:"embedder"`
	SMTP            smtpSettings     `embed:"" prefix:"smtp." envprefix:"STOA_SMTP_" json:"smtp"`
	PrivateWebhooks bool             `help:"Let members have notifications sent to addresses of this machine and of private networks." env:"STOA_PRIVATE_WEBHOOKS" json:"private_webhooks"`
	TraceKeep       time.Duration    `help:"How long request records are kept." default:"168h" env:"STOA_TRACE_KEEP" json:"-"`
	IdempotencyKeep time.Duration    `help:"How long the answer to a request with an idempotency key is kept." default:"168h" env:"STOA_IDEMPOTENCY_KEEP" json:"-"`
	DraftKeep       time.Duration    `help:"How long a draft is kept that nobody submits." default:"2160h" env:"STOA_DRAFT_KEEP" json:"-"`
	AccountGrace    time.Duration    `help:"How long a member who asked to be deleted may take that back." default:"336h" env:"STOA_ACCOUNT_GRACE" json:"-"`
	PackageKeep     time.Duration    `help:"How long the package of a submission is kept that was withdrawn, replaced or rejected." default:"720h" env:"STOA_PACKAGE_KEEP" json:"-"`
	AuditDetailKeep time.Duration    `help:"How long the details of audit events are kept; the events themselves and their digests stay." default:"9600h" env:"STOA_AUDIT_DETAIL_KEEP" json:"-"`
	GovernanceKeep  time.Duration    `help:"How long verifications, remediation events, quality snapshots and traces of tutors are kept." default:"9600h" env:"STOA_GOVERNANCE_KEEP" json:"-"`
}

// ServeCmd serves until it is told to stop.
type ServeCmd struct {
	ServerSettings
}

// stopTimeout is how long requests under way may take when the server stops.
const stopTimeout = 20 * time.Second

// strangersLinesPerSecond bounds what a flood of strangers' requests writes into the log: 23 KB a second at 230 bytes a line.
const strangersLinesPerSecond = 100

// Run serves.
func (c *ServeCmd) Run(ctx context.Context, s *Settings, k *kong.Context, in Given, o cli.Output) error {
	loopback, err := isLoopback(c.Listen)
	if err != nil {
		return err
	}
	if c.Auth.Mode == "off" && !loopback {
		return errors.New("authentication may be off only while listening on loopback: use --listen 127.0.0.1:PORT or --auth.mode=required")
	}
	level := new(slog.LevelVar)
	level.Set(logLevels[c.LogLevel])
	proxies, err := c.proxies()
	if err != nil {
		return err
	}
	public, err := c.public()
	if err != nil {
		return err
	}
	issuer, err := c.OIDC.issuer()
	if err != nil {
		return err
	}
	if c.Feeds, err = feedsOf(c.Feeds); err != nil {
		return err
	}
	config, err := c.config()
	if err != nil {
		return err
	}
	replicas, err := s.replicas()
	if err != nil {
		return err
	}
	log, flushLog := newLog(o.Err, level)
	defer flushLog()
	if tracing.Wanted() {
		stop, err := tracing.Open(ctx, cli.Version)
		if err != nil {
			return err
		}
		defer stop()
	}
	certificate, err := c.certificate(log)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Listen, err)
	}
	defer listener.Close()
	base := "http://" + listener.Addr().String()
	if certificate != nil {
		base = "https://" + listener.Addr().String()
	}
	if public != "" {
		base = public
	}
	config.WebURL, config.SignInWith = base, nameOf(issuer)
	a, err := s.Open(ctx, log, config, func(where string) []store.Option { return []store.Option{s.guard(c.Listen, where)} }, s.guard(c.Listen, s.Database), replicas)
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, a, log, listener, front{base, public, proxies, certificate, issuer, level, loopback, InForce(k, in)}, o), a.Shut())
}

// config is what the application needs of the settings, but for what is known once the server listens.
func (c *ServeCmd) config() (core.Config, error) {
	models, errModels := c.Tutor.models()
	trial, errTrial := c.Trial.config()
	embedder, errEmbedder := c.Embedder.embedder()
	mailer, errMailer := c.SMTP.mailer()
	pipelines, errPipelines := pipelinesOf(c.PublishIssuers)
	return core.Config{
		AuthRequired: c.Auth.Mode == "required", DefaultUserID: c.Auth.DefaultUserID, SignupOpen: c.Auth.Signup == "open", SignupsPerHour: c.Limits.SignupsPerHour,
		AllowAnonymousMember: c.AllowAnonymousMember, AnonymousMemberUserID: c.AnonymousMemberUserID, Version: cli.Version,
		TextCacheBytes: c.Limits.TextCacheMiB << 20, MaxIndexedAtoms: c.Limits.IndexedAtoms, TraceKeep: c.TraceKeep, TraceBytes: c.Limits.TraceMiB << 20, GovernanceKeep: c.GovernanceKeep,
		IdempotencyKeep: c.IdempotencyKeep, DraftKeep: c.DraftKeep, AccountGrace: c.AccountGrace, PackageKeep: c.PackageKeep, AuditDetailKeep: c.AuditDetailKeep,
		Quotas: c.Quota.quotas(), ModelCallPrice: c.Quota.ModelCallPrice, TutorModels: models, Trial: trial, Embedder: embedder, FeedsAhead: len(c.Feeds) > 0,
		Mail: mailer, PrivateWebhooks: c.PrivateWebhooks, Pipelines: pipelines,
	}, errors.Join(errModels, errTrial, errEmbedder, errMailer, errPipelines)
}

// front is what serve has made of the settings of how it meets the network.
type front struct {
	base, public string
	proxies      httpapi.Proxies
	certificate  *listen.Certificate
	issuer       *identity.Issuer
	level        *slog.LevelVar // of the log
	loopback     bool
	settings     []httpapi.ConsoleSetting // what is in force, for the console
}

func (c *ServeCmd) serve(ctx context.Context, a *opened, log *slog.Logger, listener net.Listener, f front, o cli.Output) error {
	if err := a.RequireMain(); err != nil {
		return err
	}
	if err := a.CheckAnonymousMember(ctx); err != nil {
		return err
	}
	if c.AllowAnonymousMember {
		log.Info("everybody may use the allowlist of routes as the anonymous member", "anonymous_member_user_id", a.AnonymousMemberUserID)
	}
	if err := a.Seed(ctx); err != nil {
		return fmt.Errorf("seeding the catalog: %w", err)
	}
	if err := greet(ctx, a.App, f.base, o); err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	handler, err := httpapi.New(a.App, httpapi.Config{
		Log: log, Clock: clock.System, Metrics: registry, Pages: web.Files(), RequestsPerSecond: c.Limits.RequestsPerSecond, StrangersLinesPerSecond: strangersLinesPerSecond,
		LoopbackOnly: !a.AuthRequired && f.loopback, Proxies: f.proxies, PublicURL: f.public, Issuer: f.issuer, UploadsPerMember: c.Limits.UploadsPerMember, Feeds: c.Feeds,
		NoClientDocs: c.NoClientDocuments,
	})
	if err != nil {
		return err
	}
	console, err := handler.NewConsole(f.settings)
	if err != nil {
		return err
	}
	var public http.Handler = handler
	if c.ConsoleListen == consolePublic {
		public = consoleOf(console, handler)
	}
	stopConsole := c.serveConsole(ctx, log, console)
	defer stopConsole()
	a.Start(ctx)
	server := listen.New(public, listen.Options{Log: log, Connections: c.Limits.Connections, Certificate: f.certificate})
	registry.MustRegister(connections{server})
	stopMetrics := c.serveMetrics(ctx, log, f.level, registry)
	defer stopMetrics()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	log.Info("serving", "address", f.base, "version", cli.Version)
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping")
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return server.Shutdown(stopping)
}

// feedsOf reads the names of the feeds that are to be on.
func feedsOf(names []string) ([]string, error) {
	all := httpapi.FeedNames()
	if len(names) == 1 && names[0] == "all" {
		return all, nil
	}
	if len(names) == 1 && names[0] == "none" {
		return nil, nil
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("%q is no feed; there are %s, or all, or none", name, strings.Join(all, ", "))
		}
	}
	return names, nil
}

// greet tells the first person who starts the server how to get in; never again.
func greet(ctx context.Context, a *app.App, base string, o cli.Output) error {
	if !a.AuthRequired {
		fmt.Fprintf(o.Out, "Stoa is at %s (authentication is off)\n", base)
		return nil
	}
	password, link, err := a.FirstMember(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "Stoa is at %s\n", base)
	if password != "" {
		fmt.Fprintf(o.Out, "\n  Your first member is ready. This is shown once:\n    name      %s\n    password  %s\n    sign in   %s/member#signin=%s  (valid for 10 minutes)\n\n",
			a.DefaultUserID, password, base, link)
	}
	return nil
}

// isLoopback tells whether an address to listen on reaches this machine alone.
func isLoopback(address string) (bool, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%q is not an address like 127.0.0.1:8106", address)
	}
	if host == "localhost" {
		return true, nil
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback(), nil
}
