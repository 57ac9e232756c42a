package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/maypok86/otter/v2"

	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/clientdoc"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/listen"
)

// Paths of the authorization server, which lets assistants sign a member in (OAuth 2.1 as the Model Context Protocol has it).
const (
	authorizePath      = "/oauth/authorize"
	tokenPath          = "/oauth/token"
	revokePath         = "/oauth/revoke"
	serverMetadata     = "/.well-known/oauth-authorization-server"
	resourceMetadata   = "/.well-known/oauth-protected-resource"
	mcpResourceAddress = resourceMetadata + mcpPath
)

const offlineAccess = "offline_access"

// Bounds of what is remembered of clients.
const (
	clientsKept = 1000
	clientKeep  = 10 * time.Minute
	maxForm     = 16 << 10
	// A member has so many documents fetched at once, and one more in five seconds: nobody makes this server ask others all the time.
	documentsAtOnce, documentsPerSecond = 10, .2
)

// clients are the assistants whose documents were fetched of late.
type clients struct {
	fetcher *clientdoc.Fetcher // nil when documents are not fetched
	kept    *otter.Cache[string, clientdoc.Client]
	asked   *limits.Buckets // by member
}

func newClients(c Config) *clients {
	f := c.ClientDocs
	if f == nil && !c.NoClientDocs {
		f = clientdoc.New(nil, nil)
	}
	kept := otter.Must(&otter.Options[string, clientdoc.Client]{MaximumSize: clientsKept, ExpiryCalculator: otter.ExpiryWriting[string, clientdoc.Client](clientKeep)})
	asked := limits.NewBuckets(documentsPerSecond)
	asked.Burst = documentsAtOnce
	return &clients{f, kept, asked}
}

// get finds the client of an id for a member.
func (c *clients) get(req *http.Request, id, userID string, now time.Time) (clientdoc.Client, error) {
	if registered, ok := clientdoc.Registered(id); ok {
		return registered, nil
	}
	if known, ok := c.kept.GetIfPresent(id); ok {
		return known, nil
	}
	if c.fetcher == nil {
		return clientdoc.Client{}, errors.New("documents of clients are not fetched here")
	}
	if wait := c.asked.Take(&routes.Route{}, core.Caller{Remote: userID}, now); wait > 0 {
		return clientdoc.Client{}, limits.TooManyRequests(wait)
	}
	found, err := c.fetcher.Fetch(req.Context(), id)
	if err == nil {
		c.kept.Set(id, found)
	}
	return found, err
}

func (s *Server) mountOAuth() {
	if !s.app.AuthRequired {
		return
	}
	s.mux.HandleFunc("GET "+mcpResourceAddress, s.describeResource)
	s.mux.HandleFunc("GET "+resourceMetadata, s.describeResource)
	if s.issuersAssistants() {
		return // who allows what is decided at the issuer
	}
	s.mux.HandleFunc("GET "+serverMetadata, s.describeServer)
	s.mux.HandleFunc("GET "+authorizePath, s.authorize)
	s.mux.HandleFunc("POST "+authorizePath, s.consent)
	s.mux.HandleFunc("POST "+registerPath, s.registerClient)
	s.mux.HandleFunc("POST "+tokenPath, s.issueTokens)
	s.mux.HandleFunc("POST "+revokePath, s.revokeToken)
}

// challenge tells a client where to sign in (RFC 9728), and what its token lacks, if it has one.
func (s *Server) challenge(w *recorder, req *http.Request, lacks core.Scope) {
	if !s.app.AuthRequired {
		return
	}
	text := `Bearer resource_metadata="` + s.base(w, req) + mcpResourceAddress + `"`
	if lacks != "" {
		text += `, error="insufficient_scope", scope="read write"`
	} else {
		text += `, scope="read"`
	}
	w.Header().Set("WWW-Authenticate", text)
}

func (s *Server) describeResource(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	publicMetadata(rec)
	writeJSON(rec, http.StatusOK, map[string]any{
		"resource": s.mcpResource(rec, req), "authorization_servers": []string{s.authorizationServer(rec, req)}, "scopes_supported": []string{"read"},
		"bearer_methods_supported": []string{"header"}, "resource_name": "Stoa",
	})
}

func (s *Server) describeServer(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	base := s.base(rec, req)
	publicMetadata(rec)
	writeJSON(rec, http.StatusOK, map[string]any{
		"issuer": base, "authorization_endpoint": base + authorizePath, "token_endpoint": base + tokenPath, "revocation_endpoint": base + revokePath, "registration_endpoint": base + registerPath,
		"response_types_supported": []string{"code"}, "response_modes_supported": []string{"query"}, "grant_types_supported": []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported": []string{"S256"}, "scopes_supported": []string{"read", "write", offlineAccess},
		"token_endpoint_auth_methods_supported": []string{"none"}, "revocation_endpoint_auth_methods_supported": []string{"none"},
		"authorization_response_iss_parameter_supported": true, "client_id_metadata_document_supported": s.clients.fetcher != nil,
	})
}

