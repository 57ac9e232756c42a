package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"stoa/internal/apitest"
	"stoa/internal/httpapi"
	"stoa/internal/platform/clientdoc"
)

const callback = "http://127.0.0.1:9/callback"

// assistantsSite is where an assistant's maker says what it is.
func assistantsSite(t *testing.T) (id string, o apitest.Options) {
	t.Helper()
	site := httptest.NewUnstartedServer(nil)
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"client_id":"https://%s/assistant.json","client_name":"Test <b>assistant","redirect_uris":[%q],"grant_types":["authorization_code","refresh_token"]}`, r.Host, callback)
	})
	site.StartTLS()
	t.Cleanup(site.Close)
	fetch := clientdoc.New(site.Client().Transport.(*http.Transport), func(netip.AddrPort) bool { return true })
	return site.URL + "/assistant.json", apitest.Options{HTTP: func(c *httpapi.Config) { c.ClientDocs = fetch }}
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// decides is a browser of a member's, who decides on what is asked. It does not follow where it is sent.
func decides(t testing.TB, s *apitest.Server, cookie, address, decision string) (page string, sent *url.URL) {
	t.Helper()
	do := func(method, address string, form url.Values) (*http.Response, string) {
		req, _ := http.NewRequest(method, address, strings.NewReader(form.Encode()))
		req.Header.Set("Cookie", "stoa_session="+cookie)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if method == "POST" {
			req.Header.Set("Sec-Fetch-Site", "same-origin")
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		text := bodyOf(t, res)
		return res, text
	}
	res, page := do("GET", address, nil)
	if res.StatusCode != 200 {
		return page, location(res)
	}
	form := url.Values{"decision": {decision}}
	for _, f := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(f[1], html.UnescapeString(f[2]))
	}
	res, _ = do("POST", s.URL+"/oauth/authorize", form)
	return page, location(res)
}

func bodyOf(t testing.TB, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func location(res *http.Response) *url.URL {
	u, err := res.Location()
	if err != nil {
		return nil
	}
	return u
}

// The SDK's own client signs in without a token set by hand: it is refused, finds the metadata, sends the member to consent,
// redeems the code with PKCE, asks for more when it must write, and refreshes.
func TestAssistantSignsIn(t *testing.T) {
	id, o := assistantsSite(t)
	s := apitest.Start(t, apitest.Engines(t)[0], o)
	session := s.As(t, "ada").Token
	var pages []string
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{URL: id}, RedirectURL: callback, RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			page, sent := decides(t, s, session, args.URL, "allow")
			pages = append(pages, page)
			if sent == nil || !strings.HasPrefix(sent.String(), callback+"?") {
				return nil, fmt.Errorf("sent to %v by %s", sent, page)
			}
			q := sent.Query()
			return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	a, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp", OAuthHandler: handler, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Log())
	}
	defer a.Close()
	if out, _ := asked(t, a, "installed", m{}); out["operation"] != "listMemberInstallations" || out["data"].(m)["user_id"] != "ada" {
		t.Fatalf("%v", out)
	}
	if len(pages) != 1 || !strings.Contains(pages[0], "signed in as <strong>ada</strong>") || strings.Contains(pages[0], "<b>") || strings.Contains(pages[0], "<script") || strings.Contains(pages[0], "Write: record") {
		t.Errorf("%d pages: %s", len(pages), pages)
	}
	if s.Count(t, "api_token WHERE scope = 'read' AND audience = '"+s.URL+"/mcp' AND grant_id <> ''") != 1 {
		t.Error("the token is not for reading at /mcp alone")
	}
	// To write it must ask again.
	limits := apitest.Atom("", "limits")
	question, _ := asked(t, a, "question", m{"atom_id": limits})
	in := m{"atom_id": limits, "question_id": question["data"].(m)["question"].(m)["questionId"], "answer": "the value that terms approach", "outcome": "correct", "idempotency_key": "answer-one"}
	if _, r := asked(t, a, "answer", in); r.IsError || s.Count(t, "observation WHERE user_id = 'ada'") != 1 || len(pages) != 2 || !strings.Contains(pages[1], "Write: record") {
		t.Errorf("%+v, %d pages", r, len(pages))
	}
	tokens, err := handler.TokenSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now, err := tokens.Token()
	if err != nil || now.RefreshToken == "" {
		t.Fatalf("%+v %v", now, err)
	}
	onlyAtMCP(t, s, now)
	refreshes(t, s, id, now)
}

// onlyAtMCP sees that an assistant's token is good at its resource and nowhere else.
func onlyAtMCP(t *testing.T, s *apitest.Server, token *oauth2.Token) {
	t.Helper()
	c := s.Nobody(t)
	c.Token = token.AccessToken
	c.Get("/api/preferences").Want(t, 401, "unauthorized")
	if r := rpc(c, "/mcp", "tools/list", "", nil); r.Status != 200 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}

// refreshes rotates a refresh token, and sees that a copy of an old one ends everything.
func refreshes(t *testing.T, s *apitest.Server, id string, token *oauth2.Token) {
	t.Helper()
	form := func(refresh, client string) url.Values {
		return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {client}}
	}
	if status, got := posted(t, s, "/oauth/token", form(token.RefreshToken, "https://evil.example/x")); status != 400 || got["error"] != "invalid_grant" {
		t.Errorf("another client refreshes: %d %v", status, got)
	}
	s.Clock.Advance(2 * time.Hour)
	status, got := posted(t, s, "/oauth/token", form(token.RefreshToken, id))
	if status != 200 || got["refresh_token"] == token.RefreshToken || got["scope"] != "read write" {
		t.Fatalf("%d %v", status, got)
	}
	c := s.Nobody(t)
	c.Token = got["access_token"].(string)
	if r := rpc(c, "/mcp", "tools/list", "", nil); r.Status != 200 {
		t.Errorf("after a refresh: %d", r.Status)
	}
	if status, again := posted(t, s, "/oauth/token", form(token.RefreshToken, id)); status != 400 {
		t.Errorf("an old refresh token: %d %v", status, again)
	}
	if status, again := posted(t, s, "/oauth/token", form(got["refresh_token"].(string), id)); status != 400 {
		t.Errorf("after an old one was used: %d %v", status, again)
	}
	if r := rpc(c, "/mcp", "tools/list", "", nil); r.Status != 401 {
		t.Errorf("the access token after an old refresh token was used: %d", r.Status)
	}
}

func posted(t testing.TB, s *apitest.Server, path string, form url.Values) (int, m) {
	t.Helper()
	res, err := http.PostForm(s.URL+path, form)
	if err != nil {
		t.Fatal(err)
	}
	var out m
	if err := json.Unmarshal([]byte(bodyOf(t, res)), &out); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, out
}

// Nobody gets a code by a request that is not the assistant's, and a code is worth nothing without what began the sign-in.
func TestAttacksOnTheSignIn(t *testing.T) {
	id, o := assistantsSite(t)
	s := apitest.Start(t, apitest.Engines(t)[0], o)
	session := s.As(t, "ada").Token
	verifier := oauth2.GenerateVerifier()
	good := url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {callback}, "state": {"s&1"}, "scope": {"read"}, "resource": {s.URL + "/mcp"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}, "code_challenge_method": {"S256"},
	}
	with := func(name, value string) string {
		q := url.Values{}
		for k, v := range good {
			q[k] = v
		}
		q.Set(name, value)
		return s.URL + "/oauth/authorize?" + q.Encode()
	}
	for _, c := range []struct{ name, value, want string }{ // want "" is a page that sends nobody anywhere
		{"redirect_uri", "https://evil.example/", ""},
		{"redirect_uri", "javascript:alert(1)", ""},
		{"client_id", "https://127.0.0.1:1/x", ""},
		{"client_id", "x", ""},
		{"client_id", s.URL + "/mcp", ""},
		{"response_type", "token", "unsupported_response_type"},
		{"code_challenge_method", "plain", "invalid_request"},
		{"code_challenge", "", "invalid_request"},
		{"scope", "read admin", "invalid_scope"},
		{"resource", "https://other.example/mcp", "invalid_target"},
	} {
		page, sent := decides(t, s, session, with(c.name, c.value), "allow")
		switch {
		case c.want == "" && (sent != nil || !strings.Contains(page, "cannot be carried out")):
			t.Errorf("%s=%s: sent to %v, %s", c.name, c.value, sent, page)
		case c.want != "" && (sent == nil || sent.Query().Get("error") != c.want || sent.Query().Get("iss") != s.URL || sent.Query().Get("state") != "s&1" || sent.Query().Has("code")):
			t.Errorf("%s=%s: sent to %v", c.name, c.value, sent)
		}
	}
	if _, sent := decides(t, s, session, with("state", "x"), "deny"); sent == nil || sent.Query().Get("error") != "access_denied" {
		t.Errorf("a refusal: %v", sent)
	}
	read := withToken(t, s, "ada", "write")
	for name, cookie := range map[string]string{"nobody": "", "an API token": read.Token} {
		if page, sent := decides(t, s, cookie, with("state", "x"), "allow"); sent != nil || !strings.Contains(page, "Sign in") {
			t.Errorf("%s: sent to %v, %s", name, sent, page)
		}
	}
	// Another site's page cannot press the button.
	for _, header := range []m{{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}} {
		form := url.Values{"decision": {"allow"}}
		for k, v := range good {
			form[k] = v
		}
		req, _ := http.NewRequest("POST", s.URL+"/oauth/authorize", strings.NewReader(form.Encode()))
		req.Header.Set("Cookie", "stoa_session="+session)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		for k, v := range header {
			req.Header.Set(k, v.(string))
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != 403 || s.Count(t, "oauth_code") != 0 {
			t.Errorf("%v: %d", header, res.StatusCode)
		}
	}
	code := func() string {
		_, sent := decides(t, s, session, with("state", "x"), "allow")
		return sent.Query().Get("code")
	}
	redeem := url.Values{"grant_type": {"authorization_code"}, "client_id": {id}, "redirect_uri": {callback}, "code_verifier": {verifier}}
	for _, c := range []struct{ name, value string }{
		{"code_verifier", oauth2.GenerateVerifier()}, {"code_verifier", ""}, {"client_id", "https://evil.example/x"}, {"redirect_uri", "http://127.0.0.1:10/callback"}, {"resource", "https://other.example/mcp"},
	} {
		form := url.Values{"code": {code()}}
		for k, v := range redeem {
			form[k] = v
		}
		form.Set(c.name, c.value)
		if status, got := posted(t, s, "/oauth/token", form); status != 400 || got["error"] != "invalid_grant" {
			t.Errorf("%s=%s: %d %v", c.name, c.value, status, got)
		}
		form.Set(c.name, redeem.Get(c.name))
		if status, got := posted(t, s, "/oauth/token", form); status != 400 {
			t.Errorf("the code of a failed attempt with %s: %d %v", c.name, status, got)
		}
	}
	redeem.Set("code", code())
	status, got := posted(t, s, "/oauth/token", redeem)
	if status != 200 || got["scope"] != "read" {
		t.Fatalf("%d %v", status, got)
	}
	// A code that comes again was seen by somebody else: it gives nothing, and what it gave ends.
	if status, again := posted(t, s, "/oauth/token", redeem); status != 400 || s.Count(t, "oauth_grant") != 0 || s.Count(t, "api_token WHERE grant_id <> ''") != 0 {
		t.Errorf("a code a second time: %d %v", status, again)
	}
	redeem.Set("code", code())
	if status, got = posted(t, s, "/oauth/token", redeem); status != 200 {
		t.Fatalf("%d %v", status, got)
	}
	// Taken back by the member, the tokens are worth nothing at once.
	c := s.Nobody(t)
	c.Token = got["access_token"].(string)
	ada := s.As(t, "ada")
	tokens := ada.Get("/api/account/tokens").OK(t)
	for _, one := range tokens.At("data.tokens").([]any) {
		if one.(m)["client_id"] == id {
			ada.Post("/api/account/tokens/revoke", m{"token_id": one.(m)["token_id"]}).OK(t)
		}
	}
	if r := rpc(c, "/mcp", "tools/list", "", nil); r.Status != 401 {
		t.Errorf("after it was taken back: %d", r.Status)
	}
	redeem.Set("code", code())
	s.Clock.Advance(time.Minute)
	if status, got := posted(t, s, "/oauth/token", redeem); status != 400 {
		t.Errorf("a code after a minute: %d %v", status, got)
	}
}

// A link sends nobody to a site before they have decided, though the site is the assistant's own.
func TestAnAssistantsSiteIsNoWayOut(t *testing.T) {
	site := httptest.NewUnstartedServer(nil)
	asked := 0
	site.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		fmt.Fprintf(w, `{"client_id":"https://%s%s","client_name":"x","redirect_uris":["https://evil.example/in"]}`, r.Host, r.URL.Path)
	})
	site.StartTLS()
	defer site.Close()
	docs := clientdoc.New(site.Client().Transport.(*http.Transport), func(netip.AddrPort) bool { return true })
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{HTTP: func(c *httpapi.Config) { c.ClientDocs = docs }})
	session := s.As(t, "ada").Token
	q := url.Values{
		"response_type": {"code"}, "client_id": {site.URL + "/a"}, "redirect_uri": {"https://evil.example/in"}, "scope": {"bogus"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(oauth2.GenerateVerifier())}, "code_challenge_method": {"S256"},
	}
	if page, sent := decides(t, s, session, s.URL+"/oauth/authorize?"+q.Encode(), "allow"); sent != nil || !strings.Contains(page, "cannot be carried out") {
		t.Errorf("sent to %v", sent)
	}
	q.Set("scope", "read")
	if _, sent := decides(t, s, session, s.URL+"/oauth/authorize?"+q.Encode(), "deny"); sent == nil || sent.Host != "evil.example" {
		t.Errorf("after a decision: %v", sent)
	}
	// Nobody makes the server ask others all the time.
	refused := 0
	for i := range 40 {
		q.Set("client_id", fmt.Sprintf("%s/%d", site.URL, i))
		req, _ := http.NewRequest("GET", s.URL+"/oauth/authorize?"+q.Encode(), nil)
		req.Header.Set("Cookie", "stoa_session="+session)
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode == 429 {
			refused++
		}
	}
	if asked > 10 || refused < 30 {
		t.Errorf("%d documents were fetched, %d requests refused", asked, refused)
	}
}
