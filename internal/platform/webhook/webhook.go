// Package webhook sends signed messages to addresses that members name, as Standard Webhooks lays down.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"stoa/internal/platform/dial"
)

// Bounds of one message.
const (
	patience = 10 * time.Second
	// MaxURL bounds an address, in bytes.
	MaxURL  = 2048
	longest = 4 << 10 // of an answer, which nobody reads
)

const secretPrefix = "whsec_"

// NewSecret makes what messages are signed with.
func NewSecret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return secretPrefix + base64.StdEncoding.EncodeToString(b)
}

// CheckURL says what is wrong with an address, as far as its text tells; where a name leads is looked at when a message is sent.
func CheckURL(text string, private bool) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || len(text) > MaxURL:
		return errors.New("is no address such as https://example.org/hook")
	case u.Scheme != "https" && (u.Scheme != "http" || !private):
		return errors.New("must begin with https://")
	case u.User != nil:
		return errors.New("must have no name and password in it; messages are signed")
	}
	allow := dial.Allow(dial.PublicOnly)
	if private {
		allow = dial.PublicOrLocal
	}
	if !dial.MayDial(u.Hostname(), allow) {
		return errors.New("must lead to the internet; this one leads to a private network, to this machine or nowhere")
	}
	return nil
}

// Answered is the error of an address that answers with another status than 2xx.
type Answered int

func (a Answered) Error() string { return "answered " + strconv.Itoa(int(a)) }

// Sender sends messages to addresses that may be dialled.
type Sender struct{ client *http.Client }

// New makes a sender.
func New(allow dial.Allow) *Sender {
	return &Sender{&http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dial.Guarded(patience, allow).DialContext, TLSHandshakeTimeout: patience, DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10, Proxy: nil,
		},
	}}
}

// Send sends one message, which has arrived when there is no error: an answer of 2xx.
func (s *Sender) Send(ctx context.Context, address, secret, id string, at time.Time, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return withoutAddress(err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	signature, err := Sign(secret, id, stamp, body)
	if err != nil {
		return err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "User-Agent": {"Stoa"}, "Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}}
	res, err := s.client.Do(req)
	if err != nil {
		return withoutAddress(err)
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, longest)
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return Answered(res.StatusCode)
	}
	return nil
}

// withoutAddress is what went wrong without the address: many receivers are known by nothing but a secret in its path or query,
// and what is returned here goes to the log.
func withoutAddress(err error) error {
	if named := (*url.Error)(nil); errors.As(err, &named) {
		return named.Err
	}
	return err
}

// Sign is the signature of a message: HMAC-SHA256 over its id, its time and its body.
func Sign(secret, id, stamp string, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(secret[min(len(secretPrefix), len(secret)):])
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
