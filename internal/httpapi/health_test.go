package httpapi_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"stoa/internal/apitest"
	"stoa/internal/app"
	"stoa/internal/httpapi"
	"stoa/internal/platform/store"
	"stoa/web"
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

// An item that search does not know is told, also by a node that goes on answering.
func TestHealthSeesASearchIndexThatIsBehind(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Querier().ExecContext(t.Context(), "DELETE FROM item WHERE seq = (SELECT MAX(seq) FROM item)")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want(t, s.Nobody(t).Get("/api/health").Want(t, 503, "service_unavailable"), m{"data.checks.search_index.state": "behind"})
	want(t, s.Nobody(t).Get("/api/health", "scope", "node").OK(t), m{"data.checks.search_index.state": "behind", "status": "ok"})
}

// Events of the audit log get their places by themselves; health and the metrics tell how many wait.
func TestAuditChainIsWatched(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ctx := context.Background()
		registry := prometheus.NewRegistry()
		if _, err := httpapi.New(s.App, httpapi.Config{Clock: s.Clock.Now, Metrics: registry, Pages: web.Files()}); err != nil {
			t.Fatal(err)
		}
		gauge := func(name string) float64 {
			t.Helper()
			families, err := registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				if f.GetName() == name {
					return f.GetMetric()[0].GetGauge().GetValue()
				}
			}
			t.Fatalf("there is no %s", name)
			return 0
		}
		if _, err := s.App.ChainAudit(ctx); err != nil {
			t.Fatal(err)
		}
		if gauge("stoa_audit_unchained_events") != 0 || gauge("stoa_audit_unchained_seconds") != 0 {
			t.Error("events wait that have their place")
		}
		s.As(t, "ada").Post("/api/templates/install", m{"template_id": translator}).OK(t)
		if _, err := s.App.ChainAudit(ctx); err != nil {
			t.Fatal(err)
		}
		v, err := s.App.Verify(ctx, app.VerifyOptions{})
		if err != nil || !v.OK || v.Head.Seq == 0 {
			t.Errorf("%+v, %v", v, err)
		}
		// The sweep is an application's; with it stopped, what is written waits and shows.
		s.App.Close()
		s.Clock.Advance(-time.Hour)
		s.As(t, "bob").Post("/api/templates/install", m{"template_id": translator}).OK(t)
		s.Clock.Advance(time.Hour)
		if n := gauge("stoa_audit_unchained_events"); n != 1 {
			t.Errorf("%v events wait", n)
		}
		if waits := gauge("stoa_audit_unchained_seconds"); waits != 3600 {
			t.Errorf("it waits %v s", waits)
		}
		want(t, s.Nobody(t).Get("/api/health").OK(t), m{"checks.audit.state": "behind", "checks.audit.ok": true})
	})
}
