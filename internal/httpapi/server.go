package httpapi

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"

	"stoa/internal/app"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/app/school"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/metrics"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clientdoc"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/listen"
	"stoa/internal/platform/tracing"
)

// Config is what a Server needs beside the application.
type Config struct {
	Log     *slog.Logger
	Clock   clock.Clock
	Metrics prometheus.Registerer
	// Pages are the built web surfaces; see package web.
	Pages fs.FS
	// RequestsPerSecond bounds each session's or address's calls; 0 means no bound. Twice as many may
	// come at once.
	RequestsPerSecond float64
	// StrangersLinesPerSecond bounds how many answered requests of nobody in particular are written into the log, all together;
	// 0 means no bound. What is left out is counted there.
	StrangersLinesPerSecond float64
	// WatchPatience bounds requests that look at the service itself; 0 means five seconds.
	WatchPatience time.Duration
	// LoopbackOnly refuses requests for other names than this machine's own, which is what protects a
	// server without authentication from pages of other sites.
	LoopbackOnly bool
	// Proxies are whom X-Forwarded-For and X-Forwarded-Proto are believed from; nobody when it is empty.
	Proxies Proxies
	// PublicURL is the address that people reach the server at, without a path; "" takes it from each request.
	PublicURL string
	// Issuer is where people may sign in beside passwords; nil for nowhere.
	Issuer *identity.Issuer
	// ClientDocs fetches what assistants that sign a member in say of themselves; nil for one that asks public addresses alone.
	ClientDocs *clientdoc.Fetcher
	// NoClientDocs is for a server that reaches nothing outside: assistants register, and no document is fetched.
	NoClientDocs bool
	// BodyTime is how long a body that is no upload may take; 0 means a minute.
	BodyTime time.Duration
	// UploadsPerMember bounds the uploads of one member that are under way; 0 means DefaultUploadsPerMember.
	UploadsPerMember int
	// Feeds are the names of the feeds that are on, of FeedNames.
	Feeds []string
	// UploadWindow is the time over which the speed of an upload is measured; 0 means 15 seconds.
	UploadWindow time.Duration
	// TakeTime is in which time a client must take 256 KiB of an answer over HTTP/2; 0 means 32 seconds.
	TakeTime time.Duration
}

// Server serves the API and the pages. It is an http.Handler.
type Server struct {
	Config
	app          *app.App
	mux          mux
	csrf         *http.CrossOriginProtection
	answers      *answers
	buckets      *limits.Buckets
	uploads      *limits.UploadSlots
	metrics      metrics.Metrics
	lines        *limits.Lines
	out          *limits.Outgoing
	allowlist    []string             // "METHOD /path" of the routes an anonymous member may use, sorted
	capabilities map[ability][]string // names of what each kind of caller may do, sorted
	replays      *replays
	feeds        *otter.Cache[feedKey, *feedAnswer] // nil when none is on
	parts        *otter.Cache[feedKey, stamped]
	repos        *gitRepos
	handlers     map[string]func(*request) error
	routes       map[string]*routes.Route
	clients      *clients
	look         look
	warm         sync.Map // ids of the routes that were asked for since the server was made
}

// mux is where requests go. It knows its patterns, so that a test can ask every route the same questions.
type mux struct {
	http.ServeMux
	patterns []string
}

// Handle is that of http.ServeMux.
func (m *mux) Handle(pattern string, h http.Handler) {
	m.patterns = append(m.patterns, pattern)
	m.ServeMux.Handle(pattern, h)
}

// HandleFunc is that of http.ServeMux.
func (m *mux) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	m.Handle(pattern, http.HandlerFunc(h))
}

// New makes a Server of the contract and the table; it fails when they do not agree.
func New(a *app.App, c Config) (*Server, error) {
	s := &Server{
		Config: c, app: a, csrf: http.NewCrossOriginProtection(), answers: newAnswers(),
		buckets: limits.NewBuckets(c.RequestsPerSecond), uploads: limits.NewUploadSlots(c.UploadsPerMember), metrics: metrics.NewMetrics(c.Metrics, a), lines: limits.NewLines(c.StrangersLinesPerSecond), out: limits.NewOutgoing(limits.OutgoingBytes, c.TakeTime), capabilities: map[ability][]string{},
		clients: newClients(c), handlers: map[string]func(*request) error{}, routes: map[string]*routes.Route{},
	}
	if s.WatchPatience == 0 {
		s.WatchPatience = watchPatience
	}
	routes, err := routes.Routes()
	if err != nil {
		return nil, err
	}
	if err := s.mount(routes); err != nil {
		return nil, err
	}
	s.mountMCP()
	s.mountOAuth()
	if err := s.mountPages(); err != nil {
		return nil, err
	}
	s.mountFeeds()
	s.mux.HandleFunc("GET "+accounts.FeedPath, s.notificationFeed)
	s.mux.HandleFunc("GET "+school.CalendarPath, s.reminderCalendar)
	return s, nil
}

