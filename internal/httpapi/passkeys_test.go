package httpapi_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/passkeytest"
)

// hardware are the authenticators of members, by server.
var hardware sync.Map // of gift

// where the pages are that the tests' passkeys are for.
const passkeyOrigin = "http://localhost"

// withPasskey gives a member a passkey and answers its authenticator.
func withPasskey(t testing.TB, s *apitest.Server, userID string) *passkeytest.Authenticator {
	t.Helper()
	key := gift{s, userID, "passkey"}
	if a, ok := hardware.Load(key); ok && s.Count(t, "passkey WHERE user_id = '"+userID+"'") > 0 {
		return a.(*passkeytest.Authenticator)
	}
	a := passkeytest.New()
	c := s.As(t, userID)
	c.Post("/api/account/passkeys", offered(t, s, userID, a)).OK(t)
	hardware.Store(key, a)
	return a
}

// offered is what a new passkey is added with.
func offered(t testing.TB, s *apitest.Server, userID string, a *passkeytest.Authenticator) m {
	t.Helper()
	c := s.As(t, userID).With("Host", "localhost")
	began := c.Post("/api/account/passkeys/begin", m{}).OK(t)
	options, err := json.Marshal(began.At("data.options"))
	if err != nil {
		t.Fatal(err)
	}
	return m{"label": "my key", "attempt_id": began.Str("data.attempt_id"), "credential": a.Create(t, options)}
}

// proof is what a passkey says to a new challenge.
func proof(t testing.TB, s *apitest.Server, a *passkeytest.Authenticator) m {
	t.Helper()
	began := s.Nobody(t).With("Host", "localhost").Post("/api/login/passkey/begin", m{}).OK(t)
	options, err := json.Marshal(began.At("data.options"))
	if err != nil {
		t.Fatal(err)
	}
	return m{"attempt_id": began.Str("data.attempt_id"), "credential": a.Assert(t, options)}
}

func TestPasskeysSignInWithoutAPassword(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada, a := s.As(t, "ada"), passkeytest.New()
		if ada.Get("/api/account").OK(t).At("data.passkeys") != float64(0) {
			t.Error("there is a passkey already")
		}
		added := ada.Post("/api/account/passkeys", offered(t, s, "ada", a)).OK(t)
		id := added.Str("data.passkey_id")
		want(t, added, m{"data.label": "my key", "data.host": "localhost", "data.synced": false, "data.last_used_at": "", "data.user_id": "ada"})
		s.Clock.Advance(time.Hour)
		in := s.Nobody(t).Post("/api/login/passkey", proof(t, s, a)).OK(t)
		want(t, in, m{"user_id": "ada", "role": "member"})
		signed := s.Nobody(t)
		signed.Token = in.Str("token")
		want(t, signed.Get("/api/account").OK(t), m{"data.user_id": "ada", "data.passkeys": float64(1)})
		list := signed.Get("/api/account/passkeys").OK(t)
		if list.Str("data.passkeys.0.last_used_at") == "" || list.Str("data.passkeys.0.passkey_id") != id {
			t.Errorf("%s", list.Body)
		}

		// Each answer is good once, for five minutes, and for this server's pages.
		once := proof(t, s, a)
		s.Nobody(t).Post("/api/login/passkey", once).OK(t)
		s.Nobody(t).Post("/api/login/passkey", once).Want(t, 401, "invalid_credentials")
		late := proof(t, s, a)
		s.Clock.Advance(accounts.PasskeyAttemptTTL)
		s.Nobody(t).Post("/api/login/passkey", late).Want(t, 401, "invalid_credentials")
		a.Origin = "https://stoa.evil.example"
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, a)).Want(t, 401, "invalid_credentials")
		a.Origin = passkeyOrigin
		// A copy is refused, and said in the audit log.
		a.Counter = 0
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, a)).Want(t, 401, "invalid_credentials")
		if s.Count(t, "audit_event WHERE action = 'auth.passkey_copied' AND owner = 'ada'") != 1 {
			t.Error("the copy is not in the audit log")
		}
		a.Counter = 100
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, a)).OK(t)

		// A passkey that is copied to other devices, for another name of the server.
		other := s.As(t, "bob").With("Host", "stoa.example")
		began := other.Post("/api/account/passkeys/begin", m{}).OK(t)
		options, err := json.Marshal(began.At("data.options"))
		if err != nil {
			t.Fatal(err)
		}
		b := passkeytest.New()
		b.Synced = true
		copied := other.Post("/api/account/passkeys", m{"label": "cloud", "attempt_id": began.Str("data.attempt_id"), "credential": b.Create(t, options)}).OK(t)
		want(t, copied, m{"data.host": "stoa.example", "data.synced": true, "data.user_id": "bob"})
		if len(other.Get("/api/account/passkeys").OK(t).Str("data.passkeys.0.passkey_id")) == 0 {
			t.Error("the list is empty")
		}
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, b)).Want(t, 401, "invalid_credentials") // for localhost it is none

		// Another name, and the end.
		signed = s.As(t, "ada")
		want(t, signed.Post("/api/account/passkeys/rename", m{"passkey_id": id, "label": "my phone"}).OK(t), m{"data.label": "my phone", "data.passkey_id": id})
		s.As(t, "bob").Post("/api/account/passkeys/rename", m{"passkey_id": id, "label": "mine"}).Want(t, 404, "not_found")
		want(t, s.As(t, "bob").Post("/api/account/passkeys/remove", m{"passkey_id": id}).OK(t), m{"data.removed": false})
		want(t, signed.Post("/api/account/passkeys/remove", m{"passkey_id": id}).OK(t), m{"data.removed": true})
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, a)).Want(t, 401, "invalid_credentials")
		for _, action := range []string{"auth.passkey_added", "auth.passkey_renamed", "auth.passkey_removed"} {
			if s.Count(t, "audit_event WHERE action = '"+action+"' AND owner = 'ada'") != 1 {
				t.Errorf("%s is not in the audit log once", action)
			}
		}
		if text := s.Rows(t, "passkey_attempt"); strings.Contains(text, once["attempt_id"].(string)) {
			t.Error("the attempt's own name is kept")
		}
	})
}

