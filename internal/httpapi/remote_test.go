package httpapi

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestRemoteBehindProxies(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		from    string
		hops    []string
		trusted []netip.Prefix
		want    string
	}{
		{"203.0.113.9:1234", nil, nil, "203.0.113.9"},
		{"[2001:db8::1]:80", nil, nil, "2001:db8::1"},
		{"10.0.0.1:80", []string{"198.51.100.1"}, nil, "10.0.0.1"},                               // nobody is trusted
		{"203.0.113.9:1", []string{"198.51.100.1"}, trusted, "203.0.113.9"},                      // a stranger says so
		{"10.0.0.1:80", []string{"198.51.100.1"}, trusted, "198.51.100.1"},                       // the balancer says so
		{"[fd00::2]:80", []string{"2001:db8::7"}, trusted, "2001:db8::7"},                        //
		{"10.0.0.1:80", []string{"192.0.2.66, 198.51.100.1, 10.0.0.7"}, trusted, "198.51.100.1"}, // what the caller itself wrote before
		{"10.0.0.1:80", []string{"192.0.2.66", "198.51.100.1"}, trusted, "198.51.100.1"},         // in two headers
		{"10.0.0.1:80", []string{"10.0.0.3"}, trusted, "10.0.0.3"},                               // from inside
		{"10.0.0.1:80", []string{"unknown"}, trusted, "10.0.0.1"},                                //
		{"10.0.0.1:80", []string{"198.51.100.1, nonsense"}, trusted, "10.0.0.1"},                 //
		{"[::ffff:10.0.0.1]:80", []string{"::ffff:198.51.100.1"}, trusted, "198.51.100.1"},       // a socket for both families
		{"not an address", []string{"198.51.100.1"}, trusted, "not an address"},
	} {
		req := &http.Request{RemoteAddr: c.from, Header: http.Header{"X-Forwarded-For": c.hops}}
		if got := remoteOf(req, c.trusted); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.from, c.hops, got, c.want)
		}
	}
}
