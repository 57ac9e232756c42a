package httpapi_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"stoa/internal/apitest"
	"stoa/internal/app/core"
	"stoa/internal/platform/identity"
	"stoa/internal/platform/store"
	"stoa/internal/platform/store/memberdb"
)

// trusted lets a pipeline publish for a member and answers the publisher's id.
func trusted(t testing.TB, s *apitest.Server, userID string, change m) string {
	t.Helper()
	in := m{"item": userID + "/garden", "issuer": apitest.Pipelines().URL, "repository": "octo/garden"}
	for name, v := range change {
		in[name] = v
	}
	return s.As(t, userID).Post("/api/account/publishers", in).OK(t).Str("data.publisher_id")
}

// trustedByStore keeps a trusted publisher of ada's for an item and a repository that are called as its answer says.
func trustedByStore(t testing.TB, s *apitest.Server) string {
	t.Helper()
	id := "p-" + strings.ReplaceAll(core.NewID(), "-", "")
	write(t, s, func(tx *store.Tx) error {
		return tx.AddTrustedPublisher(memberdb.TrustedPublisher{PublisherID: id, UserID: "ada", Item: "ada/" + id, Issuer: apitest.Pipelines().URL, Repository: "octo/" + id, CreatedAt: 1})
	})
	return id
}

// A run of a trusted pipeline publishes its item, and nothing else is done with what it gets.
func TestPipelinesPublish(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		is := apitest.Pipelines()
		id := trusted(t, s, "ada", m{"workflow": "publish.yml", "environment": "release", "ref": "main"})
		run := is.Token(s.Clock.Now(), "Octo/garden", nil)
		got := s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": run}).OK(t)
		if got.Str("data.user_id") != "ada" || got.Str("data.item_id") != "ada/garden" {
			t.Fatalf("%s", got.Body)
		}
		token := got.Str("data.token")
		if s.Count(t, "api_token WHERE publisher_id = '"+id+"' AND item = 'ada/garden'") != 1 || strings.Contains(s.Rows(t), token) || strings.Contains(s.Log(), token) || strings.Contains(s.Rows(t), run) || strings.Contains(s.Log(), run) {
			t.Error("the token is kept as it is, or not at all")
		}
		ci := s.Nobody(t)
		ci.Token = token
		sent := ci.Post("/api/templates/submit", m{"template_id": "ada/garden", "version": "1.0.0", "prompt": "You keep a garden."}).OK(t)
		if sent.Str("data.template_id") != "ada/garden" || s.Count(t, "submission WHERE user_id = 'ada' AND item_id = 'ada/garden'") != 1 {
			t.Errorf("%s", sent.Body)
		}
		ci.Post("/api/templates/submit", m{"template_id": "ada/other", "version": "1.0.0", "prompt": "You keep a garden."}).Want(t, 403, "permission_denied")
		ci.Get("/api/preferences").Want(t, 403, "permission_denied")
		ci.Get("/api/account/publishers").Want(t, 403, "permission_denied")
		if list := s.As(t, "ada").Get("/api/account/tokens").OK(t); len(list.At("data.tokens").([]any)) != 0 {
			t.Errorf("it is among the member's own: %s", list.Body)
		}
		list := s.As(t, "ada").Get("/api/account/publishers").OK(t)
		if list.Str("data.publishers.0.last_used_at") == "" || list.Str("data.publishers.0.ref") != "refs/heads/main" || list.Str("data.audience") != apitest.WebURL || list.Str("data.issuers.0") != is.URL {
			t.Errorf("%s", list.Body)
		}
		if s.Count(t, "audit_event WHERE action = 'auth.token_exchanged' AND owner = 'ada'") != 1 || s.Count(t, "audit_event WHERE action = 'auth.publisher_added' AND owner = 'ada'") != 1 {
			t.Error("it is not in the audit log")
		}
		s.Clock.Advance(15*time.Minute - time.Second)
		ci.Post("/api/templates/submit", m{"template_id": "ada/other"}).Want(t, 403, "permission_denied")
		s.Clock.Advance(time.Second)
		ci.Post("/api/templates/submit", m{"template_id": "ada/garden"}).Want(t, 401, "unauthorized")
		s.Clock.Advance(24 * time.Hour)
		if err := s.App.SweepOnce(t.Context()); err != nil || s.Count(t, "exchanged_token") != 0 || s.Count(t, "api_token") != 0 {
			t.Errorf("what has ended is still there: %v", err)
		}
		// A pack is held to the item, too.
		trusted(t, s, "ada", m{"item": "ada/*"})
		wide := s.Nobody(t)
		wide.Token = s.Nobody(t).Post("/api/auth/exchange", m{"user_id": "ada", "item_id": "ada/pack", "id_token": is.Token(s.Clock.Now(), "octo/garden", nil)}).OK(t).Str("data.token")
		draft := thing(t, s, operation(t, "submitProfilePack"), "ada")
		wide.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/other"}).Want(t, 403, "permission_denied")
		wide.Post("/api/profile-pack/submit", m{"artifact_id": draft, "pack_id": "ada/pack"}).OK(t)
	})
}