// A passkey proves again who somebody is, to whom it belongs alone; that also serves whoever has no password.
func TestAPasskeyConfirmsASession(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		a := withPasskey(t, s, "ada")
		ada := s.As(t, "ada")
		s.Clock.Advance(accounts.ConfirmFor)
		ada.Post("/api/account/passkeys/begin", m{}).Want(t, 403, "permission_denied")
		ada.Post("/api/account/passkeys/remove", m{"passkey_id": "x"}).Want(t, 403, "permission_denied")
		s.As(t, "bob").Post("/api/account/confirm", proof(t, s, a)).Want(t, 401, "invalid_credentials")
		first := ada.Post("/api/account/confirm", proof(t, s, a)).OK(t).Str("data.confirmed_until")
		s.Clock.Advance(time.Minute)
		if again := ada.Post("/api/account/confirm", proof(t, s, a)).OK(t).Str("data.confirmed_until"); first == "" || again <= first {
			t.Errorf("confirmed until %q, then until %q", first, again)
		}
		ada.Post("/api/account/passkeys/begin", m{}).OK(t)
	})
}

func TestPasskeysAreBounded(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		ada := s.As(t, "ada")
		for range 20 {
			ada.Post("/api/account/passkeys", offered(t, s, "ada", passkeytest.New())).OK(t)
		}
		ada.Post("/api/account/passkeys/begin", m{}).Want(t, 409, "quota_exceeded")
		// A challenge of ada's is no use to bob.
		cyns := offered(t, s, "cyn", passkeytest.New())
		s.As(t, "bob").Post("/api/account/passkeys", cyns).Want(t, 401, "invalid_credentials")
		s.As(t, "cyn").Post("/api/account/passkeys", cyns).OK(t)
		long := m{"attempt_id": "x", "credential": m{"id": strings.Repeat("A", 40_000)}}
		s.Nobody(t).Post("/api/login/passkey", long).Want(t, 422, "invalid_request")
		refused := 0
		for range 200 {
			if s.Nobody(t).Do("POST", "/api/login/passkey/begin", []byte(`{}`)).Status == 429 {
				refused++
			}
		}
		if refused < 90 {
			t.Errorf("%d of 200 challenges were refused", refused)
		}
		s.Clock.Advance(accounts.PasskeyAttemptTTL)
		sweep(t, s)
		if n := s.Count(t, "passkey_attempt"); n != 0 {
			t.Errorf("%d old challenges are left", n)
		}
	})
}

