package httpapi

import (
	"errors"
	"io"
	"net/http"

	"stoa/internal/app/core"
	"stoa/internal/httpapi/limits"
	"stoa/internal/httpapi/routes"
	"stoa/internal/platform/clientdoc"
)

const registerPath = "/oauth/register"

// registerClient lets a program that has no document say what it is (RFC 7591), as many assistants do, and as all must that
// sign in at a server which reaches nothing outside. Nothing is stored: the id says it all.
func (s *Server) registerClient(w http.ResponseWriter, req *http.Request) {
	rec := w.(*recorder)
	rec.Header().Set("Access-Control-Allow-Origin", "*") // no cookie counts here
	if wait := s.buckets.Take(&routes.Route{}, s.visit(core.Caller{}, rec, req), s.Clock()); wait > 0 {
		s.fail(rec, req, limits.TooManyRequests(wait))
		return
	}
	text, err := io.ReadAll(io.LimitReader(req.Body, clientdoc.MaxRegistration+1))
	if err != nil {
		oauthError(rec, clientdoc.ErrMetadata.Error())
		return
	}
	client, err := clientdoc.Register(text)
	switch {
	case errors.Is(err, clientdoc.ErrRedirect), errors.Is(err, clientdoc.ErrMetadata):
		oauthError(rec, err.Error())
		return
	case err != nil:
		s.fail(rec, req, err)
		return
	}
	rec.Header().Set("Cache-Control", "no-store")
	writeJSON(rec, http.StatusCreated, map[string]any{
		"client_id": client.ID, "client_id_issued_at": s.Clock().Unix(), "client_name": client.Name, "redirect_uris": client.RedirectURIs,
		"grant_types": append([]string{"authorization_code"}, client.GrantTypes...), "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}
