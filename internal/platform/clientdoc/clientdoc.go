// Package clientdoc fetches what an OAuth client says of itself at the https URL that is its id (client id metadata documents,
// draft-ietf-oauth-client-id-metadata-document). The URL is a stranger's: only public addresses are dialled, no redirect is
// followed, and size and time are bounded.
package clientdoc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"stoa/internal/platform/dial"
)

// Client is what a client says of itself.
type Client struct {
	ID           string   `json:"client_id"`
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	GrantTypes   []string `json:"grant_types"`
}

// Bounds of a document.
const (
	maxBytes     = 5 << 10
	patience     = 3 * time.Second
	maxRedirects = 20 // redirect_uris of one client
)

// Fetcher fetches documents. The zero value is not usable.
type Fetcher struct{ http *http.Client }

// New makes a Fetcher. allow says which addresses may be dialled; nil means the public ones.
func New(base *http.Transport, allow dial.Allow) *Fetcher {
	if base == nil {
		base = &http.Transport{}
	}
	t := base.Clone()
	if allow == nil {
		allow = dial.PublicOnly
	}
	t.Proxy, t.DialContext, t.DialTLSContext, t.DisableKeepAlives, t.MaxResponseHeaderBytes = nil, dial.Guarded(patience, allow).DialContext, nil, true, 16<<10
	return &Fetcher{&http.Client{Transport: t, Timeout: patience, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
}

// Fetch gives the client that an id names.
func (f *Fetcher) Fetch(ctx context.Context, id string) (Client, error) {
	if err := checkID(id); err != nil {
		return Client{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return Client{}, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "stoa")
	res, err := f.http.Do(req)
	if err != nil {
		return Client{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return Client{}, fmt.Errorf("clientdoc: the client's document answers %d", res.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBytes+1))
	if err != nil {
		return Client{}, err
	}
	if len(text) > maxBytes {
		return Client{}, errors.New("clientdoc: the client's document is too large")
	}
	var c Client
	if err := json.Unmarshal(text, &c); err != nil {
		return Client{}, errors.New("clientdoc: the client's document is not JSON")
	}
	return c, c.check(id)
}

func checkID(id string) error {
	u, err := url.Parse(id)
	if err != nil || len(id) > 500 || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Fragment != "" || strings.Contains(id, "#") || len(u.Path) < 2 ||
		strings.Contains(u.Path, "/../") || strings.Contains(u.Path, "/./") {
		return errors.New("clientdoc: a client's id is an https address with a path")
	}
	return nil
}

func (c *Client) check(id string) error {
	if c.ID != id {
		return errors.New("clientdoc: the document is another client's")
	}
	if len(c.RedirectURIs) == 0 || len(c.RedirectURIs) > maxRedirects {
		return errors.New("clientdoc: the document names no address to return to, or too many")
	}
	for _, uri := range c.RedirectURIs {
		if !redirectable(uri) {
			return errors.New("clientdoc: the document names an address that nobody is sent to")
		}
	}
	return nil
}

// redirectable tells whether a browser may be sent to an address with a code: an https one, one of its own machine, or an
// application's own scheme.
func redirectable(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || u.Fragment != "" || u.User != nil || strings.ContainsAny(uri, "\\ \r\n\t;,'\"") {
		return false
	}
	switch u.Scheme {
	case "", "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "ws", "wss", "ftp":
		return false
	case "https":
		return u.Hostname() != ""
	case "http":
		return loopback(u.Hostname())
	}
	return true
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || strings.EqualFold(host, "localhost")
}

// Returns tells whether a client may be answered at an address: one that its document names, on its own machine at any port
// (RFC 8252, 7.3).
func (c *Client) Returns(uri string) bool {
	for _, known := range c.RedirectURIs {
		if uri == known {
			return true
		}
		k, err := url.Parse(known)
		u, err2 := url.Parse(uri)
		if err != nil || err2 != nil || k.Scheme != "http" || !loopback(k.Hostname()) || !redirectable(uri) {
			continue
		}
		if u.Scheme == k.Scheme && u.Hostname() == k.Hostname() && u.Path == k.Path && u.RawQuery == k.RawQuery {
			return true
		}
	}
	return false
}
