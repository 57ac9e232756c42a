package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	clientID     = "stoa"
	clientSecret = "between us"
)

// issuer is a small OpenID Connect issuer: discovery, keys, the page that confirms who somebody is, and the token
// endpoint with PKCE. What it signs can be bent by the test.
type issuer struct {
	t   *testing.T
	url string
	key *ecdsa.PrivateKey
	now func() time.Time

	keysAsked atomic.Int64

	mu    sync.Mutex
	codes map[string]url.Values // requests for authorisation by code; each is redeemed once
	// who signs in, and what is bent.
	claims map[string]any
	bend   func(claims map[string]any)
	signer *ecdsa.PrivateKey // nil for the issuer's own
	down   bool
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key, codes: map[string]url.Values{}, now: time.Now}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		i.answer(w, map[string]any{
			"issuer": i.url, "authorization_endpoint": i.url + "/authorize", "token_endpoint": i.url + "/token", "jwks_uri": i.url + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256"}, "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"},
			"authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		i.keysAsked.Add(1)
		i.mu.Lock()
		key := i.key
		i.mu.Unlock()
		i.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		down := i.down
		i.mu.Unlock()
		if down {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

func (i *issuer) answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		i.t.Error(err)
	}
}

func (i *issuer) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") == assistantID {
		i.authorizeAssistant(w, r)
		return
	}
	if q.Get("response_type") != "code" || q.Get("client_id") != clientID || q.Get("state") == "" || q.Get("nonce") == "" ||
		q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("scope") != "openid profile email" {
		http.Error(w, "bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	code := "code-" + strconv.Itoa(len(i.codes))
	i.codes[code] = q
	i.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.url}}.Encode(), http.StatusFound)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	if id, _, _ := r.BasicAuth(); id == assistantID || r.FormValue("client_id") == assistantID { // the SDK tries the header first
		i.assistantToken(w, r)
		return
	}
	id, secret, ok := r.BasicAuth()
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	i.mu.Lock()
	defer i.mu.Unlock()
	asked := i.codes[r.FormValue("code")]
	i.codes[r.FormValue("code")] = nil
	if !ok || id != clientID || secret != url.QueryEscape(clientSecret) || asked == nil || r.FormValue("redirect_uri") != asked.Get("redirect_uri") ||
		base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, map[string]any{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": i.url, "aud": clientID, "iat": i.now().Unix(), "exp": i.now().Add(time.Minute).Unix(), "nonce": asked.Get("nonce"),
	}
	for name, value := range i.claims {
		claims[name] = value
	}
	if i.bend != nil {
		i.bend(claims)
	}
	key := i.key
	if i.signer != nil {
		key = i.signer
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key, KeyID: "1"}}, nil)
	if err != nil {
		i.t.Error(err)
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		i.t.Error(err)
	}
	i.answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": text})
}

// is says who signs in next, and how their token is bent.
func (i *issuer) is(claims map[string]any, bend func(map[string]any)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.claims, i.bend, i.signer = claims, bend, nil
}