// Who is shut out is so with their passkeys too, and comes back without; who wishes to be deleted may still sign in and stay.
func TestPasskeysEndWithTheMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		a := withPasskey(t, s, "ada")
		s.As(t, "ada").Post("/api/account/deletion", m{}).OK(t)
		back := s.Nobody(t)
		back.Token = back.Post("/api/login/passkey", proof(t, s, a)).OK(t).Str("token")
		back.Post("/api/account/deletion/cancel", m{}).OK(t)
		for _, disabled := range []bool{true, false} {
			if err := s.App.SetMemberDisabled(t.Context(), "ada", disabled); err != nil {
				t.Fatal(err)
			}
			s.Nobody(t).Post("/api/login/passkey", proof(t, s, a)).Want(t, 401, "invalid_credentials")
		}
		b := withPasskey(t, s, "bob")
		if err := s.App.SetMemberPassword(t.Context(), "bob", "another long passphrase"); err != nil {
			t.Fatal(err)
		}
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, b)).Want(t, 401, "invalid_credentials")
		c := withPasskey(t, s, "cyn")
		files := archived(t, s.As(t, "cyn").Get("/api/account/export").Body)
		if text := files["data/passkey.json"]; !strings.Contains(text, "my key") || strings.Contains(text, `"record"`) || strings.Contains(text, `"user_handle"`) {
			t.Errorf("the export says of passkeys: %s", text)
		}
		s.As(t, "cyn").Post("/api/account/deletion", m{}).OK(t)
		s.Clock.Advance(core.DefaultAccountGrace)
		sweep(t, s)
		if s.Count(t, "passkey WHERE user_id = 'cyn'") != 0 {
			t.Error("a deleted member's passkey is left")
		}
		s.Nobody(t).Post("/api/login/passkey", proof(t, s, c)).Want(t, 401, "invalid_credentials")
	})
}

// At the console a passkey signs in and serves as the second step, for whoever is signed in and has a role.
func TestPasskeysAtTheConsole(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		browser := consoleFor(t, s)
		inCharge(t, s, "rita", "reviewer")
		inCharge(t, s, "otto", "operator")
		inCharge(t, s, "mona")
		otto := browser()
		at := strings.Replace(otto.base, "127.0.0.1", "localhost", 1)
		said := func(c *consoleClient, a *passkeytest.Authenticator) m {
			began := c.want(200, "", "POST", "/console/api/passkey", m{})
			options, err := json.Marshal(began["options"])
			if err != nil {
				t.Fatal(err)
			}
			a.Origin = at
			out := m{"attempt_id": began["attempt_id"], "credential": a.Assert(t, options)}
			a.Origin = ""
			return out
		}
		mine, ritas, monas := withPasskey(t, s, "otto"), withPasskey(t, s, "rita"), withPasskey(t, s, "mona")
		otto.signIn("otto")
		invite := m{"user_id": "newcomer"}
		otto.want(403, "permission_denied", "POST", "/console/api/members", invite)
		otto.want(401, "invalid_credentials", "POST", "/console/api/confirm", said(otto, ritas))
		otto.want(403, "permission_denied", "POST", "/console/api/members", invite)
		if me := otto.want(200, "", "POST", "/console/api/confirm", said(otto, mine)); me["confirmed_until"] == "" {
			t.Errorf("%v", me)
		}
		otto.want(200, "", "POST", "/console/api/members", invite)
		again := browser()
		once := said(again, mine)
		again.want(200, "", "POST", "/console/api/login", once)
		again.want(200, "", "POST", "/console/api/members/newcomer/disable", m{}) // it was proved just now
		browser().want(401, "invalid_credentials", "POST", "/console/api/login", once)
		browser().want(401, "invalid_credentials", "POST", "/console/api/login", said(otto, monas)) // no role
		// What proves something to members' pages proves nothing here: they are at another address.
		browser().want(200, "", "POST", "/console/api/passkey", m{})
		browser().want(401, "invalid_credentials", "POST", "/console/api/login", m{"attempt_id": said(otto, mine)["attempt_id"], "credential": proof(t, s, mine)["credential"]})
	})
}
