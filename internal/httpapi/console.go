package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/app/market/review"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/listen"
)

// consoleCookie holds the token of a session at the console. Cookies do not know ports, so its name and its path differ
// from those of the member's session.
const consoleCookie = "stoa_console"

// consoleAPI begins the paths of the console's operations.
const consoleAPI = "/console/api/"

// ConsoleSetting is a setting that is in force, and where it comes from.
type ConsoleSetting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // default, flag, environment or file
}

// Console is the surface for people in charge. It answers on a listener of its own, or, where the operator says so, beside
// the public one; the public one knows nothing of it.
type Console struct {
	server   *Server
	mux      *http.ServeMux
	settings []ConsoleSetting
}

// consoleCall is one request of somebody who is signed in.
type consoleCall struct {
	*http.Request
	w      *recorder
	server *Server
	user   accounts.ConsoleUser
	caller core.Caller
}

// consoleRow is one operation: who may use it, and whether it is a decision, which wants the password again.
type consoleRow struct {
	pattern  string
	role     string // "" is everybody who is signed in
	decision bool
	handle   func(ctx context.Context, r *consoleCall) (any, error)
}

// NewConsole makes the console of a server.
func (s *Server) NewConsole(settings []ConsoleSetting) (*Console, error) {
	c := &Console{server: s, mux: http.NewServeMux(), settings: settings}
	built, err := s.readPages()
	if err != nil {
		return nil, err
	}
	start, ok := built["console.html"]
	if !ok {
		start = built["placeholder.html"]
	}
	c.mux.Handle("GET /console", s.page(start, ""))
	c.mux.Handle("GET /{$}", http.RedirectHandler("/console", http.StatusFound))
	c.mux.Handle("/", s.noPage(start))
	c.mux.Handle("GET /assets/", s.folder(built, s.noPage(start)))
	c.mux.HandleFunc("POST /console/api/login", c.login)
	c.mux.HandleFunc("POST /console/api/passkey", c.askForPasskey)
	for _, row := range c.rows() {
		c.mux.Handle(row.pattern, c.operation(row))
	}
	return c, nil
}

// ServeHTTP implements http.Handler.
func (c *Console) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s := c.server
	rec := newRecorder(w, req, s.Proxies.origin(req))
	defer rec.free()
	start := time.Now()
	s.secure(rec)
	limits.BoundBody(rec.ResponseWriter, req, s.BodyTime)
	func() {
		defer s.recovered(rec, req)
		// Reading counts as well: a part that was answered is one that its reviewer was shown.
		if err := s.csrf.Check(req); err != nil || strings.HasPrefix(req.URL.Path, consoleAPI) && listen.FromOtherSite(req) {
			s.fail(rec, req, errs.New(errs.PermissionDenied, "This request came from another site's page and was not carried out."))
			return
		}
		if !tidy(req.URL.Path) {
			s.unknown().ServeHTTP(rec, req)
			return
		}
		if wait := s.buckets.Take(&routes.Route{}, s.visit(core.Caller{}, rec, req), s.Clock()); wait > 0 {
			s.fail(rec, req, limits.TooManyRequests(wait))
			return
		}
		c.mux.ServeHTTP(rec, req)
	}()
	s.finished(rec, req, start)
}

func (c *Console) operation(row consoleRow) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		rec, s := w.(*recorder), c.server
		user, err := s.app.IdentifyConsole(req.Context(), cookie(req, consoleCookie))
		if err != nil {
			s.fail(rec, req, err)
			return
		}
		rec.userID = user.UserID
		caller := c.visit(core.Caller{Role: core.Member, UserID: user.UserID}, rec, req)
		switch {
		case row.role != "" && !user.Has(row.role):
			err = errs.Newf(errs.PermissionDenied, "This is for a member with the role %s.", row.role)
		case row.decision && !user.Confirmed():
			err = errs.New(errs.PermissionDenied, "Give your password again, or use a passkey, before you decide.").With("confirm", true)
		}
		var out any
		if err == nil {
			ctx := core.WithActor(req.Context(), caller)
			out, err = row.handle(ctx, &consoleCall{req, rec, s, user, caller})
		}
		if err != nil {
			s.fail(rec, req, forConsole(err))
			return
		}
		succeed(rec, &routes.Route{}, http.StatusOK, "Done.", out)
	})
}

// forConsole gives errors that only the command line knows a code that HTTP knows.
func forConsole(err error) error {
	var e *errs.Error
	if !errors.As(err, &e) {
		return err
	}
	known := *e
	switch e.Code {
	case review.FindingsNotOpened:
		known.Code, known.Message = errs.SubmissionStateInvalid, "Parts with findings were not shown to you to their end."
	case errs.AccountNotFound:
		known.Code = errs.NotFound
	default:
		return err
	}
	return &known
}

// consoleBody bounds what a request says.
const consoleBody = 64 << 10

// read decodes the body of a request, which must be JSON and nothing but what is asked for.
func (r *consoleCall) read(into any) error { return readConsole(r.w, r.Request, into) }

func readConsole(w http.ResponseWriter, req *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(req.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return errs.New(errs.UnsupportedContentType, "Send JSON with Content-Type application/json.")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, req.Body, consoleBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return errs.New(errs.InvalidJSON, "The body is not the JSON that is asked for.")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errs.New(errs.InvalidJSON, "There is something behind the JSON of the body.")
	}
	return nil
}

// limit reads how many rows are wanted, from 1 to 200.
func (r *consoleCall) limit() int {
	n, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		return 50
	}
	return min(max(n, 1), 200)
}

func (c *Console) login(w http.ResponseWriter, req *http.Request) {
	rec, s := w.(*recorder), c.server
	var in struct {
		accounts.ConsoleLoginInput
		accounts.PasskeyProof
	}
	err := readConsole(rec, req, &in)
	var token string
	switch caller := c.visit(core.Caller{}, rec, req); {
	case err != nil:
	case in.AttemptID != "":
		token, err = s.app.ConsoleLoginByPasskey(req.Context(), caller, in.PasskeyProof)
	default:
		token, err = s.app.ConsoleLogin(req.Context(), caller, in.ConsoleLoginInput)
	}
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	c.setCookie(rec, token, int(accounts.ConsoleMax/time.Second))
	user, err := s.app.IdentifyConsole(req.Context(), token)
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	succeed(rec, &routes.Route{}, http.StatusOK, "Signed in.", user)
}

// visit is Server.visit for the console, whose pages may be at an address of their own.
func (c *Console) visit(who core.Caller, rec *recorder, req *http.Request) core.Caller {
	who = c.server.visit(who, rec, req)
	who.Origin = pageOrigin(rec, req)
	return who
}

// askForPasskey makes a challenge for signing in and for decisions.
func (c *Console) askForPasskey(w http.ResponseWriter, req *http.Request) {
	rec, s := w.(*recorder), c.server
	var in struct{}
	err := readConsole(rec, req, &in)
	var out accounts.PasskeyChallenge
	if err == nil {
		out, err = s.app.AskForPasskey(req.Context(), c.visit(core.Caller{}, rec, req), in)
	}
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	succeed(rec, &routes.Route{}, http.StatusOK, "Ask the authenticator.", out)
}

func (c *Console) setCookie(w *recorder, token string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: consoleCookie, Value: token, Path: "/console", MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: w.https})
}

// consoleOnly tells whether a built file belongs to the console alone.
func consoleOnly(name string) bool { return strings.HasPrefix(name, "assets/console") }