// Every token that is not good is refused by its own word, and writes nothing but the count of refusals.
func TestExchangesThatAreRefused(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		is := apitest.Pipelines()
		other, stop := apitest.NewIssuer()
		defer stop()
		stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		public, err := x509.MarshalPKIXPublicKey(&is.Key.PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		gone := trusted(t, s, "ada", nil)
		s.As(t, "ada").Post("/api/account/publishers/remove", m{"publisher_id": gone}).OK(t)
		trusted(t, s, "bob", m{"workflow": "publish.yml", "environment": "release", "ref": "refs/tags/v*"})
		trusted(t, s, "cyn", nil)
		if err := s.App.SetMemberDisabled(t.Context(), "cyn", true); err != nil {
			t.Fatal(err)
		}
		now := s.Clock.Now()
		tag := func(change m) m {
			all := m{"ref": "refs/tags/v1"}
			for name, v := range change {
				all[name] = v
			}
			return all
		}
		claims := func(change m) m { return is.Claims(now, "octo/garden", tag(change)) }
		none := func(c m) string {
			text, _ := json.Marshal(c)
			return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(text) + "."
		}
		good := is.Token(now, "octo/garden", tag(m{"event_name": "release"}))
		parts := strings.Split(good, ".")
		swapped, _ := json.Marshal(claims(m{"repository": "evil/garden"}))
		n := 0
		for name, try := range map[string]struct{ user, item, token, reason string }{
			"wrong audience":         {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"aud": "https://evil.example"})), "audience_mismatch"},
			"no audience":            {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"aud": nil})), "audience_mismatch"},
			"longer audience":        {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"aud": apitest.WebURL + ".evil.example"})), "audience_mismatch"},
			"another issuer":         {"bob", "bob/garden", other.Token(now, "octo/garden", tag(nil)), "issuer_not_allowed"},
			"another says this":      {"bob", "bob/garden", other.Token(now, "octo/garden", tag(m{"iss": is.URL})), "signature_invalid"},
			"expired":                {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"exp": now.Add(-time.Minute).Unix()})), "token_expired"},
			"good for a year":        {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"iat": now.Add(-25 * time.Hour).Unix(), "exp": now.AddDate(1, 0, 0).Unix()})), "token_expired"},
			"from the future":        {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"iat": now.Add(2 * time.Minute).Unix()})), "token_not_yet_valid"},
			"not before":             {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"nbf": now.Add(2 * time.Minute).Unix()})), "token_not_yet_valid"},
			"no end":                 {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"exp": nil})), "claims_missing"},
			"no number":              {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"jti": nil})), "claims_missing"},
			"no repository":          {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"repository": nil})), "claims_missing"},
			"two shapes":             {"bob", "bob/garden", is.Token(now, "evil/garden", tag(m{"project_path": "octo/garden", "project_id": "1"})), "claims_missing"},
			"a pull request":         {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"event_name": "pull_request"})), "event_not_allowed"},
			"of a fork, with rights": {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"event_name": "pull_request_target"})), "event_not_allowed"},
			"after another run":      {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"event_name": "workflow_run"})), "event_not_allowed"},
			"a merge request":        {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"pipeline_source": "merge_request_event"})), "event_not_allowed"},
			"odd claims":             {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"repository_id": m{"a": 1}})), "claims_missing"},
			"another repository":     {"bob", "bob/garden", is.Token(now, "octo/garden-2", tag(nil)), "no_trusted_publisher"},
			"a fork":                 {"bob", "bob/garden", is.Token(now, "evil/garden", tag(nil)), "no_trusted_publisher"},
			"another workflow":       {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"workflow_ref": "octo/garden/.github/workflows/test.yml@refs/tags/v1"})), "no_trusted_publisher"},
			"a foreign workflow":     {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"workflow_ref": "evil/garden/.github/workflows/publish.yml@refs/tags/v1"})), "no_trusted_publisher"},
			"another environment":    {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"environment": nil})), "no_trusted_publisher"},
			"another ref":            {"bob", "bob/garden", is.Token(now, "octo/garden", tag(m{"ref": "refs/heads/v1"})), "no_trusted_publisher"},
			"another item":           {"bob", "bob/other", good, "no_trusted_publisher"},
			"another member's item":  {"", "ada/garden", good, "no_trusted_publisher"},
			"removed":                {"ada", "ada/garden", good, "no_trusted_publisher"},
			"shut out":               {"cyn", "cyn/garden", good, "no_trusted_publisher"},
			"nobody":                 {"zoe", "zoe/garden", good, "no_trusted_publisher"},
			"none":                   {"bob", "bob/garden", none(claims(nil)), "signature_invalid"},
			"hs256 with the key":     {"bob", "bob/garden", apitest.Signed(jose.HS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), claims(nil)), "signature_invalid"},
			"hs256 with its bytes":   {"bob", "bob/garden", apitest.Signed(jose.HS256, public, claims(nil)), "signature_invalid"},
			"another key":            {"bob", "bob/garden", apitest.Signed(jose.ES256, stranger, claims(nil)), "signature_invalid"},
			"claims exchanged":       {"bob", "bob/garden", parts[0] + "." + base64.RawURLEncoding.EncodeToString(swapped) + "." + parts[2], "signature_invalid"},
			"no token":               {"bob", "bob/garden", "hello", "issuer_not_allowed"},
			"dots":                   {"bob", "bob/garden", "ey..", "issuer_not_allowed"},
			"an access token":        {"bob", "bob/garden", strings.Repeat("e", 16384), "issuer_not_allowed"},
		} {
			before := s.Rows(t, "api_token", "trusted_publisher", "audit_event", "exchanged_token")
			r := s.Nobody(t).Post("/api/auth/exchange", m{"user_id": try.user, "item_id": try.item, "id_token": try.token}).Want(t, 401, "invalid_credentials")
			if r.Str("data.reason") != try.reason || r.Str("message") == "" {
				t.Errorf("%s: %s", name, r.Body)
			}
			if s.Rows(t, "api_token", "trusted_publisher", "audit_event", "exchanged_token") != before {
				t.Errorf("%s has changed something", name)
			}
			if n++; n%20 == 0 { // refusals of an address are counted
				s.App.Accounts.Forget()
				write(t, s, func(tx *store.Tx) error { return tx.ForgetFailures("exchange\x1f127.0.0.1") })
			}
		}
		// What was refused for its item is good for the right one, once.
		s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "bob/garden", "id_token": good}).OK(t)
		if r := s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "bob/garden", "id_token": good}).Want(t, 401, "invalid_credentials"); r.Str("data.reason") != "token_used" {
			t.Errorf("%s", r.Body)
		}
		// The name came into other hands.
		if r := s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "bob/garden", "id_token": is.Token(now, "octo/garden", tag(m{"repository_id": "4712"}))}).Want(t, 401, "invalid_credentials"); r.Str("data.reason") != "no_trusted_publisher" {
			t.Errorf("%s", r.Body)
		}
	})
}

