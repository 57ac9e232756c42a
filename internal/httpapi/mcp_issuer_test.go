package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/internal/platform/identity"
)

// access is an access token that the issuer made, bent by change.
func (i *issuer) access(key any, alg jose.SignatureAlgorithm, resource string, change m) string {
	i.t.Helper()
	claims := m{"iss": i.url, "aud": []string{resource, "other"}, "sub": "sub-ada", "iat": i.now().Unix(), "exp": i.now().Add(time.Minute).Unix(), "client_id": "an-assistant", "scope": "openid read"}
	for name, v := range change {
		if claims[name] = v; v == nil {
			delete(claims, name)
		}
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, (&jose.SignerOptions{}).WithType("at+jwt"))
	if err != nil {
		i.t.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		i.t.Fatal(err)
	}
	return text
}

// The operator's issuer signs assistants in: the metadata names it, its tokens count at /mcp when they were made for that
// address and for a member, and nowhere else.
func TestTheIssuersTokensAtMCP(t *testing.T) {
	i := newIssuer(t)
	var is *identity.Issuer
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) {
		i.now = c.Clock
		made, err := identity.New(identity.Settings{Issuer: i.url, ClientID: clientID, ClientSecret: clientSecret, Now: c.Clock, Assistants: true})
		if err != nil {
			t.Fatal(err)
		}
		is, c.Issuer = made, made
	}})
	ada := s.As(t, "ada")
	if err := s.App.LinkIdentity(t.Context(), "ada", i.url, "sub-ada"); err != nil {
		t.Fatal(err)
	}
	resource := s.URL + "/mcp"
	var about struct {
		Resource string
		Servers  []string `json:"authorization_servers"`
	}
	feedJSON(t, s, "/.well-known/oauth-protected-resource/mcp", &about)
	if about.Resource != resource || len(about.Servers) != 1 || about.Servers[0] != i.url {
		t.Errorf("the metadata says %+v", about)
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/oauth/authorize"} {
		if res, _ := feedGet(t, s, path, ""); res.StatusCode == http.StatusOK && strings.Contains(res.Header.Get("Content-Type"), "json") {
			t.Errorf("%s is there although the issuer signs in", path)
		}
	}
	call := func(path, token, tool string) (int, string, string) {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
		req, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18", "Authorization": "Bearer " + token} {
			req.Header.Set(name, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, bodyOf(t, res), res.Header.Get("WWW-Authenticate")
	}
	good := i.access(i.key, jose.ES256, resource, nil)
	if status, body, _ := call("/mcp", good, "installed"); status != http.StatusOK || !strings.Contains(body, "listMemberInstallations") || !strings.Contains(body, "ada") {
		t.Fatalf("%d %s\n%s", status, body, s.Log())
	}
	if status, body, wants := call("/mcp", good, "answer"); status != http.StatusForbidden || !strings.Contains(wants, "insufficient_scope") {
		t.Errorf("a token without write calls a tool that writes: %d %s %s", status, wants, body)
	}
	for name, scope := range map[string]m{"scope": {"scope": "read write"}, "scp list": {"scope": nil, "scp": []string{"write"}}, "scp text": {"scope": nil, "scp": "read write"}} {
		if status, body, _ := call("/mcp", i.access(i.key, jose.ES256, resource, scope), "answer"); status != http.StatusOK {
			t.Errorf("write by %s: %d %s", name, status, body)
		}
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	unsigned := "eyJhbGciOiJub25lIn0." + strings.Split(good, ".")[1] + "."
	refused := map[string]string{
		"another resource": i.access(i.key, jose.ES256, s.URL, nil), "only the client": i.access(i.key, jose.ES256, clientID, nil), "an id token": i.access(i.key, jose.ES256, resource, m{"nonce": "n"}),
		"too old": i.access(i.key, jose.ES256, resource, m{"exp": i.now().Add(-time.Minute).Unix()}), "not yet": i.access(i.key, jose.ES256, resource, m{"nbf": i.now().Add(time.Hour).Unix()}),
		"another issuer": i.access(i.key, jose.ES256, resource, m{"iss": "https://evil.example"}), "another key": i.access(other, jose.ES256, resource, nil), "unsigned": unsigned,
		"a shared key": i.access([]byte(strings.Repeat("k", 32)), jose.HS256, resource, nil), "nobody": i.access(i.key, jose.ES256, resource, m{"sub": nil}),
		"somebody else": i.access(i.key, jose.ES256, resource, m{"sub": "sub-bob"}), "rubbish": "ey.a.b", "no end": i.access(i.key, jose.ES256, resource, m{"exp": nil}),
	}
	for name, token := range refused {
		if status, body, wants := call("/mcp", token, "installed"); status != http.StatusUnauthorized || !strings.Contains(wants, "resource_metadata") {
			t.Errorf("%s: %d %s %s", name, status, wants, body)
		}
	}
	// Elsewhere it is nobody's, so that it cannot be turned into more.
	for _, path := range []string{"/api/member/installations", "/api/account/tokens"} {
		if res, body := feedGet(t, s, path, good); res.StatusCode == http.StatusOK && strings.Contains(string(body), "ada") {
			t.Errorf("%s takes the issuer's token: %s", path, body)
		}
	}
	// API tokens go on, and whoever is unlinked or shut is out at once.
	token := ada.Post("/api/account/tokens", m{"label": "x"}).OK(t).Str("data.token")
	if status, body, _ := call("/mcp", token, "installed"); status != http.StatusOK {
		t.Errorf("an API token: %d %s", status, body)
	}
	if err := s.App.SetMemberDisabled(t.Context(), "ada", true); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := call("/mcp", good, "installed"); status != http.StatusUnauthorized {
		t.Errorf("a shut account: %d", status)
	}
	keysAreAskedForSeldom(t, s, i, is, other)
}

// keysAreAskedForSeldom sends tokens of keys that do not exist, and takes the issuer away.
func keysAreAskedForSeldom(t *testing.T, s *apitest.Server, i *issuer, is *identity.Issuer, unknown *ecdsa.PrivateKey) {
	t.Helper()
	resource := s.URL + "/mcp"
	if err := s.App.SetMemberDisabled(t.Context(), "ada", false); err != nil {
		t.Fatal(err)
	}
	before := i.keysAsked.Load()
	for range 20 {
		if _, err := is.Verify(t.Context(), i.access(unknown, jose.ES256, resource, nil), resource); err == nil {
			t.Fatal("a strange key counts")
		}
	}
	if n := i.keysAsked.Load() - before; n > 1 {
		t.Errorf("the issuer was asked for its keys %d times by 20 strange tokens", n)
	}
	// New keys are found once that time is over.
	i.mu.Lock()
	i.key = unknown
	i.mu.Unlock()
	s.Clock.Advance(time.Minute)
	var who identity.Bearer
	err := errors.New("never asked")
	for n := 0; n < 100 && err != nil; n++ { // package oidc may still hand out the answer before, of which the asker was just told
		who, err = is.Verify(t.Context(), i.access(unknown, jose.ES256, resource, nil), resource)
	}
	if err != nil || who.Subject != "sub-ada" {
		t.Errorf("the issuer's new key: %v", err)
	}
	i.mu.Lock()
	i.down = true
	i.mu.Unlock()
	s.Clock.Advance(time.Minute)
	third, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < 100 && !errors.Is(err, identity.ErrUnreachable); n++ { // until the answer of before, handed out as above, is gone
		_, err = is.Verify(t.Context(), i.access(third, jose.ES256, resource, nil), resource)
	}
	req, err := http.NewRequest(http.MethodPost, resource, strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+i.access(third, jose.ES256, resource, nil))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	var answer m
	if err := json.Unmarshal([]byte(bodyOf(t, res)), &answer); res.StatusCode != http.StatusServiceUnavailable || err != nil {
		t.Errorf("an issuer that is away: %d %v", res.StatusCode, answer)
	}
}