func (s *Server) mount(routes []routes.Route) error {
	rows := map[string]func(*request) error{}
	for _, op := range operations {
		rows[op.id] = op.handle
	}
	methods := map[string][]string{}
	for i := range routes {
		route := &routes[i]
		handle, ok := rows[route.ID]
		if !ok {
			return fmt.Errorf("httpapi: operation %s of the contract has no row in the table", route.ID)
		}
		delete(rows, route.ID)
		s.handlers[route.ID], s.routes[route.ID] = handle, route
		s.mux.Handle(route.Method+" "+route.Path, s.operation(route, handle))
		methods[route.Path] = append(methods[route.Path], route.Method)
		s.grant(route)
	}
	for id := range rows {
		return fmt.Errorf("httpapi: operation %s of the table is not in the contract", id)
	}
	for path, allowed := range methods {
		s.mux.Handle(path, s.wrongMethod(allowed))
	}
	s.mux.Handle("/api/", s.unknown())
	sort.Strings(s.allowlist)
	for _, names := range s.capabilities {
		sort.Strings(names)
	}
	return nil
}

// grant notes which roles may use a route.
func (s *Server) grant(route *routes.Route) {
	roles := []core.Role{core.Member}
	switch route.Role {
	case routes.RolePublic:
		roles = append(roles, core.Anonymous, core.Public)
	case routes.RoleAllowlist:
		roles = append(roles, core.Anonymous)
		s.allowlist = append(s.allowlist, route.Method+" "+route.Path)
	}
	for _, role := range roles {
		who := []ability{{role, ""}}
		for _, scope := range []core.Scope{core.ScopeRead, core.ScopePublish, core.ScopeWrite} {
			if role == core.Member && (route.Role == routes.RolePublic || core.Caller{Scope: scope}.May(route.Scope)) {
				who = append(who, ability{role, scope})
			}
		}
		for _, w := range who {
			for _, name := range append([]string{route.Capability}, route.Also...) {
				if !slices.Contains(s.capabilities[w], name) {
					s.capabilities[w] = append(s.capabilities[w], name)
				}
			}
		}
	}
}

// ability is what decides which operations a caller may use at all.
type ability struct {
	role  core.Role
	scope core.Scope
}

// ServeHTTP takes every request, of the API and of the pages.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	rec := newRecorder(w, req, s.Proxies.origin(req))
	rec.out = s.out
	defer rec.free()
	start := time.Now()
	s.secure(rec)
	limits.BoundBody(rec.ResponseWriter, req, s.BodyTime)
	ctx, span := tracing.Request(req, rec.proxied)
	if span.On() {
		req = req.WithContext(ctx)
		defer func() { endSpan(span, rec, req) }()
	}
	s.metrics.InFlight.Inc()
	defer s.metrics.InFlight.Dec()
	func() {
		defer s.recovered(rec, req)
		if s.LoopbackOnly && !loopbackName(req.Host) {
			s.fail(rec, req, errs.New(errs.PermissionDenied, "Without authentication this server answers only under the names of its own machine, such as 127.0.0.1."))
			return
		}
		if !tidy(req.URL.Path) {
			s.unknown().ServeHTTP(rec, req)
			return
		}
		s.mux.ServeHTTP(rec, req)
	}()
	rec.patience(true) // for what net/http has not sent yet
	s.finished(rec, req, start)
}

// endSpan ends the span of an answered request. Of a request that is none of the contract's only its kind is told: its
// path may hold anything.
func endSpan(span tracing.Span, w *recorder, req *http.Request) {
	method, path := "OTHER", "/"
	if w.route != nil {
		method, path = w.route.Method, w.route.Path
	} else if req.Method == http.MethodGet || req.Method == http.MethodHead || req.Method == http.MethodPost {
		method = req.Method
	}
	span.Answered(method, path, w.operation(), w.status, string(w.code))
}

