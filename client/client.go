package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options of a client. The zero value is an anonymous one.
type Options struct {
	Token string       // of a session, as Login answers it
	HTTP  *http.Client // nil for one that waits 30 s for an answer to begin and leaves no redirect to another host follow
	// Retries is how often a call is tried again; 0 means 4, a negative number none.
	Retries int
	// Wait waits between attempts; nil waits by the clock. Tests replace it.
	Wait func(ctx context.Context, d time.Duration) error
	// Timeout bounds one attempt of a call that has a policy; nil is context.WithTimeout. Tests replace it.
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
		c.http = defaultHTTP
	}
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
		if host, _, _ := strings.Cut(text, ":"); host == "localhost" || strings.HasPrefix(host, "127.") {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New("that is no address of a server, such as https://stoa.example")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of a server has no user, query or fragment")
	}
	return strings.ToLower(u.Scheme+"://"+u.Host) + strings.TrimRight(u.Path, "/"), nil
}

// URL is the address of the server.
func (c *Client) URL() string { return c.base.String() }

// WithToken is the client acting for the session of another token.
func (c *Client) WithToken(token string) *Client {
	d := *c
	d.token = token
	return &d
}

var defaultHTTP = &http.Client{
	Transport: func() http.RoundTripper {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = 0 // an upload is answered when it is read
		t.ExpectContinueTimeout = 2 * time.Second
		return t
	}(),
	CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > 5 || req.URL.Host != via[0].URL.Host {
			return http.ErrUseLastResponse // nothing of ours goes to a host that was not named
		}
		return nil
	},
}

// call is one request that may be made several times.
type call struct {
	method string
	path   string
	query  url.Values
	key    string // idempotency key
	header http.Header
	// body opens the body for one attempt and tells its length; nil for none.
	body func() (io.ReadCloser, int64, error)
}

// repeatable tells whether a call may be made again after one of which nobody knows what became of it.
func (q *call) repeatable() bool { return q.method == http.MethodGet || q.key != "" }

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

// get reads data of the envelope at path.
func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.data(ctx, &call{method: http.MethodGet, path: path, query: query}, into)
}

// post sends a value as JSON.
func (c *Client) post(ctx context.Context, path, key string, body, into any) error {
	open, err := jsonBody(body)
	if err != nil {
		return err
	}
	return c.data(ctx, &call{method: http.MethodPost, path: path, key: key, body: open}, into)
}

// maxAnswer bounds an answer that is no download.
const maxAnswer = 64 << 20

// data makes a call and decodes the envelope's data.
func (c *Client) data(ctx context.Context, q *call, into any) error {
	return c.do(ctx, q, func(res *http.Response) error {
		text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
		if err != nil {
			return &broken{err}
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

// do makes a call until it is answered, and hands over a successful answer. use may be called again after a *broken.
func (c *Client) do(ctx context.Context, q *call, use func(*http.Response) error) error {
	for attempt := 0; ; attempt++ {
		err := c.once(ctx, q, use)
		if err == nil || ctx.Err() != nil || attempt >= c.retries || !q.repeatable() {
			return plainly(err)
		}
		pause, again := pauseAfter(err, attempt)
		if !again {
			return plainly(err)
		}
		if err := c.wait(ctx, pause); err != nil {
			return err
		}
	}
}

func (c *Client) once(ctx context.Context, q *call, use func(*http.Response) error) error {
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