// GitLab's tokens say the same in other claims.
func TestPipelinesOfGitLab(t *testing.T) {
	s := apitest.Start(t, apitest.Engines(t)[0], apitest.Options{})
	is := apitest.Pipelines()
	trusted(t, s, "ada", m{"repository": "group/sub/garden", "workflow": ".gitlab-ci.yml", "ref": "refs/tags/v1"})
	gitlab := func(change m) string {
		all := m{
			"repository": nil, "repository_id": nil, "workflow_ref": nil, "project_path": "group/sub/garden", "project_id": "7", "ref": "v1", "ref_path": "refs/tags/v1", "ref_type": "tag",
			"ci_config_ref_uri": "gitlab.com/group/sub/garden//.gitlab-ci.yml@refs/tags/v1", "environment": nil,
		}
		for name, v := range change {
			all[name] = v
		}
		return is.Token(s.Clock.Now(), "", all)
	}
	s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": gitlab(nil)}).OK(t)
	for _, change := range []m{{"project_path": "other/sub/garden"}, {"ref_path": "refs/heads/v1"}, {"ci_config_ref_uri": "gitlab.com/evil/garden//.gitlab-ci.yml@refs/tags/v1"}, {"ci_config_ref_uri": nil}} {
		if r := s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": gitlab(change)}).Want(t, 401, "invalid_credentials"); r.Str("data.reason") != "no_trusted_publisher" {
			t.Errorf("%v: %s", change, r.Body)
		}
	}
}

