package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/identity"
)

const (
	signInPath     = accounts.SignInPath
	signInCallback = signInPath + "/callback"
	// signInCookie holds the secret that binds a sign-in to the browser that began it. It is sent along when the
	// issuer sends the browser back, so it is Lax, where the session's cookie is Strict.
	signInCookie = "stoa_signin"
)

// surfaces are the pages of the web.
var surfaces = []string{"market", "member", "learn", "runtime"}

func (s *Server) mountSignIn() {
	if s.Issuer == nil || !s.app.AuthRequired {
		return
	}
	s.mux.HandleFunc("GET "+signInPath, s.beginSignIn)
	s.mux.HandleFunc("GET "+signInCallback, s.endSignIn)
}

// beginSignIn sends a browser to the issuer.
func (s *Server) beginSignIn(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	back := returnTo(req.URL.Query().Get("return"))
	if site := req.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		s.sendBack(rec, req, back, "") // another site's page wants somebody signed in; they can press the button themselves
		return
	}
	attempt, err := s.Issuer.Begin(req.Context(), s.base(rec, req)+signInCallback)
	if err == nil {
		browser := browserSecret(req)
		err = s.app.BeginIdentity(req.Context(), s.visit(core.Caller{}, rec, req), attempt, browser, back)
		s.bind(rec, browser, int(accounts.IdentityAttemptTTL/time.Second))
	}
	if err != nil {
		s.signInFailed(rec, req, back, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(rec, req, attempt.URL, http.StatusSeeOther)
}

// endSignIn takes a browser back from the issuer.
func (s *Server) endSignIn(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	q := req.URL.Query()
	cookie, err := req.Cookie(signInCookie)
	if err != nil || q.Get("state") == "" {
		s.signInFailed(rec, req, "/member", errs.New(errs.InvalidCredentials, "This sign-in was begun in another browser. Sign in again."))
		return
	}
	attempt, err := s.app.TakeIdentity(req.Context(), q.Get("state"), cookie.Value)
	if err != nil {
		s.signInFailed(rec, req, "/member", err)
		return
	}
	session, err := s.confirm(rec, req, q, attempt.Nonce, attempt.Verifier)
	if err != nil {
		s.signInFailed(rec, req, attempt.ReturnTo, err)
		return
	}
	rec.userID = session.UserID
	s.bind(rec, "", -1)
	signedIn(rec, session)
	s.sendBack(rec, req, attempt.ReturnTo, "")
}

func (s *Server) confirm(rec *recorder, req *http.Request, q url.Values, nonce, verifier string) (accounts.Session, error) {
	if problem := q.Get("error"); problem != "" {
		return accounts.Session{}, errs.New(errs.InvalidCredentials, "The sign-in was not confirmed.")
	}
	if issuer := q.Get("iss"); issuer != "" && issuer != s.Issuer.Issuer {
		return accounts.Session{}, errs.New(errs.InvalidCredentials, "The sign-in was confirmed by somebody else.")
	}
	who, err := s.Issuer.Finish(req.Context(), s.base(rec, req)+signInCallback, q.Get("code"), nonce, verifier)
	if err != nil {
		return accounts.Session{}, err
	}
	session, err := s.app.LoginByIdentity(req.Context(), s.visit(core.Caller{}, rec, req), who)
	if errs.CodeOf(err) == errs.SignupClosed {
		// What the operator needs for `stoa member link`.
		s.Log.Warn("somebody without an account signed in at the issuer", "issuer", who.Issuer, "subject", plainText(who.Subject, 255), "request_id", rec.requestID)
	}
	return session, err
}

// signInFailed sends a browser back to the page it came from, with the code of what went wrong.
func (s *Server) signInFailed(rec *recorder, req *http.Request, back string, err error) {
	code := errs.Internal
	e, ours := errs.As(err)
	switch {
	case ours:
		code = e.Code
	case errors.Is(err, identity.ErrRefused):
		code, rec.problem = errs.InvalidCredentials, err
	case errors.Is(err, identity.ErrUnreachable), unavailable(req, err):
		code, rec.problem = errs.ServiceUnavailable, err
	default:
		rec.problem = err
	}
	rec.code = code
	if rec.problem != nil {
		s.Log.Warn("a sign-in at the issuer failed", "request_id", rec.requestID, "error", rec.problem)
	}
	s.sendBack(rec, req, back, code)
}

func (s *Server) sendBack(rec *recorder, req *http.Request, back string, code errs.Code) {
	if code != "" {
		back, _, _ = strings.Cut(back, "#")
		back += "#signin_failed=" + url.QueryEscape(string(code))
	}
	rec.Header().Set("Cache-Control", "no-store")
	http.Redirect(rec, req, back, http.StatusSeeOther)
}

// browserSecret is the one that the browser has, so that two tabs can sign in at once, or a new one.
func browserSecret(req *http.Request) string {
	fresh := account.NewToken()
	if cookie, err := req.Cookie(signInCookie); err == nil && len(cookie.Value) == len(fresh) {
		return cookie.Value
	}
	return fresh
}

func (s *Server) bind(rec *recorder, browser string, maxAge int) {
	http.SetCookie(rec, &http.Cookie{
		Name: signInCookie, Value: browser, Path: signInPath, MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: rec.https,
	})
}

// returnTo is the page of ours that somebody came from; /member when it is none of ours.
func returnTo(wish string) string {
	u, err := url.Parse(wish)
	if err != nil || u.Scheme != "" || u.Opaque != "" || u.User != nil || u.Host != "" || len(wish) > 2048 || strings.ContainsAny(wish, "\\\x00\r\n\t") {
		return "/member"
	}
	if u.Path != "/" && (!strings.HasPrefix(u.Path, "/") || !slices.Contains(surfaces, u.Path[1:])) {
		return "/member"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery, Fragment: u.Fragment}).String()
}
