package httpapi_test

import (
	"os"
	"testing"

	"stoa/internal/apitest"
)

func TestHealthNamesThePartThatFails(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		if r := s.Nobody(t).Get("/api/health").OK(t); r.Str("status") != "ok" || r.Str("data.checks.catalog.state") != "ok" {
			t.Errorf("health: %s", r.Body)
		}
	})
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		if err := os.RemoveAll(s.BlobDir); err != nil {
			t.Fatal(err)
		}
		r := s.Nobody(t).Get("/api/health").Want(t, 503, "service_unavailable")
		if r.Str("data.checks.blobs.state") != "failed" || r.Str("data.checks.blobs.problem") == "" || r.Str("data.checks.database.state") != "ok" || r.Str("status") != "failed" || r.Header.Get("Retry-After") == "" {
			t.Errorf("health: %s", r.Body)
		}
		// A balancer goes on sending to it: the others have no other packages.
		if r := s.Nobody(t).Get("/api/health", "scope", "node").OK(t); r.Str("data.checks.blobs.state") != "failed" || r.Str("status") != "ok" {
			t.Errorf("health of the node: %s", r.Body)
		}
	})
}
