package httpapi_test

import (
	"encoding/base64"
	"reflect"
	"strings"
	"testing"

	"stoa/internal/apitest"
)

// What is chosen for a draft stays with it, and the next draft of the same pack begins with it.
func TestDraftsKeepTheirChoices(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		body := m{"filename": "cmd_config.json", "content_base64": base64.StdEncoding.EncodeToString(apitest.Setup(t, "gardener"))}
		draft := ada.Post("/api/member/profile-pack/imports", body).OK(t)
		id := draft.Str("data.import_id")
		if draft.At("data.choices") != nil {
			t.Errorf("a first draft has choices: %v", draft.At("data.choices"))
		}
		path, choices := "/api/member/profile-pack/imports/"+id, "/api/member/profile-pack/import-choices"
		chosen := m{
			"import_id": id, "pack_id": draft.Str("data.pack_id"), "version": "1.2.0", "title": "Gardener", "description": "Waters plants.", "category": "life", "tags": []string{"garden", "plants"},
			"change_note": "first", "left_out": []string{"providers"}, "redaction_mode": "exclude_provider", "visibility": "private", "scan_mode": "strict", "replace_existing": true,
		}
		if got := bob.Post(choices, chosen); got.Status != 403 {
			t.Errorf("another member: %d", got.Status)
		}
		if got := ada.Post(choices, m{"import_id": "unknown"}); got.Status != 404 {
			t.Errorf("an unknown draft: %d", got.Status)
		}
		long := m{"import_id": id, "left_out": strings.Split(strings.Repeat(strings.Repeat("x", 1000)+"\n", 300), "\n")}
		if got := ada.Post(choices, long); got.Status/100 != 4 {
			t.Errorf("too many choices: %d", got.Status)
		}
		kept := ada.Post(choices, chosen).OK(t).At("data")
		if got := ada.Get(path).OK(t).At("data.choices"); !reflect.DeepEqual(got, kept) {
			t.Errorf("kept %v\nread %v", kept, got)
		}
		chosen["title"] = "A gardener"
		ada.Post(choices, chosen).OK(t)
		chosen["title"] = "Gardener"
		ada.Post(choices, chosen).OK(t)
		if n := s.Count(t, "audit_event WHERE action = 'profile_pack.import_choices_saved' AND owner = 'ada'"); n != 1 {
			t.Errorf("three saves of one day are audited as %d events", n)
		}
		next := ada.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": base64.StdEncoding.EncodeToString(apitest.Setup(t, "another gardener"))}).OK(t)
		begins := m{"source": "version_before", "title": "Gardener", "change_note": "", "replace_existing": false, "redaction_mode": "exclude_provider"}
		for field, want := range begins {
			if got := next.At("data.choices." + field); !reflect.DeepEqual(got, want) {
				t.Errorf("the next draft's %s is %v, want %v", field, got, want)
			}
		}
		if got := next.At("data.choices.left_out"); !reflect.DeepEqual(got, []any{"providers"}) {
			t.Errorf("left out: %v", got)
		}
		if other := bob.Post("/api/member/profile-pack/imports", body).OK(t); other.At("data.choices") != nil {
			t.Errorf("another member's draft begins with them: %v", other.At("data.choices"))
		}
	})
}