// Trust ends with its tokens; it is the member's own and of their own things; shutting a member out ends it for good.
func TestTrustedPublishers(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		is := apitest.Pipelines()
		ada, bob := s.As(t, "ada"), s.As(t, "bob")
		id := trusted(t, s, "ada", nil)
		ci := s.Nobody(t)
		ci.Token = s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": is.Token(s.Clock.Now(), "octo/garden", nil)}).OK(t).Str("data.token")
		ci.Post("/api/templates/submit", m{"template_id": "ada/other"}).Want(t, 403, "permission_denied")
		if r := bob.Post("/api/account/publishers/remove", m{"publisher_id": id}).OK(t); r.At("data.removed") != false {
			t.Errorf("%s", r.Body)
		}
		if r := ada.Post("/api/account/publishers/remove", m{"publisher_id": id}).OK(t); r.At("data.removed") != true {
			t.Errorf("%s", r.Body)
		}
		ci.Post("/api/templates/submit", m{"template_id": "ada/garden"}).Want(t, 401, "unauthorized")
		for _, wrong := range []m{
			{"item": "bob/garden"},
			{"item": "bob/*"},
			{"item": "*"},
			{"item": "/*"},
			{"item": "ada/x/*"},
			{"item": "ada/**"},
			{"item": "garden"},
			{"item": translator},
			{"item": "ada/Garden"},
			{"issuer": "https://gitlab.com"},
			{"issuer": is.URL + "/"},
			{"repository": "garden"},
			{"repository": "*/garden"},
			{"repository": "octo/*"},
			{"repository": "octo/gar den"},
			{"ref": "*v1"},
			{"workflow": "a\x00"},
		} {
			in := m{"item": "ada/garden", "issuer": is.URL, "repository": "octo/garden"}
			for name, v := range wrong {
				in[name] = v
			}
			ada.Post("/api/account/publishers", in).Want(t, 422, "invalid_request")
		}
		if s.Count(t, "trusted_publisher") != 0 {
			t.Error("one of them was taken")
		}
		for range 50 {
			trusted(t, s, "ada", nil)
		}
		ada.Post("/api/account/publishers", m{"item": "ada/garden", "issuer": is.URL, "repository": "octo/garden"}).Want(t, 409, "quota_exceeded")
		// No crowd of tokens, whatever a pipeline asks for.
		for range 20 {
			s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": is.Token(s.Clock.Now(), "octo/garden", nil)}).OK(t)
		}
		s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": is.Token(s.Clock.Now(), "octo/garden", nil)}).Want(t, 429, "rate_limited")
		if err := s.App.SetMemberDisabled(t.Context(), "ada", true); err != nil || s.Count(t, "trusted_publisher") != 0 || s.Count(t, "api_token") != 0 {
			t.Errorf("they are still there: %v", err)
		}
		s.Clock.Advance(11 * time.Minute)
		s.As(t, "bob").Get("/api/account/publishers").OK(t)
	})
}

