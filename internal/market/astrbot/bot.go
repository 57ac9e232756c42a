package astrbot

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

	"stoa/client"
	"stoa/internal/market/pack"
	"stoa/internal/market/strictjson"
)

// Bounds of a call.
const (
	maxAnswer    = 32 << 20 // bytes
	readTimeout  = 20 * time.Second
	writeTimeout = 90 * time.Second // the bot starts an MCP server to test it before it answers
	maxShown     = 300              // characters of a bot's own words in an error
)

// Problem says what kind of failure a call met.
type Problem string

// The problems.
const (
	Away      Problem = "away"      // no answer
	Slow      Problem = "slow"      // no answer in time
	BadKey    Problem = "bad_key"   // the key is not accepted
	NoScope   Problem = "no_scope"  // the key may not do this
	Older     Problem = "older"     // the bot does not have this part of the API
	Nonsense  Problem = "nonsense"  // the answer is none of AstrBot's
	Refused   Problem = "refused"   // the bot's own rules are against it
	Redirects Problem = "redirects" // the address sends on to another
)

// Error is a call that failed. Its text is fit to show and holds no key.
type Error struct {
	Problem Problem
	Message string
}

func (e *Error) Error() string { return e.Message }

// Bot is a running AstrBot.
type Bot struct {
	address string
	key     string
	http    *http.Client
}

// New makes a target. h may be nil.
func New(address, key string, h *http.Client) (*Bot, error) {
	base, err := client.Address(address)
	if err != nil {
		return nil, errors.New("that is no address of a bot, such as http://127.0.0.1:6185")
	}
	if strings.TrimSpace(key) == "" {
		return nil, errors.New("the bot's key is missing; make one in its dashboard under API keys, with the scopes persona, skill and mcp")
	}
	if h == nil {
		h = &http.Client{}
	}
	own := *h
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Bot{address: strings.TrimSuffix(base, "/api/v1"), key: strings.TrimSpace(key), http: &own}, nil
}

// Name is the bot's address.
func (b *Bot) Name() string { return b.address }

// call is one request.
type call struct {
	method string
	path   string // below /api/v1
	query  url.Values
	body   any    // sent as JSON; nil for none
	raw    []byte // sent as it is, with media
	media  string
	scope  string // that the key needs, for the error
}

// do makes a call and gives the data of its envelope.
func (b *Bot) do(ctx context.Context, q call) (json.RawMessage, error) {
	body, media := q.raw, q.media
	if q.body != nil {
		text, err := json.Marshal(q.body)
		if err != nil {
			return nil, err
		}
		body, media = text, "application/json"
	}
	limit := readTimeout
	if q.method != http.MethodGet {
		limit = writeTimeout
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(within, q.method, b.address+"/api/v1"+q.path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("that is no address of a bot")
	}
	req.URL.RawQuery = q.query.Encode()
	req.Header.Set("X-API-Key", b.key)
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	res, err := b.http.Do(req)
	if err == nil {
		defer res.Body.Close()
		body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && (errors.Is(err, context.DeadlineExceeded) || within.Err() != nil):
		return nil, &Error{Slow, fmt.Sprintf("the bot at %s did not answer within %s", b.address, limit)}
	case err != nil:
		return nil, &Error{Away, fmt.Sprintf("the bot at %s cannot be reached", b.address)}
	case len(body) > maxAnswer:
		return nil, &Error{Nonsense, fmt.Sprintf("the bot at %s answers more than %d MiB", b.address, maxAnswer>>20)}
	}
	return b.data(q, res, body)
}

// data reads an envelope.
func (b *Bot) data(q call, res *http.Response, body []byte) (json.RawMessage, error) {
	var envelope struct {
		Status  string          `json:"status"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	isEnvelope := json.Unmarshal(body, &envelope) == nil && (envelope.Status == "ok" || envelope.Status == "error")
	said := ""
	if isEnvelope && envelope.Message != "" {
		said = ": " + b.shown(envelope.Message)
	}
	switch code := res.StatusCode; {
	case code >= 300 && code < 400:
		return nil, &Error{Redirects, fmt.Sprintf("the bot at %s sends on to another address; nothing was sent there", b.address)}
	case code == http.StatusUnauthorized:
		return nil, &Error{BadKey, "the bot does not accept the key" + said}
	case code == http.StatusForbidden:
		return nil, &Error{NoScope, fmt.Sprintf("the key may not do this: it needs the scope %s%s", q.scope, said)}
	case (code == http.StatusNotFound || code == http.StatusMethodNotAllowed) && !isEnvelope:
		return nil, &Error{Older, fmt.Sprintf("the bot at %s does not have %s: it is older than AstrBot 4.20, or no AstrBot", b.address, q.path)}
	case code >= 500 && !isEnvelope:
		return nil, &Error{Away, fmt.Sprintf("the bot at %s answers %d", b.address, code)}
	case !isEnvelope:
		return nil, &Error{Nonsense, fmt.Sprintf("%s answers, but not as an AstrBot does", b.address)}
	case envelope.Status == "error" || code >= 400:
		return nil, &Error{Refused, "the bot refuses" + said}
	}
	return envelope.Data, nil
}

// shown makes a bot's words fit to show: one line, short, without the key.
func (b *Bot) shown(text string) string {
	text = strings.ReplaceAll(pack.Clean(text), b.key, "…")
	if r := []rune(text); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return text
}

// nonsense is an answer of another shape.
func (b *Bot) nonsense(what string) error {
	return &Error{Nonsense, fmt.Sprintf("the bot at %s answers %s in a form that is not known; it may be a newer version", b.address, what)}
}

// object reads a JSON object, numbers as they are spelled.
func object(text json.RawMessage) (map[string]any, bool) {
	v, err := strictjson.Parse(text, 0)
	m, ok := v.(map[string]any)
	return m, err == nil && ok
}

// list reads a list of objects, bare or under a name.
func list(text json.RawMessage, name string) ([]map[string]any, bool) {
	v, err := strictjson.Parse(text, 0)
	if err != nil {
		return nil, false
	}
	if m, ok := v.(map[string]any); ok {
		v = m[name]
	}
	items, ok := v.([]any)
	if !ok {
		return nil, false
	}
	out := make([]map[string]any, 0, len(items))
	for _, item := range items {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}
