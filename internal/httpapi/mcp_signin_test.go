package httpapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/internal/platform/identity"
)

// assistantID is what the issuer knows the assistant as: a public client, which has no secret.
const assistantID = "an-assistant"

// authorizeAssistant confirms to an assistant who somebody is, as authorize does to Stoa.
func (i *issuer) authorizeAssistant(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("redirect_uri") != callback || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("resource") == "" {
		http.Error(w, "bad request: "+r.URL.RawQuery, http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	code := "assistant-" + strconv.Itoa(len(i.codes))
	i.codes[code] = q
	i.mu.Unlock()
	http.Redirect(w, r, callback+"?"+url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {i.url}}.Encode(), http.StatusFound)
}

func (i *issuer) assistantToken(w http.ResponseWriter, r *http.Request) {
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	i.mu.Lock()
	asked := i.codes[r.FormValue("code")]
	i.codes[r.FormValue("code")] = nil
	i.mu.Unlock()
	if asked == nil || r.FormValue("redirect_uri") != asked.Get("redirect_uri") || r.FormValue("resource") != asked.Get("resource") ||
		base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		i.answer(w, m{"error": "invalid_grant"})
		return
	}
	token := i.access(i.key, jose.ES256, asked.Get("resource"), m{"scope": asked.Get("scope")})
	i.answer(w, m{"access_token": token, "token_type": "Bearer", "expires_in": 60, "scope": asked.Get("scope")})
}

// signsIn connects the SDK's own client, which finds out by itself where to sign in; open is the browser.
func signsIn(t *testing.T, s *apitest.Server, config auth.AuthorizationCodeHandlerConfig, open func(address string) *url.URL) *mcp.ClientSession {
	t.Helper()
	config.RedirectURL, config.AuthorizationCodeFetcher = callback, func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
		sent := open(args.URL)
		if sent == nil || !strings.HasPrefix(sent.String(), callback+"?") {
			return nil, fmt.Errorf("sent to %v", sent)
		}
		return &auth.AuthorizationResult{Code: sent.Query().Get("code"), State: sent.Query().Get("state"), Iss: sent.Query().Get("iss")}, nil
	}
	handler, err := auth.NewAuthorizationCodeHandler(&config)
	if err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	a, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", OAuthHandler: handler, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Log())
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// writesAndReads calls a tool that reads and, when more was asked for, one that writes.
func writesAndReads(t *testing.T, s *apitest.Server, a *mcp.ClientSession) {
	t.Helper()
	if out, _ := asked(t, a, "installed", m{}); out["operation"] != "listMemberInstallations" || out["data"].(m)["user_id"] != "ada" {
		t.Fatalf("%v", out)
	}
	limits := apitest.Atom("", "limits")
	question, _ := asked(t, a, "question", m{"atom_id": limits})
	in := m{"atom_id": limits, "question_id": question["data"].(m)["question"].(m)["questionId"], "answer": "the value that terms approach", "outcome": "correct", "idempotency_key": "answer-one"}
	if _, r := asked(t, a, "answer", in); r.IsError || s.Count(t, "observation WHERE user_id = 'ada'") != 1 {
		t.Errorf("%+v", r)
	}
}

// The SDK's own client signs in at the operator's issuer: it is refused, reads which issuer the resource names, reads that
// one's metadata, gets a code with PKCE for this resource, and asks the issuer for more when it must write.
func TestAssistantSignsInAtTheIssuer(t *testing.T) {
	i := newIssuer(t)
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) {
		i.now = c.Clock
		made, err := identity.New(identity.Settings{Issuer: i.url, ClientID: clientID, ClientSecret: clientSecret, Now: c.Clock, Assistants: true})
		if err != nil {
			t.Fatal(err)
		}
		c.Issuer = made
	}})
	s.As(t, "ada")
	if err := s.App.LinkIdentity(t.Context(), "ada", i.url, "sub-ada"); err != nil {
		t.Fatal(err)
	}
	var scopes []string
	a := signsIn(t, s, auth.AuthorizationCodeHandlerConfig{PreregisteredClient: &oauthex.ClientCredentials{ClientID: assistantID}}, func(address string) *url.URL {
		u, err := url.Parse(address)
		if err != nil || !strings.HasPrefix(address, i.url+"/authorize?") || u.Query().Get("resource") != s.URL+"/mcp" {
			t.Errorf("the member is sent to %s: %v", address, err)
		}
		scopes = append(scopes, u.Query().Get("scope"))
		res, err := http.DefaultTransport.RoundTrip(must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return location(res)
	})
	writesAndReads(t, s, a)
	if len(scopes) != 2 || scopes[0] != "read" || !strings.Contains(scopes[1], "write") {
		t.Errorf("asked for %q", scopes)
	}
	if s.Count(t, "api_token") != 0 || s.Count(t, "oauth_code") != 0 {
		t.Error("Stoa made a token although the issuer does")
	}
}

