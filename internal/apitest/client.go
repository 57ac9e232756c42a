package apitest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/app/accounts"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
)

// Client calls a server as somebody and fails its test when an answer breaks the contract.
type Client struct {
	Token string

	t      testing.TB
	server *Server
	header http.Header
	remote string
}

// Nobody is a client that is not signed in.
func (s *Server) Nobody(t testing.TB) *Client {
	return &Client{t: t, server: s, header: http.Header{}}
}

// As is a client signed in as a member, by a session of its own.
func (s *Server) As(t testing.TB, userID string) *Client {
	t.Helper()
	c := s.Nobody(t)
	c.Token = account.NewToken()
	s.Admit(t, c, userID)
	return c
}

// Admit begins a session of a member for a client's token.
func (s *Server) Admit(t testing.TB, c *Client, userID string) {
	t.Helper()
	now := s.Clock.Now()
	err := s.Store.Write(context.Background(), func(tx *store.Tx) error {
		return tx.AddSession(memberdb.Session{
			TokenHash: account.TokenHash(c.Token), UserID: userID, CreatedAt: clock.Micros(now), SeenAt: clock.Micros(now),
			ExpiresAt: clock.Micros(now.Add(accounts.SessionIdle)), EndsAt: clock.Micros(now.Add(accounts.SessionMax)), ConfirmedUntil: clock.Micros(now.Add(accounts.ConfirmFor)),
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// With is the client with one more header on every request.
func (c *Client) With(name, value string) *Client {
	d := *c
	d.header = c.header.Clone()
	d.header.Set(name, value)
	return &d
}

// From is the client calling from another address. Its requests go to the handler directly.
func (c *Client) From(address string) *Client {
	d := *c
	d.remote = address
	return &d
}

// For is the client reporting to a subtest.
func (c *Client) For(t testing.TB) *Client {
	d := *c
	d.t = t
	return &d
}

// Get calls a path with query parameters, given as name, value, name, value.
func (c *Client) Get(path string, query ...string) *Reply {
	c.t.Helper()
	return c.Do(http.MethodGet, path+Query(query...), nil)
}

// Post sends a value as JSON.
func (c *Client) Post(path string, body any) *Reply {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.Do(http.MethodPost, path, text)
}

// Query encodes query parameters, given as name, value, name, value; "" when there are none.
func Query(pairs ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// Do sends a request and checks the answer against the contract.
func (c *Client) Do(method, target string, body []byte) *Reply {
	c.t.Helper()
	r := c.send(method, target, body)
	path, query, _ := strings.Cut(target, "?")
	problems := Check(method, path, r)
	for _, problem := range problems {
		c.t.Errorf("%s %.200s: %s\n%d %.2000s", method, target, problem, r.Status, r.Body)
	}
	if op, ok := find(method, path); ok && len(problems) == 0 {
		values, _ := url.ParseQuery(query)
		moved().note(c.server.URL+" "+c.Token, op, strconv.Itoa(r.Status), values, r)
	}
	if r.Status == http.StatusInternalServerError {
		c.t.Logf("the server's log:\n%s", c.server.Log())
	}
	return r
}

func (c *Client) send(method, target string, body []byte) *Reply {
	c.t.Helper()
	to := c.server.turn()
	req, err := http.NewRequestWithContext(context.Background(), method, to.URL+target, bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept-Encoding", "identity")
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, values := range c.header {
		req.Header[name] = values
		if name == "Host" {
			req.Host = values[0]
		}
	}
	var res *http.Response
	if c.remote != "" {
		res = c.inProcess(to, req)
	} else if res, err = transport.RoundTrip(req); err != nil {
		c.t.Fatalf("%s %.200s: %v", method, target, err)
	}
	r, err := NewReply(method, res)
	if err != nil {
		c.t.Fatalf("%s %.200s: %v", method, target, err)
	}
	return r
}

// transport follows no redirects, unpacks nothing and gives up rather than hang.
var transport = &http.Transport{
	DisableCompression: true, MaxIdleConnsPerHost: 128, ResponseHeaderTimeout: 30 * time.Second,
	TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // the certificate of a test's server, which nobody signed
}

func (c *Client) inProcess(to *Server, req *http.Request) *http.Response {
	req.RequestURI, req.RemoteAddr = req.URL.RequestURI(), c.remote+":1234"
	if req.Host == "" {
		req.Host = req.URL.Host
	}
	if to.options.tls {
		req.TLS = &tls.ConnectionState{HandshakeComplete: true}
	}
	w := httptest.NewRecorder()
	to.Handler.ServeHTTP(w, req)
	return w.Result()
}

// Want fails the test unless the answer has a status and, for a failure, a code.
func (r *Reply) Want(t testing.TB, status int, code string) *Reply {
	t.Helper()
	if r.Status != status || r.Code() != code {
		t.Fatalf("got %d %q, want %d %q: %.1000s", r.Status, r.Code(), status, code, r.Body)
	}
	return r
}

// OK fails the test unless the answer is a success.
func (r *Reply) OK(t testing.TB) *Reply {
	t.Helper()
	return r.Want(t, http.StatusOK, "")
}

// Raw sends a request to a route that is not the contract's.
func (c *Client) Raw(method, target string, body []byte) *Reply {
	c.t.Helper()
	return c.send(method, target, body)
}
