// Package fetch gets documents from addresses that somebody else chose. Every address that is dialled is checked after its
// name was resolved, redirects are followed a few times and never to plain text, and size and time are bounded.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"stoa/internal/platform/dial"
)

// Bounds of one request.
const (
	patience     = time.Minute
	connectTime  = 10 * time.Second
	maxRedirects = 3
	maxAddress   = 2000
)

// Answer is a document. Body is nil when NotModified is set.
type Answer struct {
	Body        []byte
	URL         string // where it was found, after redirects
	ETag        string
	NotModified bool
}

// StatusError is an answer that is neither a document nor "not modified".
type StatusError struct {
	Status     int
	RetryAfter time.Duration
}

// Error says which answer it was.
func (e *StatusError) Error() string { return fmt.Sprintf("the server answers %d", e.Status) }

// TooMany tells whether the server asks for fewer requests.
func (e *StatusError) TooMany() bool { return e.Status == http.StatusTooManyRequests }

// Unknown tells whether the server has nothing there that could be asked.
func (e *StatusError) Unknown() bool {
	return e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented
}

// ErrTooLarge says that a document is larger than its reader takes.
var ErrTooLarge = errors.New("the document is too large")

// Client fetches. The zero value is not usable.
type Client struct{ http *http.Client }

// New makes a Client for public addresses; private lets it reach this machine and private networks too.
func New(private bool) *Client {
	allow := dial.Allow(dial.PublicOnly)
	if private {
		allow = dial.PublicOrLocal
	}
	t := &http.Transport{
		DialContext: dial.Guarded(connectTime, allow).DialContext, TLSHandshakeTimeout: connectTime, ResponseHeaderTimeout: 30 * time.Second, MaxResponseHeaderBytes: 32 << 10,
		MaxConnsPerHost: 4, IdleConnTimeout: 20 * time.Second, ForceAttemptHTTP2: true,
	}
	return &Client{&http.Client{Transport: t, Timeout: patience, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return errors.New("fetch: too many redirects")
		}
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errors.New("fetch: a redirect leads from https to plain text")
		}
		return Check(req.URL.String())
	}}}
}

// Check refuses an address that is none of the web, or holds a password.
func Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || len(address) > maxAddress || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return errors.New("this is no http(s) address")
	case u.User != nil:
		return errors.New("an address must not hold a name or password")
	}
	return nil
}

// Get fetches a document of at most limit bytes; with an etag, only if it has another now.
func (c *Client) Get(ctx context.Context, address, etag string, limit int64) (Answer, error) {
	req, err := c.request(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Answer{}, err
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	return c.do(req, limit)
}

// Post sends a body of a media type and reads the answer.
func (c *Client) Post(ctx context.Context, address, kind string, body []byte, limit int64) (Answer, error) {
	req, err := c.request(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Content-Type", kind)
	return c.do(req, limit)
}

func (c *Client) request(ctx context.Context, method, address string, body io.Reader) (*http.Request, error) {
	if err := Check(address); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "stoa")
	return req, nil
}

func (c *Client) do(req *http.Request, limit int64) (Answer, error) {
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	out := Answer{ETag: res.Header.Get("ETag"), URL: res.Request.URL.String()}
	if len(out.ETag) > 200 {
		out.ETag = ""
	}
	if res.StatusCode == http.StatusNotModified {
		out.NotModified = true
		return out, nil
	}
	if res.StatusCode != http.StatusOK {
		wait, _ := time.ParseDuration(res.Header.Get("Retry-After") + "s") // 0 when it names a date, or nothing
		return Answer{}, &StatusError{res.StatusCode, max(wait, 0)}
	}
	if out.Body, err = io.ReadAll(io.LimitReader(res.Body, limit+1)); err != nil {
		return Answer{}, err
	}
	if int64(len(out.Body)) > limit {
		return Answer{}, ErrTooLarge
	}
	return out, nil
}
