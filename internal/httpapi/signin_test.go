package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/httpapi"
	"stoa/internal/platform/identity"
)

// browser keeps cookies and follows one redirect at a time.
type browser struct {
	t *testing.T
	http.Client
	base string
}

func newBrowser(t *testing.T, base string) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, http.Client{Jar: jar, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, base}
}

// follow asks for an address and gives where it sends the browser.
func (b *browser) follow(address string) string {
	b.t.Helper()
	r, err := b.Get(address)
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusSeeOther && r.StatusCode != http.StatusFound {
		b.t.Fatalf("%s: %d", address, r.StatusCode)
	}
	return r.Header.Get("Location")
}

// signIn goes the whole way and gives the page it ends on.
func (b *browser) signIn(back string) string {
	b.t.Helper()
	return b.follow(b.follow(b.follow(b.base + "/signin/oidc?return=" + url.QueryEscape(back))))
}

func (b *browser) who() string {
	b.t.Helper()
	r, err := b.Get(b.base + "/api/ui/capabilities")
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	var answer struct {
		UserID string `json:"user_id"`
	}
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil {
		b.t.Fatal(err)
	}
	return answer.UserID
}

// eachIssuer runs f on every engine, each with an issuer of its own.
func eachIssuer(t *testing.T, signup bool, f func(t *testing.T, s *apitest.Server, i *issuer)) {
	for _, e := range apitest.Engines(t) {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			s := apitest.Start(t, e, apitest.Options{
				SignupOpen: signup,
				App:        func(c *core.Config) { c.SignInWith = "The Club" },
				HTTP: func(c *httpapi.Config) {
					var err error
					if c.Issuer, err = identity.New(identity.Settings{Issuer: i.url, ClientID: clientID, ClientSecret: clientSecret, Now: c.Clock}); err != nil {
						t.Fatal(err)
					}
				},
			})
			i.now = s.Clock.Now
			i.is(map[string]any{"sub": "1"}, nil)
			f(t, s, i)
		})
	}
}

func TestSignInAtAnIssuer(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, s *apitest.Server, i *issuer) {
		if r := s.Nobody(t).Get("/api/auth-info").OK(t); r.Str("data.sign_in_with") != "The Club" || r.Str("data.sign_in_path") != "/signin/oidc" {
			t.Errorf("%s", r.Body)
		}
		i.is(map[string]any{"sub": "42", "preferred_username": "Grace Hopper", "email": "grace@navy.example"}, nil)
		b := newBrowser(t, s.URL)
		if page := b.signIn("/learn?view=map#here"); page != "/learn?view=map#here" {
			t.Errorf("back at %q", page)
		}
		if who := b.who(); who != "grace-hopper" {
			t.Errorf("signed in as %q", who)
		}
		// The next time, from elsewhere and under another name, it is the same member.
		i.is(map[string]any{"sub": "42", "preferred_username": "admiral"}, nil)
		other := newBrowser(t, s.URL)
		if other.signIn("/market"); other.who() != "grace-hopper" {
			t.Errorf("the second time: %q", other.who())
		}
		// A name that belongs to somebody is not theirs, password or not.
		i.is(map[string]any{"sub": "43", "preferred_username": "ada"}, nil)
		third := newBrowser(t, s.URL)
		if third.signIn("/market"); third.who() != "ada-2" {
			t.Errorf("a namesake is %q", third.who())
		}
		// Without a password nobody gets in with one.
		for _, password := range []string{"", apitest.Password} {
			s.Nobody(t).Post("/api/login", m{"user_id": "grace-hopper", "password": password}).Want(t, 401, "invalid_credentials")
		}
		// Somebody shut out stays out.
		if err := s.App.SetMemberDisabled(t.Context(), "ada-2", true); err != nil {
			t.Fatal(err)
		}
		shut := newBrowser(t, s.URL)
		if page := shut.signIn("/market?q=a#b"); page != "/market?q=a#signin_failed=permission_denied" || shut.who() != "" {
			t.Errorf("shut out: %q as %q", page, shut.who())
		}
		if s.Count(t, "identity_attempt") != 0 {
			t.Error("attempts are left")
		}
	})
}

