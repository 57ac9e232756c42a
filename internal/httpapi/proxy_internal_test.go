package httpapi

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"testing"
)

func TestOrigin(t *testing.T) {
	trusted := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		proxies  Proxies
		peer     string
		tls      bool
		for_     []string
		proto    []string
		remote   string
		https    bool
		handedOn bool
	}{
		"nobody trusted":                    {nil, "10.0.0.1:5", false, []string{"198.51.100.1"}, []string{"https"}, "10.0.0.1", false, false},
		"a stranger's headers":              {trusted, "203.0.113.9:5", false, []string{"198.51.100.1"}, []string{"https"}, "203.0.113.9", false, false},
		"a stranger over TLS says http":     {trusted, "203.0.113.9:5", true, nil, []string{"http"}, "203.0.113.9", true, false},
		"a proxy":                           {trusted, "10.0.0.1:5", false, []string{"198.51.100.1"}, []string{"https"}, "198.51.100.1", true, true},
		"a proxy without headers":           {trusted, "10.0.0.1:5", false, nil, nil, "10.0.0.1", false, true},
		"what the client made up":           {trusted, "10.0.0.1:5", false, []string{"127.0.0.1, 10.9.9.9, 198.51.100.1"}, nil, "198.51.100.1", false, true},
		"made up in a header of its own":    {trusted, "10.0.0.1:5", false, []string{"127.0.0.1", "198.51.100.1"}, nil, "198.51.100.1", false, true},
		"two proxies":                       {trusted, "10.0.0.1:5", false, []string{"198.51.100.1, 192.0.2.7"}, nil, "198.51.100.1", false, true},
		"made up behind two proxies":        {trusted, "10.0.0.1:5", false, []string{"8.8.8.8, 198.51.100.1, 192.0.2.7"}, nil, "198.51.100.1", false, true},
		"only proxies":                      {trusted, "10.0.0.1:5", false, []string{"10.0.0.3, 10.0.0.2"}, nil, "10.0.0.3", false, true},
		"rubbish right":                     {trusted, "10.0.0.1:5", false, []string{"198.51.100.1, <script>"}, nil, "10.0.0.1", false, true},
		"rubbish left of a proxy":           {trusted, "10.0.0.1:5", false, []string{"unknown, 10.0.0.2"}, nil, "10.0.0.2", false, true},
		"empty":                             {trusted, "10.0.0.1:5", false, []string{""}, []string{""}, "10.0.0.1", false, true},
		"with a port":                       {trusted, "10.0.0.1:5", false, []string{"198.51.100.1:4711"}, nil, "198.51.100.1", false, true},
		"IPv6":                              {trusted, "[fd00::1]:5", false, []string{"2001:db8::1"}, nil, "2001:db8::1", false, true},
		"IPv6 with a port":                  {trusted, "[fd00::1]:5", false, []string{"[2001:db8::1]:99"}, nil, "2001:db8::1", false, true},
		"IPv6 in brackets":                  {trusted, "[fd00::1]:5", false, []string{"[2001:db8::1]"}, nil, "2001:db8::1", false, true},
		"a proxy dressed as IPv6":           {trusted, "[::ffff:10.0.0.1]:5", false, []string{"198.51.100.1"}, nil, "198.51.100.1", false, true},
		"the proto of the nearest proxy":    {trusted, "10.0.0.1:5", false, nil, []string{"https, http"}, "10.0.0.1", false, true},
		"a proto that there is not":         {trusted, "10.0.0.1:5", false, nil, []string{"gopher"}, "10.0.0.1", false, true},
		"TLS to us, plain to the proxy":     {trusted, "10.0.0.1:5", true, nil, []string{"http"}, "10.0.0.1", false, true},
		"an address of no network (a pipe)": {trusted, "@", false, []string{"198.51.100.1"}, nil, "@", false, false},
	} {
		req := &http.Request{RemoteAddr: c.peer, Header: http.Header{}}
		if c.tls {
			req.TLS = &tls.ConnectionState{}
		}
		if c.for_ != nil {
			req.Header["X-Forwarded-For"] = c.for_
		}
		if c.proto != nil {
			req.Header["X-Forwarded-Proto"] = c.proto
		}
		if got, want := c.proxies.origin(req), (origin{c.remote, c.https, c.handedOn}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}
