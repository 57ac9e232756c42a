package listen

import (
	"net/http/httptest"
	"testing"
)

func TestSource(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::": "2001:db8:1:2::/64",
		"2001:db8:1:3::1": "2001:db8:1:3::/64", "fe80::1%eth0": "fe80::/64", "::1": "::1", "127.0.0.1": "127.0.0.1", "": "", "@": "@",
	} {
		if got := Source(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestFromOtherSite(t *testing.T) {
	for _, c := range []struct {
		site, origin string
		want         bool
	}{
		{"", "", false},
		{"none", "", false},
		{"same-origin", "", false},
		{"same-origin", "http://127.0.0.1:8107", false},
		{"cross-site", "", true},
		{"same-site", "", true},
		{"same-site", "http://127.0.0.1:9999", true},
		{"", "http://127.0.0.1:8107", false},
		{"", "http://127.0.0.1:9999", true},
		{"", "https://evil.example", true},
		{"", "null", true},
		{"odd", "", true},
	} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:8107/metrics", nil)
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if got := FromOtherSite(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