func TestSignInAtAnIssuerWithoutSignup(t *testing.T) {
	eachIssuer(t, false, func(t *testing.T, s *apitest.Server, i *issuer) {
		i.is(map[string]any{"sub": "42", "preferred_username": "ada"}, nil)
		b := newBrowser(t, s.URL)
		if page := b.signIn("/market"); page != "/market#signin_failed=signup_closed" || b.who() != "" {
			t.Errorf("a stranger: %q as %q", page, b.who())
		}
		if !strings.Contains(s.Log(), "subject=42") {
			t.Error("the operator cannot know the subject")
		}
		if err := s.App.LinkIdentity(t.Context(), "ada", i.url, "42"); err != nil {
			t.Fatal(err)
		}
		if page := b.signIn("/market"); page != "/market" || b.who() != "ada" {
			t.Errorf("linked: %q as %q", page, b.who())
		}
		if err := s.App.LinkIdentity(t.Context(), "bob", i.url, "42"); err == nil {
			t.Error("a subject was given to a second member")
		}
		if err := s.App.UnlinkIdentity(t.Context(), "ada", i.url); err != nil {
			t.Fatal(err)
		}
		s.Clock.Advance(3 * time.Second) // a session may be remembered for two
		if b.who() != "" || !strings.Contains(b.signIn("/market"), "signup_closed") {
			t.Error("unlinked and still let in")
		}
	})
}

func TestBadTokensAreRefused(t *testing.T) {
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	eachIssuer(t, true, func(t *testing.T, s *apitest.Server, i *issuer) {
		for name, bend := range map[string]func(map[string]any){
			"wrong nonce":     func(c map[string]any) { c["nonce"] = "another" },
			"no nonce":        func(c map[string]any) { delete(c, "nonce") },
			"wrong audience":  func(c map[string]any) { c["aud"] = "another client" },
			"another party":   func(c map[string]any) { c["aud"], c["azp"] = []string{clientID, "x"}, "x" },
			"wrong issuer":    func(c map[string]any) { c["iss"] = "https://elsewhere.example" },
			"expired":         func(c map[string]any) { c["exp"] = s.Clock.Now().Add(-time.Second).Unix() },
			"not yet":         func(c map[string]any) { c["nbf"] = s.Clock.Now().Add(time.Hour).Unix() },
			"no subject":      func(c map[string]any) { delete(c, "sub") },
			"somebody's keys": func(map[string]any) { i.signer = stranger },
		} {
			i.is(map[string]any{"sub": "42"}, bend)
			b := newBrowser(t, s.URL)
			if page := b.signIn("/member"); page != "/member#signin_failed=invalid_credentials" || b.who() != "" {
				t.Errorf("%s: %q as %q", name, page, b.who())
			}
		}
	})
}

func TestSignInIsBoundToItsBrowserAndHappensOnce(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, s *apitest.Server, i *issuer) {
		const refused = "/member#signin_failed=invalid_credentials"
		b, victim := newBrowser(t, s.URL), newBrowser(t, s.URL)
		callback := b.follow(b.follow(s.URL + "/signin/oidc?return=/learn"))
		// A victim who is sent an attacker's callback is not signed in as the attacker, with a cookie or without.
		if page := victim.follow(callback); page != refused || victim.who() != "" {
			t.Errorf("without a cookie: %q as %q", page, victim.who())
		}
		victim.follow(s.URL + "/signin/oidc")
		if page := victim.follow(callback); page != refused || victim.who() != "" {
			t.Errorf("with a cookie of its own: %q as %q", page, victim.who())
		}
		// What the victim did has not used it up. Two tabs of one browser do not hinder each other.
		b.follow(b.follow(s.URL + "/signin/oidc?return=/market"))
		if page := b.follow(callback); page != "/learn" || b.who() != "member-2" {
			t.Errorf("the browser itself: %q as %q", page, b.who())
		}
		// The same state again, even with its cookie restored, is refused.
		fresh := newBrowser(t, s.URL)
		fresh.Jar = b.Jar
		if page := fresh.follow(callback); page != refused {
			t.Errorf("replayed: %q", page)
		}
		for name, bad := range map[string]string{
			"a state that is not ours": "/signin/oidc/callback?code=code-0&state=abc",
			"no state":                 "/signin/oidc/callback?code=code-0",
			"nothing":                  "/signin/oidc/callback",
		} {
			fresh := newBrowser(t, s.URL)
			fresh.follow(s.URL + "/signin/oidc")
			if page := fresh.follow(s.URL + bad); page != refused {
				t.Errorf("%s: %q", name, page)
			}
		}
		// Denied at the issuer, confirmed by another issuer, too late.
		for name, change := range map[string]func(url.Values){
			"denied":         func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") },
			"another issuer": func(q url.Values) { q.Set("iss", "https://evil.example") },
			"another code":   func(q url.Values) { q.Set("code", "made up") },
			"too late":       func(url.Values) { s.Clock.Advance(accounts.IdentityAttemptTTL) },
		} {
			fresh := newBrowser(t, s.URL)
			u, err := url.Parse(fresh.follow(fresh.follow(s.URL + "/signin/oidc?return=/member")))
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			change(q)
			u.RawQuery = q.Encode()
			if page := fresh.follow(u.String()); page != refused || fresh.who() != "" {
				t.Errorf("%s: %q as %q", name, page, fresh.who())
			}
		}
	})
}

