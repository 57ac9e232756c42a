package httpapi_test

import (
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"stoa/internal/apitest"
	"stoa/internal/app"
	"stoa/internal/app/accounts"
	"stoa/internal/app/core"
	"stoa/internal/platform/account"
	"stoa/internal/platform/clock"
	"stoa/internal/platform/errs"
	"stoa/internal/platform/store"
)

func right(user string) m { return m{"user_id": user, "password": apitest.Password} }
func wrong(user string) m { return m{"user_id": user, "password": "not the password"} }

func TestLogin(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t)
		r := c.Post("/api/login", right("ada")).OK(t)
		if r.Str("token") != r.Str("data.token") || len(r.Str("token")) != 43 || r.Str("data.user_id") != "ada" || r.Str("data.expires_at") != "2026-03-02T11:00:00.000Z" {
			t.Errorf("login: %s", r.Body)
		}
		c.Token = r.Str("token")
		if got := c.Get("/api/preferences").OK(t).Str("data.user_id"); got != "ada" {
			t.Errorf("signed in as %q", got)
		}
		if s.Count(t, "session WHERE token_hash = '"+c.Token+"'") != 0 || s.Count(t, "session WHERE token_hash = '"+account.TokenHash(c.Token)+"'") != 1 {
			t.Error("the token itself is stored, or its hash is not")
		}
		nobody := s.Nobody(t)
		for _, body := range []m{
			wrong("ada"),
			{"user_id": "ada"},
			{"user_id": "ada", "password": ""},
			{"user_id": "ada", "password": " " + apitest.Password},
			{"user_id": "ADA", "password": apitest.Password},
			right("nobody-here"), right("dan"),
			{"password": apitest.Password},
			{},
			{"user_id": "ada' OR '1'='1", "password": apitest.Password},
			{"sign_in_token": "x"},
		} {
			nobody.Post("/api/login", body).Want(t, 401, "invalid_credentials")
		}
		// A wrong name and a wrong password are not to be told apart.
		if a, b := nobody.Post("/api/login", wrong("ada")), nobody.Post("/api/login", wrong("nobody-here")); string(a.Body) != string(b.Body) {
			t.Errorf("%s\n%s", a.Body, b.Body)
		}
		nobody.Post("/api/login", m{"userId": "bob", "password": apitest.Password, "role": "user"}).OK(t)
		nobody.Post("/api/login", m{"user_id": "bob", "password": apitest.Password, "role": "admin"}).Want(t, 422, "invalid_request")
		// Without a name the default member is meant.
		if err := s.App.AddMember(t.Context(), apitest.DefaultMember, apitest.Password); err != nil {
			t.Fatal(err)
		}
		if r := nobody.Post("/api/login", m{"password": apitest.Password}).OK(t); r.Str("data.user_id") != apitest.DefaultMember {
			t.Errorf("without a name: %s", r.Body)
		}
	})
}

func TestLoginIsThrottledByMember(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t)
		fail := func(n int) {
			t.Helper()
			for range n {
				c.Post("/api/login", wrong("ada")).Want(t, 401, "invalid_credentials")
			}
		}
		fail(9)
		c.Post("/api/login", right("ada")).OK(t) // a success clears the count
		fail(10)
		s.Clock.Advance(20 * time.Second)
		for _, body := range []m{wrong("ada"), right("ada")} {
			r := c.Post("/api/login", body).Want(t, 429, "rate_limited")
			if r.Header.Get("Retry-After") != "40" {
				t.Errorf("Retry-After %s, want 40", r.Header.Get("Retry-After"))
			}
		}
		c.Post("/api/login", right("bob")).OK(t)                        // another member,
		c.From("10.0.0.9").Post("/api/login", right("ada")).OK(t)       // another address
		c.Post("/api/login", right("ada")).Want(t, 429, "rate_limited") // have no part in it
		s.Clock.Advance(40*time.Second - time.Microsecond)
		c.Post("/api/login", right("ada")).Want(t, 429, "rate_limited")
		s.Clock.Advance(time.Microsecond)
		c.Post("/api/login", right("ada")).OK(t)
	})
}

func TestLoginIsThrottledByAddress(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t).From("10.0.0.1")
		err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
			for range 96 { // failures of before, without their passwords
				if _, _, err := tx.CountFailure("login\x1f10.0.0.1", time.Minute.Microseconds()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			c.Post("/api/login", wrong("nobody-"+strconv.Itoa(i))).Want(t, 401, "invalid_credentials")
		}
		c.Post("/api/login", right("ada")).Want(t, 429, "rate_limited")
		c.Post("/api/login", m{"sign_in_token": "x"}).Want(t, 429, "rate_limited")
		s.Nobody(t).From("10.0.0.2").Post("/api/login", right("ada")).OK(t)
		s.Clock.Advance(time.Minute)
		c.Post("/api/login", right("ada")).OK(t)
	})
}

