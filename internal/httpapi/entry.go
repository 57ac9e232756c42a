package httpapi

import (
	"net/http"
	"time"

	"stoa/internal/app"
	"stoa/internal/platform/errs"
)

// sessionCookie carries the token of the web surfaces. It is never readable by a script.
const sessionCookie = "stoa_session"

func (r *request) authInfo() error {
	succeed(r.w, r.route, http.StatusOK, "How to sign in.", r.server.app.GetAuthInfo(r.Context(), r.server.allowlist))
	return nil
}

func (r *request) capabilities() error {
	values, err := r.route.input(r.w, r.Request)
	if err != nil {
		return err
	}
	mode, _ := values["page_mode"].(string)
	if mode == "" {
		mode = "auto"
	}
	succeed(r.w, r.route, http.StatusOK, "What you may do.", r.server.app.GetCapabilities(r.Context(), r.caller, mode, r.server.capabilities[r.caller.Role]))
	return nil
}

func (r *request) healthInfo() error {
	h := r.server.app.GetHealth(r.Context())
	if h.Status == "ok" {
		succeed(r.w, r.route, http.StatusOK, "Everything works.", h)
		return nil
	}
	failing := struct {
		app.Health
		OK      bool         `json:"ok"`
		Message string       `json:"message"`
		Data    app.Health   `json:"data"`
		Error   failureError `json:"error"`
	}{Health: h, Message: "A part does not work; see checks.", Data: h}
	failing.Error = failureError{Code: errs.ServiceUnavailable, Message: failing.Message}
	r.w.code = errs.ServiceUnavailable
	r.w.Header().Set("X-Error-Code", string(errs.ServiceUnavailable))
	r.w.Header().Set("Cache-Control", "no-store")
	r.w.Header().Set("Retry-After", "5")
	writeJSON(r.w, http.StatusServiceUnavailable, failing)
	return nil
}

func (r *request) login() error {
	return enter(r, "Signed in.", (*app.App).Login)
}

func (r *request) signup() error {
	return enter(r, "Welcome.", (*app.App).Signup)
}

// enter serves the operations that end in a session: the token goes into the answer for programs and
// into a cookie for pages.
func enter[In any](r *request, message string, m method[In, app.Session]) error {
	values, err := r.route.input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := into[In](values)
	if err != nil {
		return err
	}
	session, err := m(r.server.app, r.Context(), r.caller, in)
	if err != nil {
		return err
	}
	r.w.userID = session.UserID
	if session.AuthRequired {
		r.setCookie(session.Token, int(app.SessionMax/time.Second))
	}
	succeed(r.w, r.route, http.StatusOK, message, session)
	return nil
}

func (r *request) logout() error {
	if _, err := r.route.input(r.w, r.Request); err != nil {
		return err
	}
	out, err := r.server.app.Logout(r.Context(), r.caller, struct{}{})
	if err != nil {
		return err
	}
	r.setCookie("", -1)
	succeed(r.w, r.route, http.StatusOK, "Signed out.", out)
	return nil
}

func (r *request) setCookie(token string, maxAge int) {
	http.SetCookie(r.w, &http.Cookie{
		Name: sessionCookie, Value: token, Path: "/", MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
}