func TestSignInComesBackToOurPagesOnly(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, s *apitest.Server, _ *issuer) {
		for wish, want := range map[string]string{
			"/market?q=a%20b": "/market?q=a%20b", "": "/member", "https://evil.example/market": "/member", "//evil.example/market": "/member",
			`/\evil.example`: "/member", "/market/../..": "/member", "javascript:alert(1)": "/member", "market": "/member", "/api/logout": "/member",
			"/market\r\nSet-Cookie: a=b": "/member", "https:/market": "/member",
		} {
			if page := newBrowser(t, s.URL).signIn(wish); page != want {
				t.Errorf("%q leads to %q", wish, page)
			}
		}
	})
}

func TestBeginningASignIn(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, s *apitest.Server, i *issuer) {
		r := s.Nobody(t).Get("/signin/oidc")
		cookie := r.Header.Get("Set-Cookie")
		for _, part := range []string{"HttpOnly", "SameSite=Lax", "Path=/signin/oidc", "Max-Age=600"} {
			if !strings.Contains(cookie, part) {
				t.Errorf("the cookie lacks %s: %s", part, cookie)
			}
		}
		if r.Header.Get("Cache-Control") != "no-store" {
			t.Error("the redirect may be kept")
		}
		if to := s.Nobody(t).With("Sec-Fetch-Site", "cross-site").Get("/signin/oidc", "return", "/market").Header.Get("Location"); to != "/market" {
			t.Errorf("another site's page began a sign-in: %q", to)
		}
		if n := s.Count(t, "identity_attempt"); n != 1 {
			t.Errorf("%d attempts", n)
		}
		// Beginning without end is throttled by address.
		c := s.Nobody(t).From("198.51.100.9")
		for range 100 {
			c.Get("/signin/oidc")
		}
		if to := c.Get("/signin/oidc").Header.Get("Location"); to != "/member#signin_failed=rate_limited" {
			t.Errorf("the 101st: %q", to)
		}
	})
}

// An issuer that is away when the server starts, or later, is a clear word and no more.
func TestIssuerThatIsAway(t *testing.T) {
	eachIssuer(t, true, func(t *testing.T, s *apitest.Server, i *issuer) {
		set := func(down bool) { i.mu.Lock(); i.down = down; i.mu.Unlock() }
		set(true)
		b := newBrowser(t, s.URL)
		if page := b.follow(s.URL + "/signin/oidc?return=/market"); page != "/market#signin_failed=service_unavailable" {
			t.Errorf("away at the start: %q", page)
		}
		set(false)
		callback := b.follow(b.follow(s.URL + "/signin/oidc?return=/market"))
		set(true)
		if page := b.follow(callback); page != "/market#signin_failed=service_unavailable" {
			t.Errorf("away in the middle: %q", page)
		}
		set(false)
		if page := b.signIn("/market"); page != "/market" || b.who() != "member-2" {
			t.Errorf("back again: %q as %q", page, b.who())
		}
	})
}

func TestNoIssuer(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Nobody(t).Get("/signin/oidc").Want(t, 404, "not_found")
		if r := s.Nobody(t).Get("/api/auth-info").OK(t); r.Str("data.sign_in_with") != "" || r.Str("data.sign_in_path") != "" {
			t.Errorf("%s", r.Body)
		}
	})
}