// Failures on one node count on the other: the budget is in the store.
func TestLoginIsThrottledAcrossNodes(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		other := app.New(s.Store, nil, s.Clock.Now, slog.New(slog.DiscardHandler), core.Config{AuthRequired: true})
		here, there := s.Nobody(t).From("192.0.2.7"), core.Caller{Remote: "192.0.2.7"}
		for range 5 {
			here.Post("/api/login", wrong("ada")).Want(t, 401, "invalid_credentials")
			if _, err := other.Login(t.Context(), there, accounts.LoginInput{UserID: "ada", Password: "not the password"}); errs.CodeOf(err) != errs.InvalidCredentials {
				t.Errorf("the other node: %v", err)
			}
		}
		here.Post("/api/login", right("ada")).Want(t, 429, "rate_limited")
		if _, err := other.Login(t.Context(), there, accounts.LoginInput{UserID: "ada", Password: apitest.Password}); errs.CodeOf(err) != errs.RateLimited {
			t.Errorf("the other node: %v", err)
		}
	})
}

func TestFiftyWrongLoginsAtOnce(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t)
		replies := make([]*apitest.Reply, 50)
		together(len(replies), func(i int) { replies[i] = c.Post("/api/login", wrong("ada")) })
		counts := map[string]int{}
		for _, r := range replies {
			counts[r.Code()]++
		}
		if counts["invalid_credentials"] != 10 || counts["rate_limited"] != 40 {
			t.Errorf("%v, want exactly 10 looked at and 40 throttled", counts)
		}
	})
}

// link makes a one-time sign-in link.
func link(t *testing.T, s *apitest.Server, user string) (token string) {
	t.Helper()
	token = account.NewToken()
	err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.AddSignInLink(account.TokenHash(token), user, clock.Micros(tx.Now.Add(accounts.SignInLinkTTL)))
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestSignInLinksWorkOnce(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		token := link(t, s, "ada")
		replies := make([]*apitest.Reply, 20)
		together(len(replies), func(i int) {
			replies[i] = s.Nobody(t).From("10.0.1."+strconv.Itoa(i)).Post("/api/login", m{"sign_in_token": token})
		})
		in := 0
		for _, r := range replies {
			if r.Status == 200 {
				in++
				if r.Str("data.user_id") != "ada" {
					t.Errorf("signed in as %s", r.Body)
				}
			} else {
				r.Want(t, 401, "invalid_credentials")
			}
		}
		if in != 1 {
			t.Errorf("the link let %d in", in)
		}
		c := s.Nobody(t).From("10.0.2.1")
		old := link(t, s, "ada")
		s.Clock.Advance(accounts.SignInLinkTTL)
		c.Post("/api/login", m{"sign_in_token": old}).Want(t, 401, "invalid_credentials")
		c.Post("/api/login", m{"sign_in_token": link(t, s, "dan")}).Want(t, 401, "invalid_credentials") // disabled
		before := link(t, s, "bob")
		if err := s.App.SetMemberPassword(t.Context(), "bob", "another long password"); err != nil {
			t.Fatal(err)
		}
		c.Post("/api/login", m{"sign_in_token": before}).Want(t, 401, "invalid_credentials") // of before the change
	})
}

func TestTheFirstMember(t *testing.T) {
	apitest.Each(t, apitest.Options{Empty: true}, func(t *testing.T, s *apitest.Server) {
		password, token, err := s.App.FirstMember(t.Context())
		if err != nil || password == "" || token == "" {
			t.Fatal(password, token, err)
		}
		if p, l, err := s.App.FirstMember(t.Context()); p != "" || l != "" || err != nil {
			t.Errorf("a second time: %q %q %v", p, l, err)
		}
		s.Nobody(t).Post("/api/login", m{"password": password}).OK(t)
		s.Nobody(t).Post("/api/login", m{"sign_in_token": token}).OK(t)
	})
}

func TestSignup(t *testing.T) {
	apitest.Each(t, apitest.Options{}, func(t *testing.T, s *apitest.Server) {
		s.Nobody(t).Post("/api/signup", right("newcomer")).Want(t, 403, "signup_closed")
	})
	apitest.Each(t, apitest.Options{SignupOpen: true, Anonymous: true}, func(t *testing.T, s *apitest.Server) {
		c := s.Nobody(t)
		r := c.Post("/api/signup", right("newcomer")).OK(t)
		c.Token = r.Str("token")
		if c.Get("/api/preferences").OK(t).Str("data.user_id") != "newcomer" {
			t.Error("signing up did not sign in")
		}
		c.Post("/api/login", right("newcomer")).OK(t)
		for _, taken := range []string{"newcomer", "ada", "dan", apitest.AnonymousMember, core.Operator.UserID} {
			c.Post("/api/signup", right(taken)).Want(t, 409, "user_id_taken")
		}
		for _, bad := range []string{"x", "-dash", "a b", "ä-user", strings.Repeat("x", 65), ""} {
			c.Post("/api/signup", right(bad)).Want(t, 422, "invalid_request")
		}
		for _, bad := range []string{"", "short", strings.Repeat("x", 11), strings.Repeat("x", 1025)} {
			c.Post("/api/signup", m{"user_id": "other", "password": bad}).Want(t, 422, "invalid_request")
		}
		replies := make([]*apitest.Reply, 4)
		together(len(replies), func(i int) { replies[i] = c.Post("/api/signup", right("contested")) })
		made := 0
		for _, r := range replies {
			if r.Status == 200 {
				made++
			} else {
				r.Want(t, 409, "user_id_taken")
			}
		}
		if made != 1 {
			t.Errorf("%d accounts of one name were made", made)
		}
	})
}
