package apitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"stoa/internal/platform/clock"
	"stoa/internal/platform/identity"
)

// WebURL is what servers of tests are told that people reach them at.
const WebURL = "https://stoa.test"

// Issuer signs identity tokens for runs of pipelines, as GitHub Actions and GitLab CI do.
type Issuer struct {
	URL string
	Key *ecdsa.PrivateKey

	mu      sync.Mutex
	answers map[string]any // by path
	tokens  int
}

// NewIssuer starts one.
func NewIssuer() (i *Issuer, stop func()) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never fails on a supported system
	}
	i = &Issuer{Key: key, answers: map[string]any{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		answer, ok := i.answers[r.URL.Path]
		i.mu.Unlock()
		if !ok {
			http.Error(w, "not here", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}))
	i.URL = server.URL
	i.Answer("/.well-known/openid-configuration", map[string]any{"issuer": i.URL, "jwks_uri": i.URL + "/keys", "id_token_signing_alg_values_supported": []string{"ES256"}})
	i.Answer("/keys", jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	return i, server.Close
}

// Answer sets what is answered at a path; nil takes it away.
func (i *Issuer) Answer(path string, value any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.answers[path] = value; value == nil {
		delete(i.answers, path)
	}
}

// Claims are those of a run of GitHub Actions in a repository, changed; nil takes a claim away.
func (i *Issuer) Claims(now time.Time, repository string, change map[string]any) map[string]any {
	i.mu.Lock()
	i.tokens++
	n := i.tokens
	i.mu.Unlock()
	claims := map[string]any{
		"iss": i.URL, "aud": WebURL, "sub": "repo:" + repository, "jti": fmt.Sprintf("run-%d", n), "iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"repository": repository, "repository_id": "4711", "ref": "refs/heads/main", "environment": "release", "workflow_ref": repository + "/.github/workflows/publish.yml@refs/heads/main",
	}
	for name, v := range change {
		if claims[name] = v; v == nil {
			delete(claims, name)
		}
	}
	return claims
}

// Token is an identity token of a run.
func (i *Issuer) Token(now time.Time, repository string, change map[string]any) string {
	return Signed(jose.ES256, i.Key, i.Claims(now, repository, change))
}

// Signed is a token with any claims, signed in any way; it panics over a key that is not for that.
func Signed(alg jose.SignatureAlgorithm, key any, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		panic(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		panic(err)
	}
	return text
}

var shared struct {
	once   sync.Once
	issuer *Issuer
}

// Pipelines is the issuer that every server of tests takes pipelines of.
func Pipelines() *Issuer {
	shared.once.Do(func() { shared.issuer, _ = NewIssuer() }) // stops with the process
	return shared.issuer
}

func pipelines(t testing.TB, now clock.Clock) *identity.Pipelines {
	t.Helper()
	p, err := identity.NewPipelines([]string{Pipelines().URL}, now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