// operation serves one route of the contract.
func (s *Server) operation(route *routes.Route, handle func(*request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		rec := w.(*recorder)
		rec.route = route
		ctx := core.Soon(req.Context())
		if watches(route.Path) {
			within, cancel := context.WithTimeout(ctx, s.WatchPatience)
			defer cancel()
			ctx = within
		}
		req = req.WithContext(ctx)
		r := &request{Request: req, w: rec, server: s, route: route}
		if err := r.admit(); err != nil {
			s.fail(rec, req, err)
			return
		}
		if r.caller.Role != core.Public && route.ID != "logout" {
			r.Request = req.WithContext(s.app.Metered(req.Context(), r.caller))
		}
		if err := handle(r); err != nil {
			s.fail(rec, req, err)
		}
	})
}

// watchPatience bounds every request that looks at the service itself, unless configured: who asks because the database
// hangs must not hang too.
const watchPatience = 5 * time.Second

// watches reports whether a route looks at the service itself.
func watches(path string) bool {
	for _, prefix := range []string{
		"/api/knowledge/runtime-capability-", "/api/runtime-request-trace", "/api/knowledge/quality/", "/api/knowledge/query-backend-diagnostics", "/api/knowledge/tutor/trace-diagnostics",
		"/api/knowledge/tutor/telemetry", "/api/knowledge/session/history", "/api/knowledge/session/orchestration/config", "/api/knowledge/session/plan/quality/", "/api/knowledge/state",
	} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// admit finds out who is calling and whether they may use the route at all; whose data they may
// touch is for the application method to see.
func (r *request) admit() error {
	s := r.server
	// Beside writes, another site's page may not have a member's data read, since some reading writes too, and nothing at
	// all of a server that takes everybody for its member.
	guarded := s.LoopbackOnly || r.route.Role == routes.RoleMember
	if err := s.csrf.Check(r.Request); err != nil || guarded && listen.FromOtherSite(r.Request) {
		return errs.New(errs.PermissionDenied, "This request came from another site's page and was not carried out.").With("error", string(errs.PermissionDenied))
	}
	caller, err := s.app.Identify(r.Context(), token(r.Request))
	if err != nil && r.route.ID != "getHealth" { // which tells why nobody can be identified
		return err
	}
	caller = s.visit(caller, r.w, r.Request)
	if r.route.Role == routes.RoleAllowlist || r.route.ID == "getUICapabilities" {
		caller = s.app.Anonymize(caller)
	}
	caller.Locale = matchLocale(r.Header.Get("Accept-Language"))
	r.caller, r.w.userID = caller, caller.UserID
	if wait := s.buckets.Take(r.route, caller, s.Clock()); wait > 0 {
		return limits.TooManyRequests(wait)
	}
	return r.route.Permits(caller)
}

// visit fills in where a caller calls from.
func (s *Server) visit(c core.Caller, w *recorder, req *http.Request) core.Caller {
	c.RequestID, c.RequestIDSent, c.Remote, c.Agent = w.requestID, w.idSent, listen.Source(w.remote), account.DescribeAgent(req.UserAgent())
	c.Device, c.Origin = cookie(req, deviceCookie), s.base(w, req)
	return c
}

// token takes the session's token from the Authorization header, else from the cookie.
func token(req *http.Request) string {
	if header := req.Header.Get("Authorization"); header != "" {
		scheme, value, _ := strings.Cut(header, " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(value)
		}
		return ""
	}
	if value := cookie(req, sessionCookie); !account.IsAPIToken(value) {
		return value
	}
	return "" // browsers send cookies by themselves, which is not for programs' tokens
}

// tidy tells whether the mux looks a path up as it stands. Others it redirects, or answers without
// the envelope.
func tidy(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && !strings.Contains(path+"/", "/./") && !strings.Contains(path+"/", "/../")
}

func (s *Server) unknown() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.fail(w.(*recorder), req, errs.New(errs.NotFound, "There is no such route. /api/docs lists those there are."))
	})
}

func (s *Server) wrongMethod(allowed []string) http.Handler {
	sort.Strings(allowed)
	header := strings.Join(allowed, ", ")
	if strings.Contains(header, http.MethodGet) {
		header += ", HEAD"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Allow", header)
		s.fail(w.(*recorder), req, errs.Newf(errs.MethodNotAllowed, "This route takes %s.", header))
	})
}

// loopbackName tells whether a Host header names this machine itself.
func loopbackName(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}