// publicMetadata lets pages of other origins read what is no secret.
func publicMetadata(w *recorder) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cache-Control", "public, max-age=300")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// issueTokens turns a code or a refresh token into tokens (RFC 6749, 4.1.3 and 6). Clients have no secret: a code is theirs by
// PKCE.
func (s *Server) issueTokens(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	form, ok := s.tokenForm(rec, req)
	if !ok {
		return
	}
	var out accounts.IssuedTokens
	var err error
	switch form.Get("grant_type") {
	case "authorization_code":
		out, err = s.app.RedeemCode(req.Context(), s.visit(core.Caller{}, rec, req), accounts.RedeemInput{
			Code: form.Get("code"), ClientID: form.Get("client_id"), RedirectURI: form.Get("redirect_uri"), Verifier: form.Get("code_verifier"), Resource: form.Get("resource"),
		})
	case "refresh_token":
		out, err = s.app.RefreshAssistant(req.Context(), form.Get("refresh_token"), form.Get("client_id"))
	default:
		oauthError(rec, "unsupported_grant_type")
		return
	}
	if errors.Is(err, accounts.ErrGrant) {
		oauthError(rec, "invalid_grant")
		return
	}
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	answer := map[string]any{"access_token": out.Access, "token_type": "Bearer", "expires_in": int(accounts.AccessTTL / time.Second), "scope": scopeText(out.Scope)}
	if out.Refresh != "" {
		answer["refresh_token"] = out.Refresh
	}
	rec.Header().Set("Cache-Control", "no-store")
	writeJSON(rec, http.StatusOK, answer)
}

// revokeToken ends a token (RFC 7009); what is unknown is ended already.
func (s *Server) revokeToken(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	form, ok := s.tokenForm(rec, req)
	if !ok {
		return
	}
	if err := s.app.ForgetAssistantToken(req.Context(), form.Get("token")); err != nil {
		s.fail(rec, req, err)
		return
	}
	rec.Header().Set("Cache-Control", "no-store")
	writeJSON(rec, http.StatusOK, struct{}{})
}

func (s *Server) tokenForm(w *recorder, req *http.Request) (url.Values, bool) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // no cookie counts here
	if wait := s.buckets.Take(&routes.Route{}, s.visit(core.Caller{}, w, req), s.Clock()); wait > 0 {
		s.fail(w, req, limits.TooManyRequests(wait))
		return nil, false
	}
	req.Body = http.MaxBytesReader(w, req.Body, maxForm)
	if err := req.ParseForm(); err != nil {
		oauthError(w, "invalid_request")
		return nil, false
	}
	// A client without a secret may name itself in the header all the same, URL-encoded (RFC 6749, 2.3.1): golang.org/x/oauth2 does.
	if user, _, ok := req.BasicAuth(); ok && req.PostForm.Get("client_id") == "" {
		if id, err := url.QueryUnescape(user); err == nil {
			req.PostForm.Set("client_id", id)
		}
	}
	return req.PostForm, true
}

func oauthError(w *recorder, code string) {
	w.code = errs.InvalidRequest
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, http.StatusBadRequest, map[string]string{"error": code})
}

func scopeText(s core.Scope) string {
	if s == core.ScopeWrite {
		return "read write"
	}
	return "read"
}

// wish is what an assistant asks a member for.
type wish struct {
	accounts.Consent
	State string
	// query is the request as it came, for the form and for coming back after a sign-in.
	query url.Values
}

// errWish is a problem of a request that the assistant may be told at its address.
type errWish struct{ code string }

func (e errWish) Error() string { return e.code }

