package httpapi_test

import (
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
)

// When one version is withdrawn at the source, a mirror has the version before again, and who has the withdrawn one is told.
func TestAMirrorFollowsAWithdrawnVersion(t *testing.T) {
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			above, here := withFeeds(t, e, httpapi.FeedNames()...), apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
			const id, copied = "ada/tide", "up/ada-tide"
			tide := func(version string) {
				above.Approve(t, above.As(t, "ada").Post("/api/templates/submit", m{"template_id": id, "version": version, "title": "Tide", "prompt": "You tell the tide, as of " + version + "."}).OK(t).Str("data.submission_id"))
				above.Clock.Advance(time.Minute)
			}
			withdraw := func(withdrawn bool) {
				above.As(t, "ada").Post("/api/member/items/withdraw", m{"kind": "template", "item_id": id, "version": "1.1.0", "withdrawn": withdrawn, "note": "It is an hour late."}).OK(t)
				above.Clock.Advance(time.Minute)
			}
			stands := func(version string) {
				t.Helper()
				v := synced(t, here, "up")
				if got := detailOf(t, here, copied, true)["version"]; got != version || v.Refused != 0 {
					t.Errorf("the mirror has %v, the source %s: %+v", got, version, v)
				}
				here.Clock.Advance(time.Hour)
			}
			tide("1.0.0")
			mirrored(t, here, "up", above.URL)
			stands("1.0.0")
			tide("1.1.0")
			stands("1.1.0")
			here.As(t, "bob").Post("/api/templates/install", m{"template_id": copied}).OK(t)
			withdraw(true)
			stands("1.0.0")
			told := func(want int) {
				t.Helper()
				if body := string(here.As(t, "bob").Get("/api/notifications").OK(t).Body); strings.Count(body, "which you have installed, was withdrawn") != want {
					t.Errorf("who has the version is to be told %d times: %s", want, body)
				}
			}
			told(1)
			withdraw(false)
			stands("1.1.0")
			// To and fro, days apart: what was said of the version they have is not said again, until they install it anew.
			for range 3 {
				here.Clock.Advance(48 * time.Hour)
				withdraw(true)
				stands("1.0.0")
				withdraw(false)
				stands("1.1.0")
			}
			told(1)
			here.As(t, "bob").Post("/api/templates/install", m{"template_id": copied, "install_options": m{"force_reinstall": true}}).OK(t)
			here.Clock.Advance(time.Minute)
			withdraw(true)
			stands("1.0.0")
			told(2)
		})
	}
}
