package httpapi

import (
	"errors"
	"net/http"
	"slices"

	"stoa/internal/app/core"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/identity"
)

// issuersAssistants tells whether assistants sign in at the operator's issuer, not here.
func (s *Server) issuersAssistants() bool {
	return s.Issuer != nil && s.Issuer.Assistants && s.app.AuthRequired
}

// authorizationServer is where an assistant's tokens come from.
func (s *Server) authorizationServer(w *recorder, req *http.Request) string {
	if s.issuersAssistants() {
		return s.Issuer.Issuer
	}
	return s.base(w, req)
}

// issuerCaller finds out whose access token of the issuer this is. One that is not good is nobody's, and so is one of somebody
// whom no member here is linked to: accounts are made where people sign in, not by an assistant.
func (s *Server) issuerCaller(w *recorder, req *http.Request, token string) (core.Caller, error) {
	visitor := s.visit(core.Caller{}, w, req)
	if wait := s.buckets.Take(&routes.Route{}, visitor, s.Clock()); wait > 0 { // checking a signature is work for whoever has shown nothing yet
		return core.Caller{}, limits.TooManyRequests(wait)
	}
	who, err := s.Issuer.Verify(req.Context(), token, s.mcpResource(w, req))
	switch {
	case errors.Is(err, identity.ErrRefused):
		s.Log.Info("an access token of the issuer was refused", "request_id", w.requestID, "error", plainText(err.Error(), longestCause))
		return core.Caller{}, nil
	case errors.Is(err, identity.ErrUnreachable):
		s.Log.Error("the OpenID Connect issuer cannot be asked", "request_id", w.requestID, "error", plainText(err.Error(), longestCause))
		return core.Caller{}, errs.New(errs.ServiceUnavailable, "The service that signs assistants in cannot be asked. Try again in a moment.")
	case err != nil:
		return core.Caller{}, err
	}
	scope := core.ScopeRead
	if slices.Contains(who.Scopes, string(core.ScopeWrite)) {
		scope = core.ScopeWrite
	}
	return s.app.IdentifyBearer(req.Context(), token, who, scope)
}