// wish checks a request for authorization. Until the client and its address are known to belong together, nobody is sent anywhere.
func (s *Server) wish(rec *recorder, req *http.Request, q url.Values) (wish, error) {
	w := wish{State: q.Get("state"), query: url.Values{}}
	for _, name := range []string{"response_type", "client_id", "redirect_uri", "scope", "state", "resource", "code_challenge", "code_challenge_method"} {
		if len(q[name]) > 1 || len(q.Get(name)) > 2000 {
			return w, errors.New("a parameter is there twice or too long")
		}
		if v := q.Get(name); v != "" {
			w.query.Set(name, v)
		}
	}
	client, err := s.clients.get(req, q.Get("client_id"), rec.userID, s.Clock())
	if err != nil {
		return w, err
	}
	w.ClientID, w.RedirectURI = client.ID, q.Get("redirect_uri")
	if w.RedirectURI == "" && len(client.RedirectURIs) == 1 {
		w.RedirectURI = client.RedirectURIs[0]
	}
	if !client.Returns(w.RedirectURI) {
		return w, errors.New("the address to return to is not the client's")
	}
	if w.ClientName = plainText(client.Name, 60); w.ClientName == "" {
		w.ClientName = "?"
		if host, err := url.Parse(client.ID); err == nil && host.Host != "" {
			w.ClientName = host.Host
		}
	}
	w.Scope, w.Challenge, w.Resource = core.ScopeRead, q.Get("code_challenge"), q.Get("resource")
	if w.Resource == "" {
		w.Resource = s.mcpResource(rec, req)
	}
	scopes := strings.Fields(q.Get("scope"))
	w.Refreshes = slices.Contains(scopes, offlineAccess) || slices.Contains(client.GrantTypes, "refresh_token")
	for _, scope := range scopes {
		switch scope {
		case "write":
			w.Scope = core.ScopeWrite
		case "read", offlineAccess:
		default:
			return w, errWish{"invalid_scope"}
		}
	}
	switch {
	case q.Get("response_type") != "code":
		return w, errWish{"unsupported_response_type"}
	case len(w.Challenge) != 43 || q.Get("code_challenge_method") != "S256":
		return w, errWish{"invalid_request"}
	case w.Resource != s.mcpResource(rec, req):
		return w, errWish{"invalid_target"}
	}
	return w, nil
}

// answer sends the browser back to the assistant, with the issuer (RFC 9207).
func (s *Server) answer(w *recorder, req *http.Request, to wish, name, value string) {
	u, err := url.Parse(to.RedirectURI)
	if err != nil {
		s.fail(w, req, err)
		return
	}
	q := u.Query()
	q.Set(name, value)
	q.Set("iss", s.base(w, req))
	if to.State != "" {
		q.Set("state", to.State)
	}
	u.RawQuery = q.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, req, u.String(), http.StatusSeeOther)
}

// authorize shows a member what an assistant asks for.
func (s *Server) authorize(w http.ResponseWriter, req *http.Request) {
	s.decide(w.(*recorder), req, req.URL.Query(), func(rec *recorder, _ core.Caller, asked wish) {
		s.showConsent(rec, req, asked)
	})
}

// consent takes the member's decision. The form is our own page's: a session's cookie stays within this site, and another
// site's page is refused besides.
func (s *Server) consent(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	if err := s.csrf.Check(req); err != nil || listen.FromOtherSite(req) {
		s.showProblem(rec, req, http.StatusForbidden)
		return
	}
	req.Body = http.MaxBytesReader(rec, req.Body, maxForm)
	if err := req.ParseForm(); err != nil {
		s.showProblem(rec, req, http.StatusBadRequest)
		return
	}
	s.decide(rec, req, req.PostForm, func(rec *recorder, c core.Caller, asked wish) {
		if req.PostForm.Get("decision") != "allow" {
			s.answer(rec, req, asked, "error", "access_denied")
			return
		}
		code, err := s.app.AllowAssistant(req.Context(), c, asked.Consent)
		if err != nil {
			s.fail(rec, req, err)
			return
		}
		s.answer(rec, req, asked, "code", code)
	})
}

// decide finds the member and what is asked of them; without a session it shows where to sign in. Documents of clients are
// fetched for members alone.
func (s *Server) decide(rec *recorder, req *http.Request, q url.Values, then func(*recorder, core.Caller, wish)) {
	value := cookie(req, sessionCookie)
	caller, err := s.app.Identify(req.Context(), value)
	if err != nil {
		s.fail(rec, req, err)
		return
	}
	caller = s.visit(caller, rec, req)
	if wait := s.buckets.Take(&routes.Route{}, caller, s.Clock()); wait > 0 {
		s.fail(rec, req, limits.TooManyRequests(wait))
		return
	}
	if caller.Role != core.Member || !caller.May(core.ScopeSession) {
		s.showSignIn(rec, req, q)
		return
	}
	rec.userID = caller.UserID
	asked, err := s.wish(rec, req, q)
	var told errWish
	switch {
	// Before the member has decided, nobody is sent to a site by a link of a stranger's making (RFC 9700, 4.11.2): a program on
	// the member's own machine alone hears what is wrong.
	case errors.As(err, &told) && clientdoc.OwnMachine(asked.RedirectURI):
		s.answer(rec, req, asked, "error", told.code)
	case errs.CodeOf(err) == errs.RateLimited:
		s.fail(rec, req, err)
	case err != nil:
		s.Log.Info("an assistant's request was refused", "request_id", rec.requestID, "error", plainText(err.Error(), longestCause))
		s.showProblem(rec, req, http.StatusBadRequest)
	default:
		then(rec, caller, asked)
	}
}
