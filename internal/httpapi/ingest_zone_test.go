package httpapi_test

import (
	"testing"

	"stoa/internal/apitest"
)

// The same notes in another time zone are another request: their schedules fall on other days.
func TestAnImportOfAnotherZoneIsNoRepeat(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		in := func(zone string) m {
			body := m{"documents": []m{{"id": "a", "path": "a.md", "text": "# A\n\nThe limit is what a sequence comes close to.\n"}}}
			if zone != "" {
				body["timeZone"] = zone
			}
			return body
		}
		send := func(key, zone string) *apitest.Reply {
			return ada.With("Idempotency-Key", key).Post("/api/knowledge/ingest", in(zone))
		}
		send("one", "").OK(t)
		send("one", "UTC").OK(t) // said or not, it is the same
		send("one", "Asia/Tokyo").Want(t, 409, "idempotency_key_conflict")
		send("two", "Asia/Tokyo").OK(t)
		send("two", "Asia/Tokyo").OK(t)
		send("two", "Europe/Berlin").Want(t, 409, "idempotency_key_conflict")
		send("two", "").Want(t, 409, "idempotency_key_conflict")
	})
}
