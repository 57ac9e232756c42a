package httpapi_test

import (
	"fmt"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/market/redact"
)

// A submit sends the bytes that its preview showed and does their work no second time; nobody else's preview, another
// option and a later time do it again.
func TestPreviewAndSubmitDoTheWorkOnce(t *testing.T) {
	_, recipient, err := redact.GenerateIdentity()
	if err != nil {
		t.Fatal(err)
	}
	apitest.EachStore(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		setup := apitest.Base64([]byte(`{"provider":[{"id":"a","type":"openai_chat_completion","key":["sunshine-key-2024"],"api_base":"https://api.example.com/v1"}],"persona":[{"name":"x","prompt":"You help."}]}`))
		draftOf := func(c *apitest.Client) string {
			return c.Post("/api/member/profile-pack/imports", m{"filename": "cmd_config.json", "content_base64": setup}).OK(t).Str("data.artifact_id")
		}
		draft, bobs := draftOf(ada), draftOf(bob)
		wish := func(draft, member string, n int, options m) m {
			return m{"artifact_id": draft, "pack_id": member + "/garden", "version": fmt.Sprintf("1.%d.0", n), "submit_options": options}
		}
		builds := func() int64 { return s.App.PackBuilds() }
		sealed := m{"redaction_mode": "include_encrypted_secrets", "encryption_recipient": recipient}
		before := builds()
		shown := ada.Post("/api/profile-pack/preview", wish(draft, "ada", 1, sealed)).OK(t)
		again := ada.Post("/api/profile-pack/preview", wish(draft, "ada", 1, sealed)).OK(t)
		sent := ada.Post("/api/profile-pack/submit", wish(draft, "ada", 1, sealed)).OK(t)
		if n := builds() - before; n != 1 {
			t.Errorf("%d scans of the same bytes", n)
		}
		// Sealing is random: only the very bytes have the same digest.
		if a, b, c := shown.Str("data.sha256"), again.Str("data.sha256"), sent.Str("data.sha256"); a == "" || a != b || a != c {
			t.Errorf("shown %s and %s, sent %s", a, b, c)
		}
		before = builds()
		ada.Post("/api/profile-pack/preview", wish(draft, "ada", 2, nil)).OK(t)
		bob.Post("/api/profile-pack/preview", wish(bobs, "ada", 2, nil))                                    // another member's draft of the same bytes
		bob.Post("/api/profile-pack/preview", wish(draft, "ada", 2, nil)).Want(t, 403, "permission_denied") // not theirs
		ada.Post("/api/profile-pack/submit", wish(draft, "ada", 2, m{"scan_mode": "strict"})).OK(t)         // another option
		if n := builds() - before; n != 3 {
			t.Errorf("%d scans, not 3", n)
		}
		before = builds()
		s.Clock.Advance(11 * time.Minute)
		ada.Post("/api/profile-pack/submit", wish(draft, "ada", 2, nil))
		if n := builds() - before; n != 1 {
			t.Errorf("%d scans after eleven minutes", n)
		}
	})
}
