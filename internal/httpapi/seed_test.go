package httpapi_test

import (
	"testing"

	"stoa/internal/apitest"
)

// What every new server shows first raises no alarm: nobody would believe the next one.
func TestOfficialContentRaisesNoAlarm(t *testing.T) {
	s := apitest.Start(t, apitest.Engine{Name: "sqlite"}, apitest.Options{})
	nobody := s.Nobody(t)
	for _, list := range []struct{ path, items, detail, id string }{
		{"/api/templates", "data.templates", "/api/templates/detail", "template_id"},
		{"/api/profile-pack/catalog", "data.packs", "/api/profile-pack/catalog/detail", "pack_id"},
	} {
		ids := nobody.Get(list.path, "limit", "50").OK(t).All(list.items, list.id)
		if len(ids) < 2 {
			t.Fatalf("%s: only %q", list.path, ids)
		}
		for _, id := range ids {
			r := nobody.Get(list.detail, list.id, id).OK(t)
			if r.Str("data.scan_summary.status") != "clean" || r.Len("data.warning_flags") > 0 {
				t.Errorf("%s: %v", id, r.At("data.scan_summary"))
			}
		}
	}
}
