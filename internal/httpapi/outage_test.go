package httpapi_test

import (
	"strconv"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/platform/store"
)

// While the store can only be read, reads go on, also those of a session whose use should be noted, and writes are told
// when to come back.
func TestAStoreThatCannotBeWritten(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	ada := s.As(t, "ada")
	if err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Querier().ExecContext(t.Context(), "PRAGMA query_only = true") // the one connection that writes
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(5 * time.Minute)
	ada.Get("/api/member/tasks").OK(t)
	ada.Get("/api/templates", "query", "translate").OK(t)
	r := ada.Post("/api/templates/install", m{"template_id": translator}).Want(t, 503, "service_unavailable")
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 {
		t.Errorf("Retry-After %q", r.Header.Get("Retry-After"))
	}
	s.Nobody(t).Get("/api/health").Want(t, 503, "service_unavailable")
}
