package identity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"stoa/internal/platform/clock"
)

// Bearer is somebody who comes with an access token of the issuer.
type Bearer struct {
	Identity
	Scopes  []string
	Expires time.Time
}

// LooksSigned tells whether a token may be one that an issuer signed (a JSON Web Token). Nothing is checked.
func LooksSigned(token string) bool {
	return strings.Count(token, ".") == 2 && strings.HasPrefix(token, "ey") && len(token) <= maxSigned
}

const maxSigned = 16 << 10

// signers are the ways to sign of which the issuer's published keys are no secret.
var signers = []string{oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA}

// Verify checks an access token that was made for a resource (RFC 9068): by the issuer's keys, its times, and that the resource
// is among those it was made for. The errors are ErrRefused and ErrUnreachable, with their cause.
func (i *Issuer) Verify(ctx context.Context, token, resource string) (Bearer, error) {
	if !LooksSigned(token) {
		return Bearer{}, fmt.Errorf("%w: it is no signed token", ErrRefused)
	}
	keys, err := i.keySet(ctx)
	if err != nil {
		return Bearer{}, err
	}
	verified, err := oidc.NewVerifier(i.Issuer, keys, &oidc.Config{SkipClientIDCheck: true, SupportedSigningAlgs: signers, Now: i.Now}).Verify(ctx, token)
	if err != nil {
		if errors.Is(err, errKeysAway) || strings.Contains(err.Error(), errKeysAway.Error()) {
			return Bearer{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		return Bearer{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	var claims struct {
		Scope string  `json:"scope"`
		Short phrases `json:"scp"` // as some issuers write it
		Nonce string  `json:"nonce"`
	}
	switch err := verified.Claims(&claims); {
	case err != nil || verified.Subject == "":
		return Bearer{}, fmt.Errorf("%w: its claims cannot be read", ErrRefused)
	case !slices.Contains(verified.Audience, resource):
		return Bearer{}, fmt.Errorf("%w: it was made for %.200q, not for %s", ErrRefused, verified.Audience, resource)
	case claims.Nonce != "":
		return Bearer{}, fmt.Errorf("%w: it says who somebody is and is not for calling", ErrRefused)
	}
	return Bearer{Identity{Issuer: verified.Issuer, Subject: verified.Subject}, append(strings.Fields(claims.Scope), claims.Short...), verified.Expiry}, nil
}

// phrases is a list of texts, or one text with spaces.
type phrases []string

// UnmarshalJSON takes both.
func (p *phrases) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*p = strings.Fields(one)
		return nil
	}
	return json.Unmarshal(text, (*[]string)(p))
}

func (i *Issuer) keySet(ctx context.Context) (oidc.KeySet, error) {
	if known := i.keys.Load(); known != nil {
		return known.KeySet, nil
	}
	provider, err := i.provider(ctx)
	if err != nil {
		return nil, err
	}
	var about struct {
		Keys string `json:"jwks_uri"`
	}
	if err := provider.Claims(&about); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if i.sameHost {
		own, err := url.Parse(i.Issuer)
		there, err2 := url.Parse(about.Keys)
		if err != nil || err2 != nil || own.Scheme != there.Scheme || own.Host != there.Host {
			i.known.Store(nil) // it may say something else later
			return nil, fmt.Errorf("%w: its keys are said to be at another host", ErrUnreachable)
		}
	}
	client := &http.Client{Timeout: timeout, Transport: &keyHolder{from: i.keysBy, now: i.Now}}
	made := &keySet{oidc.NewRemoteKeySet(oidc.ClientContext(context.WithoutCancel(ctx), client), about.Keys)}
	i.keys.CompareAndSwap(nil, made)
	return i.keys.Load().KeySet, nil
}

type keySet struct{ oidc.KeySet }

// keysGood is how long the issuer's keys are not asked for again. Without it anybody could have the issuer asked with every
// request, by tokens that name keys which do not exist.
const keysGood = 10 * time.Second

const maxKeys = 1 << 20

// errKeysAway is of keys that could not be had; package oidc passes it on as a text.
var errKeysAway = errors.New("the issuer's keys cannot be had")

// keyHolder asks an issuer for its keys, at most once in a while.
type keyHolder struct {
	from http.RoundTripper
	now  clock.Clock

	mu    sync.Mutex
	asked time.Time
	body  []byte
	err   error
}

// RoundTrip answers with the keys, or with what was wrong when they were asked for last.
func (k *keyHolder) RoundTrip(req *http.Request) (*http.Response, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.now(); k.asked.IsZero() || now.Sub(k.asked) >= keysGood || now.Before(k.asked) {
		k.body, k.err = k.fetch(req)
		k.asked = k.now() // afterwards: whoever waited for an issuer that hangs is not to ask it again, each after the other
	}
	if k.err != nil {
		return nil, k.err
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(k.body)), ContentLength: int64(len(k.body)),
	}, nil
}

func (k *keyHolder) fetch(req *http.Request) ([]byte, error) {
	res, err := k.from.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errKeysAway, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxKeys))
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", res.StatusCode)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errKeysAway, err)
	}
	return body, nil
}