// What Claude Code 2.1.197 and Codex 0.169.0 send to register, as `make neighbours` saw it.
var registrations = map[string]string{
	"Claude Code": `{"client_name":"Claude Code (stoa)","redirect_uris":["http://localhost:54179/callback"],"grant_types":["authorization_code","refresh_token"],"response_types":["code"],"token_endpoint_auth_method":"none","scope":"read"}`,
	"Codex":       `{"client_name":"Codex","redirect_uris":["http://127.0.0.1:42583/callback"],"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none","response_types":["code"],"scope":"read offline_access","application_type":"native"}`,
}

// A server that reaches nothing outside reads no documents; assistants register, and the SDK's own client signs in.
func TestAssistantRegistersAndSignsIn(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) { c.NoClientDocs = true }})
	var about m
	feedJSON(t, s, "/.well-known/oauth-authorization-server", &about)
	if about["client_id_metadata_document_supported"] != false || about["registration_endpoint"] != s.URL+"/oauth/register" {
		t.Errorf("%v", about)
	}
	session := s.As(t, "ada").Token
	var pages []string
	config := auth.AuthorizationCodeHandlerConfig{RequestRefreshToken: true, DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
		Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Test <b>assistant", RedirectURIs: []string{callback}},
	}}
	a := signsIn(t, s, config, func(address string) *url.URL {
		page, sent := decides(t, s, session, address, "allow")
		pages = append(pages, page)
		return sent
	})
	writesAndReads(t, s, a)
	if len(pages) != 2 || strings.Contains(pages[0], "<b>") || !strings.Contains(pages[0], "Nobody has checked it") || strings.Contains(pages[0], "<code>self.") {
		t.Errorf("%d pages: %s", len(pages), pages)
	}
	for name, text := range registrations {
		status, got := registers(t, s, text)
		if status != http.StatusCreated || got["token_endpoint_auth_method"] != "none" || !strings.HasPrefix(got["client_name"].(string), name) {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}
	id := "https://" + strings.TrimPrefix(s.URL, "http://") + "/assistant.json"
	if page, sent := decides(t, s, session, s.URL+"/oauth/authorize?"+url.Values{"client_id": {id}, "redirect_uri": {callback}}.Encode(), "allow"); sent != nil || !strings.Contains(page, "cannot be carried out") {
		t.Errorf("a document was fetched: %v %s", sent, page)
	}
}

func registers(t *testing.T, s *apitest.Server, text string) (int, m) {
	t.Helper()
	r := s.Nobody(t).Raw(http.MethodPost, "/oauth/register", []byte(text))
	var out m
	if err := json.Unmarshal(r.Body, &out); err != nil {
		t.Errorf("%v: %s", err, r.Body)
	}
	return r.Status, out
}

// Whoever registers is answered on the member's own machine alone, whatever they write into an id.
func TestAttacksByRegistering(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	for text, want := range map[string]string{
		`{"client_name":"x","redirect_uris":["https://evil.example/"]}`: "invalid_redirect_uri", `{"client_name":"x","redirect_uris":["http://127.0.0.1.evil.example/"]}`: "invalid_redirect_uri",
		`{"client_name":"x","redirect_uris":["smb://127.0.0.1/x"]}`: "invalid_redirect_uri", `{"client_name":"x"}`: "invalid_redirect_uri", `[]`: "invalid_client_metadata", ``: "invalid_client_metadata",
		`{"client_name":"x","redirect_uris":["http://localhost/` + strings.Repeat("a", 1500) + `"]}`: "invalid_client_metadata", strings.Repeat(" ", 6000) + `{}`: "invalid_client_metadata",
	} {
		if status, got := registers(t, s, text); status != http.StatusBadRequest || got["error"] != want {
			t.Errorf("%.80s: %d %v", text, status, got)
		}
	}
	status, got := registers(t, s, `{"client_name":"x","redirect_uris":["https://evil.example/","http://127.0.0.1:1/callback"]}`)
	if uris, _ := got["redirect_uris"].([]any); status != http.StatusCreated || len(uris) != 1 || uris[0] != "http://127.0.0.1:1/callback" {
		t.Errorf("%d %v", status, got)
	}
	session := s.As(t, "ada").Token
	made := func(text string) string { return "self." + base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for name, q := range map[string]url.Values{
		"a site":           {"client_id": {made(`{"client_name":"x","grant_types":null,"redirect_uris":["https://evil.example/"]}`)}, "redirect_uri": {"https://evil.example/"}},
		"another address":  {"client_id": {got["client_id"].(string)}, "redirect_uri": {"https://evil.example/"}},
		"another path":     {"client_id": {got["client_id"].(string)}, "redirect_uri": {"http://127.0.0.1:1/other"}},
		"written in a way": {"client_id": {made(`{"client_name":"x", "grant_types":null,"redirect_uris":["http://127.0.0.1:1/callback"]}`)}, "redirect_uri": {"http://127.0.0.1:1/callback"}},
		"nothing":          {"client_id": {"self."}, "redirect_uri": {"http://127.0.0.1:1/callback"}},
	} {
		q.Set("response_type", "code")
		if page, sent := decides(t, s, session, s.URL+"/oauth/authorize?"+q.Encode(), "allow"); sent != nil || !strings.Contains(page, "cannot be carried out") {
			t.Errorf("%s: sent to %v", name, sent)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
