package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"stoa/internal/app/core"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/mcpserver"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/listen"
)

// The addresses that assistants are given: one for members, and one that asks for no sign-in and knows the market alone.
const (
	mcpPath       = "/mcp"
	mcpMarketPath = "/mcp/market"
)

// maxMCPBody bounds a message of the protocol.
const maxMCPBody = 512 << 10

type withinKey struct{}

func (s *Server) mountMCP() {
	s.replays = newReplays()
	for _, path := range []string{mcpPath, mcpMarketPath} {
		market := path == mcpMarketPath
		server := mcpserver.New(mcpserver.Options{Version: s.app.Version, Log: s.Log, MarketOnly: market, API: func(ctx context.Context) mcpserver.API {
			return ctx.Value(withinKey{}).(*within)
		}})
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
			Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMCPBody, PropagateRequestCancellation: true,
			DisableLocalhostProtection: true, // names are checked by ServeHTTP when it is needed, and a proxy may stand before us
		})
		s.mux.HandleFunc(path, func(w http.ResponseWriter, req *http.Request) { s.serveMCP(w.(*recorder), req, handler, market) })
	}
}

// serveMCP finds out who is calling before the protocol is looked at. Cookies count for nothing here: assistants have tokens,
// and another site's page could send a cookie along.
func (s *Server) serveMCP(w *recorder, req *http.Request, handler http.Handler, market bool) {
	if err := s.csrf.Check(req); err != nil || listen.FromOtherSite(req) || otherOrigin(req) {
		s.fail(w, req, errs.New(errs.PermissionDenied, "This request came from another site's page and was not carried out."))
		return
	}
	caller, err := s.mcpCaller(w, req, market)
	if err != nil {
		s.fail(w, req, err)
		return
	}
	w.userID = caller.UserID
	if wait := s.buckets.Take(&routes.Route{}, caller, s.Clock()); wait > 0 {
		s.fail(w, req, limits.TooManyRequests(wait))
		return
	}
	var message rpcMessage
	key := ""
	if req.Method == http.MethodPost {
		body, ok := s.mcpMessage(w, req, caller)
		if !ok {
			return
		}
		if bytes.Contains(body, []byte(replayMethod)) {
			if message, ok = readMessage(body); ok {
				key = s.replayKey(req, caller, message)
			}
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	req = req.WithContext(context.WithValue(req.Context(), withinKey{}, &within{server: s, caller: caller, outer: w}))
	if key != "" {
		s.replayed(w, req, handler, key, message, caller)
		return
	}
	handler.ServeHTTP(w, req)
}

// otherOrigin tells whether a page of another origin sent a request. Programs send no Origin.
func otherOrigin(req *http.Request) bool {
	o := req.Header.Get("Origin")
	if o == "" {
		return false
	}
	_, host, ok := strings.Cut(o, "://")
	return !ok || !strings.EqualFold(host, req.Host)
}

func (s *Server) mcpCaller(w *recorder, req *http.Request, market bool) (core.Caller, error) {
	bearer := ""
	if req.Header.Get("Authorization") != "" {
		bearer = token(req)
	}
	var caller core.Caller
	var err error
	if s.issuersAssistants() && identity.LooksSigned(bearer) {
		caller, err = s.issuerCaller(w, req, bearer)
	} else {
		caller, err = s.app.IdentifyFor(req.Context(), bearer, s.mcpResource(w, req))
	}
	if err != nil {
		return caller, err
	}
	caller = s.visit(caller, w, req)
	caller.Device, caller.Locale = "", matchLocale(req.Header.Get("Accept-Language"))
	if market {
		return caller, nil
	}
	if caller = s.app.Anonymize(caller); caller.Role == core.Public {
		s.challenge(w, req, "")
		return caller, errs.New(errs.Unauthorized, "Sign in first.")
	}
	return caller, nil
}

// mcpMessage reads a message and refuses, in the way in which a client can ask for more, what the token is not for.
func (s *Server) mcpMessage(w *recorder, req *http.Request, caller core.Caller) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxMCPBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			s.fail(w, req, errs.Newf(errs.RequestBodyTooLarge, "The message is larger than %d KiB.", maxMCPBody>>10))
		} else {
			s.fail(w, req, errs.New(errs.InvalidJSON, "The request ended before its body did."))
		}
		return nil, false
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	if !caller.May(core.ScopeWrite) && callsWriter(body) {
		s.challenge(w, req, core.ScopeWrite)
		s.fail(w, req, routes.OutOfScope(core.ScopeWrite))
		return nil, false
	}
	return body, true
}

// callsWriter tells whether a message, or one of several, calls a tool that changes something.
func callsWriter(body []byte) bool {
	type message struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	var all []message
	if json.Unmarshal(body, &all) != nil {
		all = make([]message, 1)
		if json.Unmarshal(body, &all[0]) != nil {
			return false // the protocol's handler says what is wrong; the operation refuses a writer all the same
		}
	}
	for _, m := range all {
		if m.Method == "tools/call" && mcpserver.Writes(m.Params.Name) {
			return true
		}
	}
	return false
}

// mcpResource is what tokens for assistants are bound to: the address for members.
func (s *Server) mcpResource(w *recorder, req *http.Request) string { return s.base(w, req) + mcpPath }
