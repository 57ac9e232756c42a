package identity

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
)

// ErrRefused says that the issuer did not confirm who somebody is, or not to us, or not now.
var ErrRefused = errors.New("identity: the issuer's answer is not good")

// ErrUnreachable says that the issuer could not be asked.
var ErrUnreachable = errors.New("identity: the issuer cannot be reached")

// timeout bounds one call to the issuer.
const timeout = 10 * time.Second

// Settings name an issuer and what it knows this server as.
type Settings struct {
	Issuer       string // its address, as its tokens have it
	ClientID     string
	ClientSecret string // "" for a public client
	Name         string // what people call the issuer; "" takes its host
	// Assistants sign in at the issuer, and come to /mcp with access tokens of it.
	Assistants bool
	Now        clock.Clock
}

// Issuer is an OpenID Connect issuer.
type Issuer struct {
	Settings
	client *http.Client
	keysBy http.RoundTripper // asks for its keys
	// sameHost refuses keys from another host than the issuer's.
	sameHost bool

	asking singleflight.Group
	known  atomic.Pointer[oidc.Provider] // nil until the issuer has been asked what it offers
	keys   atomic.Pointer[keySet]        // nil until the first access token
}

// Identity is somebody as the issuer knows them. Names are what they may like to be called, the best first.
type Identity struct {
	Issuer  string
	Subject string
	Names   []string
}

// Attempt is one way to the issuer and back.
type Attempt struct {
	State    string // comes back with the browser
	Nonce    string // comes back inside the token
	Verifier string // proves that the code is redeemed by whoever asked for it
	URL      string // where the browser is sent
}

// New makes an issuer; it is asked nothing before the first sign-in, since it may start after this server. Its address
// must be https, or on this machine.
func New(s Settings) (*Issuer, error) {
	u, err := url.Parse(s.Issuer)
	if err != nil || u.RawQuery != "" || u.Fragment != "" || !asked(u) {
		return nil, errors.New("the OpenID Connect issuer must be an https address")
	}
	if s.ClientID == "" {
		return nil, errors.New("the OpenID Connect issuer needs a client id")
	}
	if s.Name == "" {
		s.Name = u.Host
	}
	if s.Now == nil {
		s.Now = clock.System
	}
	return &Issuer{Settings: s, client: &http.Client{Timeout: timeout}, keysBy: http.DefaultTransport}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Begin makes an attempt that comes back to redirect.
func (i *Issuer) Begin(ctx context.Context, redirect string) (Attempt, error) {
	provider, err := i.provider(ctx)
	if err != nil {
		return Attempt{}, err
	}
	a := Attempt{State: account.NewToken(), Nonce: account.NewToken(), Verifier: oauth2.GenerateVerifier()}
	a.URL = i.config(provider, redirect).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier))
	return a, nil
}

// Finish redeems the code that an attempt came back with. The errors are ErrRefused and ErrUnreachable, with their
// cause.
func (i *Issuer) Finish(ctx context.Context, redirect, code, nonce, verifier string) (Identity, error) {
	provider, err := i.provider(ctx)
	if err != nil {
		return Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, i.client)
	token, err := i.config(provider, redirect).Exchange(ctx, code, oauth2.VerifierOption(verifier))
	if err != nil {
		var answered *oauth2.RetrieveError
		if errors.As(err, &answered) && answered.Response.StatusCode < 500 {
			return Identity{}, fmt.Errorf("%w: the code was refused: %s", ErrRefused, answered.ErrorCode)
		}
		return Identity{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return Identity{}, fmt.Errorf("%w: there is no id token", ErrRefused)
	}
	verified, err := provider.VerifierContext(ctx, &oidc.Config{ClientID: i.ClientID, Now: i.Now}).Verify(ctx, raw)
	if err != nil {
		return Identity{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if nonce == "" || verified.Nonce != nonce {
		return Identity{}, fmt.Errorf("%w: the token is of another sign-in", ErrRefused)
	}
	var claims struct {
		Username string `json:"preferred_username"`
		Email    string `json:"email"`
		Party    string `json:"azp"`
	}
	if err := verified.Claims(&claims); err != nil || verified.Subject == "" {
		return Identity{}, fmt.Errorf("%w: its claims cannot be read", ErrRefused)
	}
	if claims.Party != "" && claims.Party != i.ClientID {
		return Identity{}, fmt.Errorf("%w: the token was made for another party", ErrRefused)
	}
	return Identity{Issuer: verified.Issuer, Subject: verified.Subject, Names: []string{claims.Username, claims.Email}}, nil
}

// provider asks the issuer what it offers, until it has answered once. Whoever comes while it is being asked waits for that
// answer, not for a turn.
func (i *Issuer) provider(ctx context.Context) (*oidc.Provider, error) {
	if known := i.known.Load(); known != nil {
		return known, nil
	}
	answer := i.asking.DoChan("", func() (any, error) {
		// The provider keeps the context for the issuer's keys, so it must not end with this request.
		known, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), i.client), i.Issuer)
		if err == nil {
			i.known.Store(known)
		}
		return known, err
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-answer:
		if r.Err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnreachable, r.Err)
		}
		return r.Val.(*oidc.Provider), nil
	}
}

func (i *Issuer) config(provider *oidc.Provider, redirect string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: i.ClientID, ClientSecret: i.ClientSecret, Endpoint: provider.Endpoint(), RedirectURL: redirect,
		Scopes: []string{oidc.ScopeOpenID, "profile", "email"},
	}
}
