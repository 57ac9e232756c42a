package client

import (
	"bytes"
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
)

// Options of a client. The zero value is an anonymous one.
type Options struct {
	Token string       // of a session, as Login answers it
	HTTP  *http.Client // nil for one with time limits of its own. Whichever it is follows no redirect to another origin
	// Retries is how often a call is tried again; 0 means 4, a negative number none.
	Retries int
	// Wait waits between attempts; nil waits by the clock. Tests replace it.
	Wait func(ctx context.Context, d time.Duration) error
	// Timeout bounds one attempt of a call; nil is context.WithTimeout. Tests replace it.
	Timeout func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// Client calls one server. It may be used by several goroutines.
type Client struct {
	base    *url.URL
	http    *http.Client
	token   string
	retries int
	wait    func(context.Context, time.Duration) error
	timeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// New makes a client for the server at base, such as http://127.0.0.1:8106.
func New(base string, o Options) (*Client, error) {
	address, err := Address(base)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	c := &Client{base: u, http: o.HTTP, token: o.Token, retries: o.Retries, wait: o.Wait, timeout: o.Timeout}
	switch {
	case o.Retries == 0:
		c.retries = 4
	case o.Retries < 0:
		c.retries = 0
	}
	if c.http == nil {
		c.http = &http.Client{Transport: transport}
	}
	c.http = withinOrigin(c.http)
	if c.wait == nil {
		c.wait = wait
	}
	if c.timeout == nil {
		c.timeout = context.WithTimeout
	}
	return c, nil
}

// Address brings a server's address into its one spelling: scheme, host and path without a slash at the end. An address
// without a scheme means https, on this machine http.
func Address(text string) (string, error) {
	if !strings.Contains(text, "://") {
		scheme := "https://"
		if u, err := url.Parse("http://" + text); err == nil && Loopback(u.Hostname()) {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("that is no address of a server, such as https://stoa.example")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of a server has no user, query or fragment")
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimRight(u.Path, "/"), nil
}

// Loopback reports whether a host names this machine and nothing else: localhost or an address of the loopback.
func Loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback() || strings.EqualFold(host, "localhost")
}

// URL is the address of the server.
func (c *Client) URL() string { return c.base.String() }

// WithToken is the client acting for the session of another token.
func (c *Client) WithToken(token string) *Client {
	d := *c
	d.token = token
	return &d
}

// call is one request that may be made several times.
type call struct {
	method string
	path   string
	query  url.Values
	key    string // idempotency key
	header http.Header
	// body opens the body for one attempt and tells its length; nil for none.
	body     func() (io.ReadCloser, int64, error)
	limit    int64 // of the answer's bytes, 0 for maxAnswer
	patience *patience
}

// jsonBody is a body that is a value.
func jsonBody(v any) (func() (io.ReadCloser, int64, error), error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return func() (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
	}, nil
}

// get reads data of the envelope at path. limit bounds the answer's bytes, 0 for maxAnswer.
func (c *Client) get(ctx context.Context, path string, query url.Values, limit int64, into any) error {
	return c.data(ctx, &call{method: http.MethodGet, path: path, query: query, limit: limit}, into)
}

// post sends a value as JSON. slow is for what the server reads, scans or builds before it answers.
func (c *Client) post(ctx context.Context, path, key string, body any, slow bool, into any) error {
	open, err := jsonBody(body)
	if err != nil {
		return err
	}
	q := &call{method: http.MethodPost, path: path, key: key, body: open}
	if slow {
		q.patience = c.transfer(0)
	}
	return c.data(ctx, q, into)
}

// Bounds of an answer that is no download, in bytes after decompression.
const (
	maxAnswer = 4 << 20
	maxLong   = 16 << 20 // of a list of submissions or a comparison
)

// data makes a call and decodes the envelope's data.
func (c *Client) data(ctx context.Context, q *call, into any) error {
	limit := q.limit
	if limit == 0 {
		limit = maxAnswer
	}
	return c.do(ctx, q, func(res *http.Response) error {
		text, err := io.ReadAll(io.LimitReader(res.Body, limit+1))
		if err != nil {
			return &broken{err}
		}
		if int64(len(text)) > limit {
			return fmt.Errorf("the answer of %s is larger than %d MiB", c.URL(), limit>>20)
		}
		envelope := struct {
			Data json.RawMessage `json:"data"`
		}{}
		if err := json.Unmarshal(text, &envelope); err != nil || envelope.Data == nil {
			return fmt.Errorf("%s answers %s, but not as a Stoa server does", c.URL(), res.Status)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(envelope.Data, into)
	})
}

// once makes one attempt, within the time that the call has for it.
func (c *Client) once(ctx context.Context, q *call, limit time.Duration, use func(*http.Response) error) error {
	attempt, cancel := c.timeout(ctx, limit)
	defer cancel()
	err := c.send(attempt, q, use)
	if err != nil && attempt.Err() != nil && ctx.Err() == nil {
		return &broken{&hung{limit}}
	}
	return err
}

func (c *Client) send(ctx context.Context, q *call, use func(*http.Response) error) error {
	u := *c.base
	u.Path += q.path
	u.RawQuery = q.query.Encode()
	req, err := http.NewRequestWithContext(ctx, q.method, u.String(), nil)
	if err != nil {
		return err
	}
	if q.body != nil {
		body, size, err := q.body()
		if err != nil {
			return err
		}
		defer body.Close()
		req.Body, req.ContentLength = body, size
		req.Header.Set("Content-Type", "application/json")
		if size > 1<<20 {
			req.Header.Set("Expect", "100-continue") // a refusal comes before the file is sent
		}
	}
	for name, values := range q.header {
		req.Header[name] = values
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if q.key != "" {
		req.Header.Set("Idempotency-Key", q.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		var local *localError
		if errors.As(err, &local) {
			return local.err
		}
		return &broken{err}
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return failed(res)
	}
	return use(res)
}
