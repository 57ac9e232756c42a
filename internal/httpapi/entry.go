package httpapi

import (
	"net/http"
	"time"

	"stoa/internal/app"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
)

// Cookies of the web surfaces, none of them readable by a script. Over TLS their names begin with hostPrefix: then
// browsers take them from this host alone, not from one beside it.
const (
	sessionCookie = "stoa_session" // the session's token
	deviceCookie  = "stoa_device"  // what a browser is known by when it signs in again
	hostPrefix    = "__Host-"
)

func (r *request) authInfo() error {
	succeed(r.w, r.route, http.StatusOK, "How to sign in.", r.server.app.GetAuthInfo(r.Context(), r.server.allowlist))
	return nil
}

func (r *request) capabilities() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	mode, _ := values["page_mode"].(string)
	if mode == "" {
		mode = "auto"
	}
	succeed(r.w, r.route, http.StatusOK, "What you may do.", r.server.app.GetCapabilities(r.Context(), r.caller, mode, r.server.capabilities[ability{r.caller.Role, r.caller.Scope}]))
	return nil
}

func (r *request) healthInfo() error {
	values, err := r.route.Query(r.Request)
	if err != nil {
		return err
	}
	h := r.server.app.GetHealth(r.Context())
	if values["scope"] == "node" {
		h = h.OfNode()
	}
	if h.Status == "ok" {
		succeed(r.w, r.route, http.StatusOK, "Everything works.", h)
		return nil
	}
	failing := struct {
		core.Health
		OK      bool         `json:"ok"`
		Message string       `json:"message"`
		Data    core.Health  `json:"data"`
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

func (r *request) loginWithPasskey() error {
	return enter(r, "Signed in.", (*app.App).LoginByPasskey)
}

func (r *request) signup() error {
	return enter(r, "Welcome.", (*app.App).Signup)
}

// enter serves the operations that end in a session: the token goes into the answer for programs and
// into a cookie for pages.
func enter[In any](r *request, message string, m method[In, accounts.Session]) error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[In](values)
	if err != nil {
		return err
	}
	session, err := m(r.server.app, r.Context(), r.caller, in)
	if err != nil {
		return err
	}
	r.w.userID = session.UserID
	if session.AuthRequired {
		signedIn(r.w, session)
	}
	succeed(r.w, r.route, http.StatusOK, message, session)
	return nil
}

func (r *request) logout() error {
	if _, err := r.route.Input(r.w, r.Request); err != nil {
		return err
	}
	out, err := r.server.app.Logout(r.Context(), r.caller, struct{}{})
	if err != nil {
		return err
	}
	signedOut(r.w)
	succeed(r.w, r.route, http.StatusOK, "Signed out.", out)
	return nil
}

// exportAccount sends the caller everything that is kept of them.
func (r *request) exportAccount() error {
	values, err := r.route.Input(r.w, r.Request)
	if err != nil {
		return err
	}
	in, err := routes.Into[accounts.AccountInput](values)
	if err != nil {
		return err
	}
	p, err := r.server.app.ExportAccount(r.Context(), r.caller, in)
	if err != nil {
		return err
	}
	return r.send(p.Filename, "", p.Size, false, p)
}

// ends serves the operations that end sessions: when the caller's is among them, its cookie goes too.
func ends[In any](message string, m method[In, accounts.EndedSessions]) func(*request) error {
	return plain(message, m, func(r *request, out accounts.EndedSessions) {
		if out.SignedOut {
			signedOut(r.w)
		}
	})
}

func signedIn(w *recorder, session accounts.Session) {
	setCookie(w, sessionCookie, session.Token, accounts.SessionMax)
	if session.Device != "" {
		setCookie(w, deviceCookie, session.Device, accounts.DeviceKeep)
	}
	if w.https {
		dropCookie(w, sessionCookie) // of before the prefix
	}
}

func signedOut(w *recorder) {
	dropCookie(w, sessionCookie)
	if w.https {
		dropCookie(w, hostPrefix+sessionCookie)
	}
}

func setCookie(w *recorder, name, value string, keep time.Duration) {
	if w.https {
		name = hostPrefix + name
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(keep / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: w.https,
	})
}

func dropCookie(w *recorder, name string) {
	http.SetCookie(w, &http.Cookie{Name: name, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: w.https})
}

// cookie is the value of a cookie of ours, "" without one. Without the prefix it counts too: over plain HTTP it has none,
// and sessions of before it go on.
func cookie(req *http.Request, name string) string {
	for _, name := range []string{hostPrefix + name, name} {
		if c, err := req.Cookie(name); err == nil {
			return c.Value
		}
	}
	return ""
}
