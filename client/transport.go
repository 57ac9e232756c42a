package client

import (
	"net"
	"net/http"
	"net/url"
	"time"
)

// transport is that of every client that brings none of its own.
var transport = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = 10 * time.Second
	t.ExpectContinueTimeout = 2 * time.Second
	t.ResponseHeaderTimeout = serverWork
	t.MaxResponseHeaderBytes = 256 << 10
	return t
}()

// withinOrigin returns a copy of a client that follows a redirect within the origin it was sent to and no other: not to
// another host or port, and not from https to http. The answer is then the redirect itself.
func withinOrigin(h *http.Client) *http.Client {
	bounded := *h
	bounded.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) > 5 || origin(req.URL) != origin(via[0].URL) {
			return http.ErrUseLastResponse
		}
		if h.CheckRedirect != nil {
			return h.CheckRedirect(req, via)
		}
		return nil
	}
	return &bounded
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
}