// Adding one wants a proof of who is there; without it, and where the operator has not turned it on, nothing is taken.
func TestTrustWantsAProof(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		in := m{"item": "ada/garden", "issuer": apitest.Pipelines().URL, "repository": "octo/garden"}
		s.Clock.Advance(11 * time.Minute)
		if r := ada.Post("/api/account/publishers", in).Want(t, 403, "permission_denied"); r.At("data.confirm") != true {
			t.Errorf("%s", r.Body)
		}
		ada.Post("/api/account/confirm", m{"password": apitest.Password}).OK(t)
		ada.Post("/api/account/publishers", in).OK(t)
		s.RestartWith(t, func(o *apitest.Options) { o.App = func(c *core.Config) { c.Pipelines = nil } })
		ada.Post("/api/account/publishers", in).Want(t, 422, "invalid_request")
		token := apitest.Pipelines().Token(s.Clock.Now(), "octo/garden", nil)
		if r := s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": token}).Want(t, 401, "invalid_credentials"); r.Str("data.reason") != "issuer_not_allowed" {
			t.Errorf("%s", r.Body)
		}
		if r := ada.Get("/api/account/publishers").OK(t); len(r.At("data.issuers").([]any)) != 0 || len(r.At("data.publishers").([]any)) != 1 {
			t.Errorf("%s", r.Body)
		}
	})
}

// Refusals of one address are counted, and their issuer is asked for its keys at a bounded rate; one that is away, or that names
// keys at another host, is nobody's fault here.
func TestExchangesAreBounded(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		trusted(t, s, "ada", nil)
		try := func(change m) *apitest.Reply {
			return s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": apitest.Pipelines().Token(s.Clock.Now(), "octo/garden", change)})
		}
		for range 30 {
			try(m{"aud": "x"}).Want(t, 401, "invalid_credentials")
		}
		try(m{"aud": "x"}).Want(t, 429, "rate_limited")
		try(nil).Want(t, 429, "rate_limited")
		s.Clock.Advance(time.Minute)
		try(nil).OK(t)
	})
	is, stop := apitest.NewIssuer()
	defer stop()
	var s *apitest.Server
	s = apitest.Start(t, apitest.Engines(t)[0], apitest.Options{App: func(c *core.Config) {
		made, err := identity.NewPipelines([]string{is.URL}, func() time.Time { return s.Clock.Now() })
		if err != nil {
			t.Fatal(err)
		}
		c.Pipelines = made
	}})
	trusted(t, s, "ada", m{"issuer": is.URL})
	about := func(keys string) m { return m{"issuer": is.URL, "jwks_uri": keys} }
	for i, away := range []any{nil, about("http://169.254.169.254/keys"), about(apitest.Pipelines().URL + "/keys"), m{"issuer": "https://other.example", "jwks_uri": is.URL + "/keys"}, "hello"} {
		is.Answer("/.well-known/openid-configuration", away)
		s.Clock.Advance(time.Minute)
		r := s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": is.Token(s.Clock.Now(), "octo/garden", nil)}).Want(t, 503, "service_unavailable")
		if strings.Contains(string(r.Body), "169.254") || strings.Contains(string(r.Body), is.URL) {
			t.Errorf("%d: %s", i, r.Body)
		}
	}
	is.Answer("/.well-known/openid-configuration", about(is.URL+"/keys"))
	s.Clock.Advance(time.Minute)
	s.Nobody(t).Post("/api/auth/exchange", m{"item_id": "ada/garden", "id_token": is.Token(s.Clock.Now(), "octo/garden", nil)}).OK(t)
	for _, address := range []string{"http://gitlab.example", "gitlab.com", "https://gitlab.com/", "https://u:p@gitlab.com", "https://gitlab.com?x=1", ""} {
		if _, err := identity.NewPipelines([]string{address}, nil); err == nil {
			t.Errorf("%q is taken for an issuer", address)
		}
	}
}
